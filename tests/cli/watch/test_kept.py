"""`workbench watch list`, `show` and `delete`, and what keeps requests of a watch."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history_access import MemoryAccess, history_parts
from tests.fakes.loop import in_loop
from tests.fakes.parts import parts_with
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.stores import chat
from tests.fakes.watched import CONVERSATION, agent_turns, changed_model
from workbench.cli.main import run
from workbench.cli.services import Services
from workbench.cli.watch.command import ACTIONS
from workbench.cli.watch.running import keeping
from workbench.domain.errors import StoreInUse
from workbench.engine.watch.keeping import Keeper


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
    assert [action.name for action in ACTIONS] == ["sessions", "list", "show", "go-on", "delete", "bin"]


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

    async with keeping(parts_with(history=Locked), True) as keeper:
        assert keeper is None
    assert "nothing is kept" in capsys.readouterr().err
    async with keeping(parts_with(), False) as keeper:
        assert keeper is None


@in_loop
async def test_a_watch_keeps_what_it_sees_and_says_what_becomes_of_the_old(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    def services(now_utc: str) -> Services:
        return parts_with(history=lambda: access, preferences=MemoryPreferences, utc_now=lambda: now_utc)

    turn, exchange = agent_turns()[0]
    async with keeping(services("2026-06-01T00:00:00Z"), True) as keeper:
        assert keeper is not None
        june = replace(turn, conversation="new", started_at=turn.started_at + 20 * 86400)
        await keeper.keep(june, exchange)
    assert "1 watched conversation seems older than 30 days" in capsys.readouterr().err
    async with keeping(services("2026-02-05T00:00:00Z"), True):
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
