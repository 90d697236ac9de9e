"""`workbench watch`: what it takes, and what it refuses."""

from __future__ import annotations

import argparse
import asyncio
import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.context.watch.test_claude_session import session, text
from tests.context.watch.test_codex_session import LINES
from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history_access import MemoryAccess, history_parts
from tests.fakes.loop import in_loop
from tests.fakes.parts import parts_with
from tests.fakes.passing import shipped
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.stores import chat
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.watched import CONVERSATION, agent_turns, changed_model
from workbench.cli.main import run
from workbench.cli.services import Services
from workbench.cli.watch import command
from workbench.cli.watch.command import ACTIONS
from workbench.cli.watch.running import open_keeper, sessions_to_import
from workbench.domain.errors import StoreInUse
from workbench.domain.shown.sessions_view import SessionLine
from workbench.domain.watch.switch import SessionKind
from workbench.engine.watch.importing import import_sessions
from workbench.engine.watch.stored_requests import Keeper
from workbench.engine.watch.understanding import Knowledge
from workbench.sources.session_files import session_files


def parsed(*argv: str) -> argparse.Namespace:
    found: list[argparse.Namespace] = []

    def load(arguments: argparse.Namespace) -> object:
        found.append(arguments)
        raise SystemExit(0)

    with pytest.raises(SystemExit):
        run(["watch", *argv], load)  # type: ignore[arg-type]
    return found[0]


def test_what_follows_the_two_hyphens_is_the_command_s_own():
    given = parsed("--no-keep", "--", "claude", "-p", "--json", "--", "x")
    assert (given.program, given.json, given.no_keep) == (("claude", "-p", "--json", "--", "x"), False, True)


def test_without_a_command():
    given = parsed("--to", "anthropic", "--port", "4040", "--json")
    assert (given.program, given.to, given.port, given.json) == ((), "anthropic", 4040, True)


