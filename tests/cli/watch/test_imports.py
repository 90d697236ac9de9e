"""`workbench watch --import-claude DIR`: sessions on disk are read, kept once, and told."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.context.watch.test_claude_session import session, text
from tests.context.watch.test_codex_session import LINES
from tests.fakes.history_access import MemoryAccess, history_parts
from tests.fakes.passing import shipped
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.tokenizer import WordTokenizer
from workbench.cli.main import run
from workbench.cli.services import Services
from workbench.cli.watch.running import wanted
from workbench.domain.shown.sessions_view import SessionKind, SessionLine
from workbench.engine.watch.importing import import_sessions
from workbench.engine.watch.understanding import Knowledge
from workbench.sources.session_files import session_files

SESSION = SessionLine("claude", "p/s.jsonl", "2026-11-12T09:00:00Z", 12_000, "/work", "Why?")


def parts(access: MemoryAccess) -> Services:
    def sessions(kind: SessionKind, folder: str, only: str) -> Any:
        return import_sessions(
            kind, session_files(folder, only), Knowledge(*shipped(), lambda name: WordTokenizer())
        )

    return replace(history_parts(access), sessions=sessions, preferences=MemoryPreferences)


def imports(access: MemoryAccess, *argv: str) -> int:
    return run(["watch", *argv], lambda _: parts(access))


def listed(access: MemoryAccess, capsys: pytest.CaptureFixture[str]) -> Any:
    capsys.readouterr()
    assert imports(access, "list", "--json") == 0
    return json.loads(capsys.readouterr().out)


def write(folder: Path, name: str, lines: list[str]) -> None:
    (folder / name).write_text("\n".join(lines), encoding="utf-8")


def test_sessions_are_kept_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    access = MemoryAccess()
    write(tmp_path, "s1.jsonl", [*session().lines, "{cut"])

    assert imports(access, "--import-claude", str(tmp_path)) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "s1.jsonl: 1 line is damaged."
    assert "2 requests in 1 conversation (claude-opus-4-8)" in said
    assert said[-1] == "Saved: 2 new requests"
    (chat,) = listed(access, capsys)
    assert (chat["requests"], chat["client"]) == (2, "claude-cli/2.1.197")


def test_a_session_that_grew_goes_on_where_it_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    access, file = MemoryAccess(), session()
    write(tmp_path, "s1.jsonl", file.lines)
    assert imports(access, "--import-claude", str(tmp_path)) == 0
    assert imports(access, "--import-claude", str(tmp_path)) == 0
    assert "Saved: 0 new requests" in capsys.readouterr().err
    file.user("And now?")
    file.answer("msg_9", text("Still."))
    write(tmp_path, "s1.jsonl", file.lines)
    assert imports(access, "--import-claude", str(tmp_path)) == 0
    assert "Saved: 1 new request\n" in capsys.readouterr().err

    assert [one["requests"] for one in listed(access, capsys)] == [3]


def test_one_json_line_a_request_and_nothing_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    access = MemoryAccess()
    write(tmp_path, "rollout.jsonl", LINES)

    assert imports(access, "--import-codex", str(tmp_path), "--json", "--no-keep") == 0
    lines = [json.loads(one) for one in capsys.readouterr().out.splitlines()]
    assert [(one["n"], one["format"], one["relation"]) for one in lines] == [
        (1, "responses", "first"),
        (2, "responses", "extended"),
    ]
    assert listed(access, capsys) == []


def test_nothing_there_and_a_command_besides(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    access = MemoryAccess()

    assert imports(access, "--import-claude", str(tmp_path)) == 1
    assert "no session with a request was found" in capsys.readouterr().err
    assert imports(access, "--import-claude", str(tmp_path / "nowhere")) == 2
    assert imports(access, "--import-claude", str(tmp_path), "--", "true") == 2


def test_whose_sessions_are_wanted():
    assert wanted(Namespace(import_claude=None, import_codex="")) == ("codex", "")
    assert wanted(Namespace(import_claude="d", import_codex=None)) == ("claude", "d")
    assert wanted(Namespace(import_claude=None, import_codex=None)) is None


def test_only_one_of_several_with_its_sub_agents(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    access = MemoryAccess()
    (tmp_path / "s1").mkdir()
    for name in ("s1.jsonl", "s1/agent.jsonl", "s2.jsonl"):
        write(tmp_path, name, session().lines)
    assert (
        imports(access, "--import-claude", str(tmp_path), "--session", "s1.jsonl", "--no-keep", "--json") == 0
    )
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize("found", [(SESSION,), ()])
def test_the_sessions_on_this_computer_are_listed(
    found: tuple[SessionLine, ...], capsys: pytest.CaptureFixture[str]
):
    given = replace(parts(MemoryAccess()), session_lines=lambda: found)
    assert run(["watch", "sessions"], lambda _: given) == 0
    said = capsys.readouterr()
    assert ("p/s.jsonl" in said.out, "No session" in said.err) == (bool(found), not found)
    assert run(["watch", "sessions", "--json"], lambda _: given) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(found)


def test_what_a_compaction_removed_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    access, file = MemoryAccess(), session()
    before, file.last = file.last, None
    file.add("system", subtype="compact_boundary", logicalParentUuid=before)
    file.user("This session is being continued from a previous conversation.", isCompactSummary=True)
    file.user("And now?")
    file.answer("msg_9", text("Still."))
    write(tmp_path, "s1.jsonl", file.lines)
    assert imports(access, "--import-claude", str(tmp_path)) == 0
    (chat,) = listed(access, capsys)
    assert imports(access, "show", chat["id"], "--removed") == 0
    assert "User:\nWhat does a.py do?" in capsys.readouterr().out
    assert imports(access, "show", chat["id"], "--turn", "2", "--removed") == 1
    assert "--turn" in capsys.readouterr().err
