"""Whom a change reaches: only what is known is said."""

from __future__ import annotations

from workbench.domain.record import Chat
from workbench.domain.shown.reach import ChatReach
from workbench.ui.workspace.page import ReachLine, reach_lines

NOW = "2026-11-12T14:00:00Z"
CHATS = tuple(Chat(key, NOW, key.upper()) for key in "abcde")


def test_warm_ones_one_by_one_cold_ones_together_and_unknown_ones_are_called_so(qapp: object):
    reach = {
        "a": ChatReach("a", True, "2026-11-12T14:00:48Z", 6016, 0.0018),
        "b": ChatReach("b", True, "2026-11-12T14:03:12Z", 8064, 0.0024),
        "c": ChatReach("c", True, "2026-11-12T13:00:00Z", 900, 0.001),
        "d": ChatReach("d"),
    }
    assert reach_lines(CHATS, reach, NOW) == (
        ReachLine("B", "3:12", "8,064", "+$0.0024", "warn"),
        ReachLine("A", "0:48", "6,016", "+$0.0018", "warn"),
        ReachLine("1 other", "cold", "0", "free", "ok"),
        ReachLine("2 unknown", "–", "–", "–", "t3"),
        ReachLine("5 chats", "", "14,080", "+$0.0042", "warn"),
    )


def test_a_model_on_this_computer_costs_time_and_a_price_nobody_knows_is_not_made_up(qapp: object):
    later = "2026-11-12T15:00:00Z"
    reach = {"a": ChatReach("a", True, "", 100, 0.0, local=True), "b": ChatReach("b", True, later, 50, None)}
    prices = {line.name: (line.warm, line.price) for line in reach_lines(CHATS[:2], reach, NOW)}
    assert prices == {
        "A": ("not known", "only time"), "B": ("60:00", "price not known"), "2 chats": ("", "price not known")
    }  # fmt: skip
