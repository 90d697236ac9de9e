"""A watched request as a turn: failures are failures, odd notes are passed over, and the reserve is what was asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.watched import QUESTION, agent_turns, watched
from workbench.domain.message import Message
from workbench.domain.record import TurnLine
from workbench.domain.watch.request import WatchedAnswer
from workbench.engine.shown.turn_rows import turn_row
from workbench.engine.watch.ruling import CLOSED
from workbench.engine.watch.turn_of import WATCHED, Before, kept_request, noted_findings, utc_of


def test_a_refused_request_failed_and_one_that_was_cut_is_interrupted():
    turn, exchange = watched(1, [("user", (QUESTION,))])
    refused = replace(turn, status=529, answer=WatchedAnswer(error="Overloaded"))
    kept = kept_request("c", refused, exchange, WORD_MODEL, Before())
    assert (kept.turn.state, kept.replies) == ("failed", ())
    line = TurnLine(1, "q", kept.turn.started_utc, "failed", kept.turn.usage)
    failure = turn_row(line, "").failure
    assert failure is not None
    assert failure.message == "Overloaded"
    gone = kept_request("c", replace(turn, status=None), exchange, WORD_MODEL, Before())
    assert gone.turn.state == "interrupted"


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (529, "Overloaded", "server"),
        (400, "prompt is too long", "request"),
        (401, "invalid x-api-key", "auth"),
        (429, "rate limit", "rate"),
        (403, f"workbench watch: {CLOSED}", "request"),
    ],
)
def test_who_refused_a_request_is_told_apart(status: int, words: str, kind: str):
    """A held request that a person refused was shown as a server that failed."""
    turn, exchange = watched(1, [("user", (QUESTION,))])
    failed = replace(turn, status=status, answer=WatchedAnswer(error=words))
    kept = kept_request("c", failed, exchange, WORD_MODEL, Before())
    failure = turn_row(TurnLine(1, "q", kept.turn.started_utc, "failed", kept.turn.usage), "").failure
    assert failure is not None
    assert failure.kind == kind


def test_what_a_program_adds_is_no_part_of_what_was_said_and_is_counted():
    kept = kept_request("c", *agent_turns()[2], WORD_MODEL, Before())
    assert isinstance(kept.question.entry, Message)
    assert kept.question.entry.texts == ("Go on. Write a test first, with a clock that stands still.",)
    assert kept.question.metadata == {"tokens": 14, "added_tokens": 2}


def test_the_row_of_a_turn_says_how_many_tools_there_were_and_what_was_lost():
    turn, exchange = agent_turns()[0]
    lost = replace(turn, against=replace(turn.against, relation="changed", lost_tokens=7, words=("Why.",)))
    kept = kept_request("c", lost, exchange, WORD_MODEL, Before())
    row = turn_row(TurnLine(1, "q", "", "complete", kept.turn.usage), "")
    assert (row.tools, row.lost_tokens, row.why_lost, row.change) == (3, 7, ("Why.",), "diverged")


def test_odd_findings_are_passed_over_and_the_lost_prefix_comes_first():
    good = {"kind": "unused_tools", "tokens": 9, "words": "w", "advice": "a", "usd": None, "path": ""}
    first = {**good, "kind": "prefix_lost", "tokens": 1}
    noted = {WATCHED: {"findings": [good, {"kind": "nobody knows"}, 3, first]}}
    assert [one.kind for one in noted_findings(noted)] == ["prefix_lost", "unused_tools"]
    assert noted_findings({WATCHED: {"findings": "x"}}) == ()


def test_moments_are_written_as_everywhere():
    assert utc_of(0.0) == "1970-01-01T00:00:00Z"


def test_an_answer_that_comes_back_as_several_messages_is_not_kept_twice():
    """Sessions on disk have a message for each block of an answer."""
    first, (turn, exchange) = agent_turns()[:2]
    kept = kept_request("c", *first, WORD_MODEL, Before())
    noted = (kept.turn.usage or {})[WATCHED]
    before = Before(1, kept.replies[-1].id, noted["messages"], noted["digest"], answered=True)
    said, called = (
        replace(one, message=place)
        for place, one in enumerate((one for one in turn.request.pieces if one.kind in ("answer", "call")), 1)
    )
    rest = [one for one in turn.request.pieces if one.kind not in ("answer", "call", "result")]
    results = [replace(one, message=3) for one in turn.request.pieces if one.kind == "result"]
    split = replace(turn, request=replace(turn.request, pieces=(*rest, said, called, *results)))
    found = kept_request("c", split, exchange, WORD_MODEL, before)
    entries = [one.entry for one in (*found.said, found.question)]
    assert [one.role for one in entries if isinstance(one, Message)] == ["tool"]


def test_what_was_counted_at_the_beginning_of_a_cut_answer_is_not_noted():
    turn, exchange = agent_turns()[1]
    cut = replace(turn, answer=replace(turn.answer, cut=True))
    kept = kept_request("c", cut, replace(exchange, ending="client_left"), WORD_MODEL, Before())
    assert "completion_tokens" not in (kept.turn.usage or {})
    assert (kept.turn.state, kept.replies[-1].state) == ("stopped", "stopped")
