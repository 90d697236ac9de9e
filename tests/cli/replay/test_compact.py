"""A compact report says the same as the whole one, and grows with what is new."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.cli.replay.command import AS_BEFORE, compact_reports, rows_digest


def report_of(path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, list[dict[str, Any]]]:
    assert run(["replay", str(path), *more], lambda arguments: parts_with()) == 0
    out = capsys.readouterr().out
    turns: list[dict[str, Any]] = json.loads(out)["turns"]
    for turn in turns:
        del turn["metrics"]["build_ms"]
    return len(out), turns


def expanded(rows: list[Any], before: list[Any]) -> list[Any]:
    if not rows or not isinstance(rows[0], dict) or AS_BEFORE not in rows[0]:
        return rows
    same = before[: rows[0][AS_BEFORE]]
    assert rows_digest(same) == rows[0]["digest"]
    return [*same, *rows[1:]]


def whole_again(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for turn in turns:
        before = made[-1] if made else {"layers": [{"segments": []}] * 5}
        lists = {
            name: expanded(turn[name], before.get(name, []))
            for name in ("messages", "included_ids", "excluded_ids")
        }
        pairs = zip(turn["layers"], before["layers"], strict=True)
        layers = [{**new, "segments": expanded(new["segments"], old["segments"])} for new, old in pairs]
        made.append({**turn, **lists, "layers": layers})
    return made


def test_nothing_is_lost_and_the_report_no_longer_grows_with_the_square(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    def conversation(turns: int) -> Path:
        path = tmp_path / f"{turns}.json"
        said = [{"user": f"question {n}", "reply": f"answer {n}"} for n in range(turns)]
        settings = {"model": "word-1", "reserved_output_tokens": 0, "context_window": 300}
        path.write_text(json.dumps({"format": "workbench-trajectory/1", "settings": settings, "turns": said}))
        return path

    _, whole = report_of(conversation(40), capsys)
    short_size, short = report_of(conversation(40), capsys, "--compact")
    assert whole_again(short) == whole
    half_size, _ = report_of(conversation(20), capsys, "--compact")
    assert short_size < 2.6 * half_size


def test_the_first_report_is_whole():
    report = {"messages": [{"id": "a"}], "included_ids": [], "excluded_ids": [], "layers": []}
    assert list(compact_reports([report])) == [report]
