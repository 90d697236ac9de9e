"""A trace file is read by any viewer: every step with its place, its length and its work."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from workbench.sources.trace_file import AT_ONCE, ChromeTrace


def test_steps_lie_inside_one_another_with_their_lengths(tmp_path: Path):
    place = tmp_path / "trace.json"
    trace = ChromeTrace(place)
    with trace.span("outer"), trace.span("inner", "Row"):
        sum(range(1000))
    trace.close()
    inner, outer = json.loads(place.read_text())
    assert (outer["name"], inner["name"], inner["args"]) == ("outer", "inner", {"about": "Row"})
    assert outer["ts"] <= inner["ts"]
    assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]
    assert 0 < inner["tdur"] <= outer["tdur"]
    assert (inner["ph"], inner["pid"], inner["tid"]) == ("X", outer["pid"], outer["tid"])
    assert place.stat().st_mode & 0o077 == 0


def test_a_step_that_fails_is_noted_and_fails(tmp_path: Path):
    trace = ChromeTrace(tmp_path / "trace.json")
    with pytest.raises(ValueError, match="no"), trace.span("broken"):
        raise ValueError("no")
    trace.close()
    assert [one["name"] for one in json.loads((tmp_path / "trace.json").read_text())] == ["broken"]


def test_a_program_that_was_killed_leaves_what_a_viewer_can_read(tmp_path: Path):
    place = tmp_path / "trace.json"
    trace = ChromeTrace(place)
    for number in range(AT_ONCE):
        with trace.span(f"step {number}"):
            pass
    assert len(json.loads(place.read_text() + "]")) == AT_ONCE
    trace.close()
    with trace.span("too late"):
        pass
    assert len(json.loads(place.read_text())) == AT_ONCE


def test_steps_of_several_threads_do_not_mix(tmp_path: Path):
    trace = ChromeTrace(tmp_path / "trace.json")

    def work() -> None:
        for _ in range(300):
            with trace.span("step"):
                pass

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    trace.close()
    noted = json.loads((tmp_path / "trace.json").read_text())
    assert len(noted) == 900
    assert len({one["tid"] for one in noted}) == 3
