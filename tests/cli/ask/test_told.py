"""What is told of a turn besides its answer."""

from __future__ import annotations

from workbench.cli.ask.told import key_advice, turn_line, ways_out
from workbench.domain.answer import Failure
from workbench.domain.outcome import TurnOutcome


def test_a_turn_that_never_got_a_request_has_a_line_all_the_same():
    line = turn_line("talk", TurnOutcome("failed", failure=Failure("request", "No.")), None)
    assert line["rounds"] == {"requests": 0, "usage": [], "cache": [], "report": []}
    assert (line["answer"], line["report"], line["error"]) == (
        "",
        None,
        {"kind": "request", "message": "No."},
    )


def test_without_a_request_only_what_always_helps_is_named():
    assert ways_out(None) == "--model NAME with a larger window"
    assert "workbench keys provider ADDRESS" in key_advice(None)
