"""What is told of a turn besides its answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_loop
from tests.fakes.turns import artifact
from workbench.cli.ask.asking import key_advice, tell_cold, tell_cuts, turn_line, ways_out
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


def test_what_of_a_file_was_not_read_is_told(capsys: pytest.CaptureFixture[str]):
    @in_loop
    async def tell() -> None:
        bench = fake_bench()
        await bench.start()
        prepared = bench.workbench.state.open["talk"].prepared
        assert prepared is not None
        part = artifact("/home/b.xlsx", name="b.xlsx", unread=("9 rows left out", "1 sheet left out"))
        inputs = replace(prepared.built.inputs, attached=(artifact("a.md"), part))
        tell_cuts(replace(prepared, built=replace(prepared.built, inputs=inputs)))

    tell()
    assert capsys.readouterr().err == (
        "workbench: not all of b.xlsx was read: 9 rows left out\n"
        "workbench: not all of b.xlsx was read: 1 sheet left out\n"
    )


@pytest.mark.parametrize(
    ("age_s", "cold", "told"),
    [(3660.0, True, True), (None, True, False), (3660.0, False, False)],
)
def test_a_cache_that_is_gone_is_told_with_what_that_costs(
    age_s: float | None, cold: bool, told: bool, capsys: pytest.CaptureFixture[str]
):
    @in_loop
    async def tell() -> None:
        bench = fake_bench()
        await bench.start()
        chat = bench.workbench.state.open["talk"]
        assert chat.prepared is not None
        assert chat.view is not None
        view = replace(chat.view, cold=cold, cached_tokens=0, cost_usd=0.84)
        tell_cold(replace(chat.prepared, age_s=age_s), view)

    tell()
    said = capsys.readouterr().err
    assert said == ("workbench: 61 minutes idle: the cache is gone, $0.8400\n" if told else "")
