"""Which turns a summary may stand for."""

from __future__ import annotations

import pytest

from tests.fakes.turns import assistant, result, user
from workbench.context.shorten.runs import NOTHING, Run, choose_run, turns_of
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.errors import WorkbenchError
from workbench.domain.summary import Summary, SummaryWish
from workbench.domain.turn import Tuning

COMMAND = EnvironmentChunk("e3", 'read {"path": "a"}\nfound', "tool_result", "read", "e3")
TALK = (
    user("u1"), assistant("a1"),
    user("u2"), assistant("c2", "", "k"), result("r2", "k"), assistant("a2"),
    COMMAND, user("u3"), assistant("a3"),
    user("u4"), assistant("a4"), user("u5"), assistant("a5"),
)  # fmt: skip
TURNS = turns_of(TALK, 5)


def chosen(wish: SummaryWish = SummaryWish(), tuning: Tuning = Tuning(), keep: int = 2) -> tuple[int, int]:  # noqa: B008
    run: Run = choose_run(TURNS, tuning, wish, keep)
    return run.first, run.last


def test_turns_are_questions_with_their_commands_calls_and_answers():
    assert [(turn.number, len(turn.entries)) for turn in TURNS] == [(1, 2), (2, 4), (3, 3), (4, 2), (5, 2)]
    third = Run(TURNS[2:3])
    assert third.summary(third.entries, "outline").replaces == ("e3", "u3", "a3")
    assert third.summary(third.entries[1:], "outline").what == "turn 3, 2 messages"
    assert [turn.number for turn in turns_of(TALK[2:], 5)] == [2, 3, 4, 5]


def test_by_itself_it_is_everything_before_the_answers_that_are_kept():
    assert chosen() == (1, 3)
    assert chosen(keep=10) == (1, 1)
    assert chosen(tuning=Tuning(pinned=frozenset({"a2"}))) == (1, 1)
    assert chosen(tuning=Tuning(summaries=(Summary("s", "", ("u1", "a1")),))) == (2, 3)


@pytest.mark.parametrize(
    ("wish", "tuning", "words"),
    [
        (SummaryWish("", 1, 5), Tuning(), "The newest turn always stays"),
        (SummaryWish("", 2, 9), Tuning(), "There are no turns 2–9 here: choose some of 1–4"),
        (SummaryWish("", 1, 2), Tuning(pinned=frozenset({"r2"})), "A message of turn 2 is pinned"),
        (SummaryWish("", 1, 2), Tuning(summaries=(Summary("s", "", ("u1", "a1")),)), "in a summary already"),
    ],
)
def test_what_stands_in_the_way_is_said(wish: SummaryWish, tuning: Tuning, words: str):
    with pytest.raises(WorkbenchError, match=words):
        chosen(wish, tuning)
    assert chosen(SummaryWish("", 2, 4)) == (2, 4)


def test_up_to_a_turn_means_from_what_is_held_on():
    """With a summary or a pinned message anywhere before it, no later turn could be summarised up to."""
    first = Summary("s", "", ("u1", "a1"))
    assert chosen(SummaryWish("", 0, 4), Tuning(summaries=(first,))) == (2, 4)
    assert chosen(SummaryWish("", 0, 4), Tuning(pinned=frozenset({"r2"}))) == (3, 4)
    assert chosen(SummaryWish("", 0, 3)) == (1, 3)
    with pytest.raises(WorkbenchError, match="A message of turn 4 is pinned"):
        chosen(SummaryWish("", 0, 4), Tuning(pinned=frozenset({"u4"})))


def test_one_turn_is_nothing_to_summarise():
    with pytest.raises(WorkbenchError, match=NOTHING):
        choose_run(turns_of(TALK[:2], 1), Tuning(), SummaryWish(), 2)
