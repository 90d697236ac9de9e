"""Sessions where programs leave them: the newest first, by their beginnings, sub-agents with their session."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path

import pytest

from tests.context.watch.test_claude_session import session
from tests.context.watch.test_codex_session import LINES
from workbench.wiring.folder import ProgramFolder
from workbench.wiring.sessions import HomeSessions


def write(path: Path, lines: list[str], modified: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    os.utime(path, (modified, modified))


def test_all_programs_the_newest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    claude, codex = tmp_path / ".claude/projects/p", tmp_path / ".codex/sessions/2026"
    write(claude / "s1.jsonl", session().lines, 1_790_000_000)
    write(claude / "s1/subagents/agent-a.jsonl", session().lines, 1_790_000_500)
    write(claude / "empty.jsonl", [], 1_790_000_700)
    write(claude / "bad.jsonl", ["{cut"], 1_790_000_100)
    write(codex / "r.jsonl", LINES, 1_790_000_200)
    home = HomeSessions(ProgramFolder(Namespace(data_dir=str(tmp_path / "data"))))
    lines, more = home.listed(10)
    assert [one.file for one in lines] == ["2026/r.jsonl", "p/bad.jsonl", "p/s1.jsonl"]
    assert more == 0
    assert (lines[2].asked, lines[2].folder) == ("What does a.py do?", "/w")
    assert lines[1].problem == "1 line is damaged."
    assert lines[0].asked
    assert len(home.listed(1)[0]) == 1
    read = list(home.read("claude", "p/s1.jsonl"))
    assert [len(list(one.turns)) for one in read] == [2, 2]
