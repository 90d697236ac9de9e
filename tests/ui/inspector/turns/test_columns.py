"""The columns of the list of turns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.fakes.requests_shown import many_turns, scripted_state
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui.inspector.turns.table import (
    LEAST_CACHE,
    Column,
    TurnModel,
    cell_text,
    head_text,
    head_tip,
    layout_word,
    price,
    tokens_in,
    widths,
)
from workbench.ui.model_button import model_name
from workbench.ui.widgets.items.item_model import ITEM


def turn(number: int) -> TurnRow:
    return scripted_state()[1].turns[number - 1]


def test_a_turn_in_its_cells():
    texts = [cell_text(turn(7), column) for column in Column if column != Column.SENT]
    assert texts == [
        "7",
        "—",
        "3,379",
        "1,792",
        "1,792",
        "as predicted, trimmed",
        "835",
        "$0.0021",
    ]
    assert cell_text(turn(1), Column.PREDICTED) == "—"
    assert cell_text(turn(5), Column.CACHE) == "expired"
    assert cell_text(turn(8), Column.SENT)


@pytest.mark.parametrize("total", [480, 556, 588, 699, 700, 752, 1_200])
def test_the_columns_fill_the_room_and_no_more(total: int):
    found = widths(total)
    assert sum(found.values()) <= total
    assert all(width >= 0 for width in found.values())
    assert found[Column.TOKENS_IN] > 0
    assert found[Column.CACHE] >= LEAST_CACHE
    assert (found[Column.LAYOUT] == 0) == (total < 682)


def test_at_the_width_of_the_pictures_every_column_is_there():
    found = widths(752)
    assert min(found.values()) > 0
    assert found[Column.CACHE] >= 200


def test_a_layout_has_its_name_and_one_that_was_not_noted_a_dash():
    assert [layout_word(each) for each in ("auto", "append_only", "layered", None)] == [
        "auto", "append-only", "layered", "—",
    ]  # fmt: skip
    assert cell_text(replace(turn(8), layout="append_only"), Column.LAYOUT) == "append-only"


def test_every_column_has_a_head():
    assert [head_text(column) for column in Column][:3] == ["Turn", "Sent", "Layout"]


def test_what_the_provider_counted_goes_before_what_we_did():
    assert tokens_in(replace(turn(8), prompt_tokens=4_300)) == 4_300
    assert tokens_in(replace(turn(8), prompt_tokens=None)) == 4_275


def test_figures_of_a_turn_with_tools_are_of_one_request_and_say_so():
    several = replace(
        turn(8), requests=3, prompt_tokens=12_000, cached_tokens=9_000, last_prompt_tokens=4_300,
        last_cached_tokens=3_100,
    )  # fmt: skip
    shown = [cell_text(several, column) for column in (Column.TOKENS_IN, Column.PREDICTED, Column.REPORTED)]
    assert shown == ["4,300", "3,200", "3,100"]
    last = (Column.TOKENS_IN, Column.PREDICTED, Column.REPORTED, Column.CACHE)
    assert [column for column in last if "the turn’s last request" not in head_tip(column).lower()] == []
    assert head_tip(Column.PRICE) == "All requests of the turn together, at the model’s listed prices."
    assert head_tip(Column.SENT) == ""


def test_models_and_prices_as_a_person_reads_them():
    assert [model_name(name) for name in ("openai:gpt-4.1", "ollama:qwen3:8b", "builtin")] == [
        "gpt-4.1",
        "qwen3:8b",
        "Built-in SmolLM2",
    ]
    assert price(replace(turn(8), cost_usd=None)) == "—"
    assert price(replace(turn(8), local=True)) == "no cost"


class Watched:
    """A model under the tester, and what it told."""

    def __init__(self) -> None:
        self.model = TurnModel()
        mode = QAbstractItemModelTester.FailureReportingMode.Fatal
        self.tester = QAbstractItemModelTester(self.model, mode)
        self.told: list[object] = []
        self.model.rowsInserted.connect(lambda _parent, first, last: self.told.append(("in", first, last)))
        self.model.modelReset.connect(lambda: self.told.append("reset"))
        self.model.dataChanged.connect(lambda first, _last: self.told.append(("changed", first.row())))


@pytest.fixture
def watched(qapp) -> Watched:
    return Watched()


def test_the_newest_turn_comes_first(watched: Watched):
    watched.model.show(scripted_state()[1].turns)
    assert [watched.model.index(row, 0).data() for row in range(8)] == [
        "8",
        "7",
        "6",
        "5",
        "4",
        "3",
        "2",
        "1",
    ]
    assert watched.model.index(0, Column.CACHE).data() == "as predicted"
    assert watched.model.index(0, 0).data(ITEM).number == 8
    assert watched.model.index_of(3).row() == 5
    assert not watched.model.index_of(99).isValid()
    assert watched.model.largest_tokens == 12_590


def test_a_turn_more_is_one_row_more(watched: Watched):
    turns = many_turns(1_001)
    watched.model.show(turns[:1_000])
    watched.told.clear()
    watched.model.show(turns)
    assert watched.told == [("in", 0, 0)]


def test_a_turn_that_ended_changes_its_row_and_no_other(watched: Watched):
    turns = scripted_state()[1].turns
    running = (*turns[:-1], replace(turns[-1], state="running"))
    watched.model.show(running)
    watched.told.clear()
    watched.model.show(turns)
    watched.model.show(turns)
    assert watched.told == [("changed", 0)]


def test_on_another_branch_the_turns_that_both_have_stay(watched: Watched):
    turns = scripted_state()[1].turns
    watched.model.show(turns)
    kept = QPersistentModelIndex(watched.model.index_of(3))
    watched.told.clear()
    watched.model.show(turns[:3])
    assert (kept.row(), watched.model.rowCount(), watched.told) == (0, 3, [])
    watched.model.show(())
    assert not kept.isValid()


def test_a_row_is_spoken_as_a_whole_and_its_tooltip_says_why(watched: Watched):
    watched.model.show(scripted_state()[1].turns)
    index = watched.model.index(1, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith("Turn 7: 3,379 tokens in")
    assert "trimmed up to message 12" in index.data(Qt.ItemDataRole.ToolTipRole).replace("\n", " ")
    assert watched.model.headerData(0, Qt.Orientation.Horizontal) == "Turn"
    assert watched.model.headerData(0, Qt.Orientation.Vertical) is None
