"""Lines for machines and for people."""

from __future__ import annotations

from dataclasses import replace

from workbench.context.watch.lines import json_line, summary
from workbench.domain.spending import dollars
from workbench.domain.usage import Cost, Usage
from workbench.domain.watch.request import (
    AgainstBefore,
    FirstDifference,
    WatchedAnswer,
    WatchedPiece,
    WatchedRequest,
    WatchedTurn,
)

PIECES = (
    WatchedPiece("tools[0]", "L1_SYSTEM", "tool", "{}", tokens=50),
    WatchedPiece("system", "L1_SYSTEM", "system", "Be brief.", tokens=3),
    WatchedPiece("messages[0]", "L4_STRIP", "question", "Why?", tokens=2),
    WatchedPiece("messages[1]", "L3_TURN", "result", "So.", tokens=4),
    WatchedPiece("messages[2]", "L5_USER", "question", "And?", tokens=1),
)
TURN = WatchedTurn(
    2, "c1", "cli/1", 0.0, 900, WatchedRequest("openai", "m", PIECES),
    WatchedAnswer(usage=Usage(60, 20, None, 5)),
    AgainstBefore("changed", FirstDifference("system", "a", "b"), ("system",), 7, ("It changed.",)),
    status=200, cost=Cost(0.5, ""), log_usd=0.25, log_step_usd=0.25,
)  # fmt: skip


def test_tokens_are_told_by_their_part_and_what_is_now_is_called_is():
    line = json_line(TURN)

    assert line["tokens"] == {"total": 60, "exact": False, "tools": 50, "system": 3, "history": 2, "new": 5}
    assert line["first_difference"] == {"path": "system", "was": "a", "is": "b"}
    assert line["reported"] == {"input": 60, "cache_read": 20, "cache_write": None, "output": 5}
    assert json_line(replace(TURN, answer=WatchedAnswer()))["reported"] is None


def test_five_lines():
    assert summary([TURN, replace(TURN, n=3, against=AgainstBefore("extended"), log_usd=9.5)]) == [
        "2 requests in 1 conversation (m)",
        "≈ 120 tokens sent, 10 answered",
        "Cached: 33 % (40 of 120 tokens)",
        "Cost: $1.00; an append-only log of the same turns: $0.50",
        "Worst break: request 2 lost 7 tokens of its prefix. It changed.",
    ]


def test_what_nobody_said_is_not_made_up():
    bare = replace(TURN, cost=None, log_usd=None, answer=WatchedAnswer(), against=AgainstBefore("first"))

    assert summary([bare])[2:] == [
        "Cached: not reported",
        "Cost: no price is known",
        "The prefix never broke",
    ]
    assert summary([]) == ["No requests were seen."]


def test_small_sums_have_more_digits():
    assert [dollars(one) for one in (0, 0.004, 0.84, 12.5)] == ["$0.00", "$0.0040", "$0.84", "$12.50"]