@pytest.mark.parametrize("port", ["65536", "-1", "x", "٣"])
def test_a_port_that_is_none(port: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as leaving:
        run(["watch", "--port", port], lambda _: parts_with())
    assert leaving.value.code == 2
    assert "port" in capsys.readouterr().err


def test_how_it_is_called(capsys: pytest.CaptureFixture[str]):
    for argv in (["watch", "--help"], ["watch", "list", "--help"], ["watch", "claude", "-p"]):
        with pytest.raises(SystemExit):
            run(argv, lambda _: parts_with())
    shown = capsys.readouterr()
    assert (
        "usage: workbench watch [options] [-- COMMAND ARGS…]\n       workbench watch ACTION …\n" in shown.out
    )
    assert "usage: workbench watch list [-h]" in shown.out
    assert "[-- COMMAND ARGS…]" in shown.err  # a command without the two hyphens


def test_json_beside_a_command_needs_a_file(capsys: pytest.CaptureFixture[str]):
    assert run(["watch", "--json", "--", "true"], lambda _: parts_with()) == 2
    assert "--out" in capsys.readouterr().err


def test_its_parts_are_there():
    assert callable(command.add_arguments)


# `workbench watch --import-claude DIR`: sessions on disk are read, kept once, and told.


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
    assert sessions_to_import(Namespace(import_claude=None, import_codex="")) == ("codex", "")
    assert sessions_to_import(Namespace(import_claude="d", import_codex=None)) == ("claude", "d")
    assert sessions_to_import(Namespace(import_claude=None, import_codex=None)) is None


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


# `workbench watch list`, `show` and `delete`, and what keeps requests of a watch.


@pytest.fixture
def access() -> MemoryAccess:
    made = MemoryAccess()

    async def keep() -> None:
        await made.store.create_chat(chat("mine"))
        first, second, (last, exchange) = agent_turns()
        for one in (first, second, (changed_model(last), exchange)):
            await Keeper(made.store, FakeCatalogue(), "http://127.0.0.1:4040").keep(*one)

    asyncio.run(keep())
    return made


def watch(access: MemoryAccess, *argv: str) -> int:
    return run(["watch", *argv], lambda _: history_parts(access))


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_watched_conversations_are_listed_and_no_others(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    assert watch(access, "list", "--json") == 0
    (one,) = printed(capsys)
    assert (one["id"], one["requests"], one["client"]) == (CONVERSATION, 3, "claude-cli/2.1.197")
    assert one["address"] == "http://127.0.0.1:4040"
    assert watch(access, "list") == 0
    assert "3 requests" in capsys.readouterr().out
    assert watch(MemoryAccess(), "list") == 0
    assert "Nothing was watched yet" in capsys.readouterr().err


def test_requests_are_shown_by_lines_and_byte_for_byte(access: MemoryAccess, capfdbinary: Any):
    assert watch(access, "show", CONVERSATION[:3]) == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["1", "2", "3"]
    assert lines[3].endswith("prefix lost, 700 tokens")
    assert watch(access, "show", CONVERSATION, "--turn", "2", "--body") == 0
    assert capfdbinary.readouterr().out == agent_turns()[1][1].request
    assert watch(access, "show", CONVERSATION, "--as", "curl") == 0
    assert capfdbinary.readouterr().out.startswith(b"curl ")
    assert watch(access, "show", CONVERSATION, "--as", "trajectory") == 0
    assert json.loads(capfdbinary.readouterr().out)["format"] == "workbench-trajectory/1"


def test_what_is_shown_as_json_has_the_names_of_a_watch(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    assert watch(access, "show", CONVERSATION, "--json") == 0
    lines = printed(capsys)
    assert [(one["n"], one["relation"]) for one in lines] == [(1, "first"), (2, "extended"), (3, "changed")]
    assert (lines[2]["causes"], lines[2]["prefix_lost_tokens"]) == (["model", "tools"], 700)


def test_a_watched_conversation_is_deleted_and_a_chat_of_ones_own_is_not(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    assert watch(access, "delete", "mine") == 1
    assert "chat of your own" in capsys.readouterr().err
    assert watch(access, "delete", CONVERSATION, "--json") == 0
    assert printed(capsys) == {"deleted": CONVERSATION}
    assert watch(access, "list", "--json") == 0
    assert printed(capsys) == []


def test_every_action_is_one_of_the_commands_own():
    assert [action.name for action in ACTIONS] == [
        "sessions", "list", "show", "go-on", "compare", "write", "delete", "rules", "bin",
    ]  # fmt: skip


def test_a_chat_of_ones_own_goes_on_from_a_request(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert watch(access, "go-on", CONVERSATION, "--turn", "2", "--json") == 0
    made = printed(capsys)["chat"]
    assert len(asyncio.run(access.store.path(made))) == 4


def test_the_new_chat_is_told_as_after_a_question(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert watch(access, "go-on", CONVERSATION) == 0
    assert capsys.readouterr().err.startswith("[chat ")


@in_loop
async def test_what_cannot_be_kept_is_said_and_the_watch_goes_on(capsys: pytest.CaptureFixture[str]):
    class Locked(MemoryAccess):
        async def open(self, **wanted: bool) -> Any:
            raise StoreInUse("the history", "Close the other program.")

    async with open_keeper(parts_with(history=Locked), True) as keeper:
        assert keeper is None
    assert "nothing is kept" in capsys.readouterr().err
    async with open_keeper(parts_with(), False) as keeper:
        assert keeper is None


@in_loop
async def test_a_watch_keeps_what_it_sees_and_says_what_becomes_of_the_old(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    def services(now_utc: str) -> Services:
        return parts_with(history=lambda: access, preferences=MemoryPreferences, utc_now=lambda: now_utc)

    turn, exchange = agent_turns()[0]
    async with open_keeper(services("2026-06-01T00:00:00Z"), True) as keeper:
        assert keeper is not None
        june = replace(turn, conversation="new", started_at=turn.started_at + 20 * 86400)
        await keeper.keep(june, exchange)
    assert "1 watched conversation seems older than 30 days" in capsys.readouterr().err
    async with open_keeper(services("2026-02-05T00:00:00Z"), True):
        pass
    assert [one.id for one in await access.store.chats() if one.filed.watched] == ["new"]
    assert "1 watched conversation is older than 30 days and in the bin now" in capsys.readouterr().err


def test_what_waits_or_is_in_the_bin_is_listed_kept_and_put_back(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    def in_bin(*argv: str) -> dict[str, list[str]]:
        assert watch(access, "bin", "--json", *argv) == 0
        return {name: [one["id"] for one in some] for name, some in printed(capsys).items()}

    # Nothing was used for a month, by the clock.
    assert in_bin() == {"binned": [], "waiting": [CONVERSATION]}
    assert in_bin("--confirm") == {"binned": [CONVERSATION], "waiting": []}
    assert watch(access, "bin") == 0
    assert "in the bin" in capsys.readouterr().out
    assert in_bin("--put-back") == {"binned": [], "waiting": []}
    assert watch(access, "bin") == 0
    assert "The bin is empty. Conversations older than 30 days" in capsys.readouterr().err
    assert watch(access, "list", "--json") == 0
    assert [one["id"] for one in printed(capsys)] == [CONVERSATION]


def test_what_waits_can_be_kept(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert watch(access, "bin", "--keep") == 0
    assert "The bin is empty" in capsys.readouterr().err
