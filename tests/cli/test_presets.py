"""`workbench presets`: what is kept under a name."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.cli.test_doctor import NoStoreYet
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.domain.preferences import ContextSettings

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def access() -> MemoryAccess:
    made = MemoryAccess()
    asyncio.run(made.store.save_preset("terse", ContextSettings(model="m-1", system_prompt="Be\x1b brief.")))
    asyncio.run(made.store.save_preset("a\x1b", ContextSettings()))
    return made


def presets(access: MemoryAccess, *argv: str, **given: Any) -> int:
    parts = parts_with(**{"history": lambda: access, "keys": lambda: access.keys, **given})
    return run(["presets", *argv], lambda _: parts)


@pytest.mark.parametrize("argv", [[], ["list"]])
def test_all_are_listed(access: MemoryAccess, argv: list[str], capsys: Capture):
    assert presets(access, *argv) == 0
    assert capsys.readouterr() == ("a\\u001b  gpt-4o\nterse    m-1\n", "")
    assert presets(access, *argv, "--json") == 0
    assert json.loads(capsys.readouterr().out) == [
        {"name": "a\x1b", "model": "gpt-4o"}, {"name": "terse", "model": "m-1"},
    ]  # fmt: skip
    assert access.opened == [False, False]


def test_one_is_shown_as_set_takes_it(access: MemoryAccess, capsys: Capture):
    assert presets(access, "show", "terse") == 0
    assert capsys.readouterr().out == "model=m-1\nsystem_prompt=Be\\u001b brief.\n"
    assert presets(access, "show", "terse", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["name"], document["settings"]["system_prompt"]) == ("terse", "Be\x1b brief.")


def test_one_is_removed(access: MemoryAccess, capsys: Capture):
    assert presets(access, "remove", "terse", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"removed": "terse"}
    assert list(asyncio.run(access.store.presets())) == ["a\x1b"]
    assert access.store.closed


def test_removing_the_one_that_new_chats_start_with_says_so(access: MemoryAccess, capsys: Capture):
    assert presets(access, "remove", "terse", new_chat_preset=lambda: "terse") == 0
    shown = capsys.readouterr()
    assert shown.out == "terse\n"
    assert "`persona` in settings.toml still names it" in shown.err


@pytest.mark.parametrize("action", ["show", "remove"])
def test_a_name_nobody_knows_is_wrong_usage(access: MemoryAccess, action: str, capsys: Capture):
    assert presets(access, action, "gone") == 2
    assert capsys.readouterr() == (
        "", "workbench presets: NAME: there is no preset 'gone'; known: a\\u001b, terse\n",
    )  # fmt: skip
    assert len(asyncio.run(access.store.presets())) == 2


@pytest.mark.parametrize("argv", [["show"], ["remove"], ["list", "terse"]], ids=" ".join)
def test_wrong_usage_opens_nothing(access: MemoryAccess, argv: list[str], capsys: Capture):
    assert presets(access, *argv) == 2
    assert capsys.readouterr().err.startswith(f"workbench presets: {argv[0]} ")
    assert access.opened == []


def test_no_store_is_made_to_say_that_there_are_none(access: MemoryAccess, capsys: Capture):
    assert presets(access, keys=NoStoreYet) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("There are no presets yet.")
    assert access.opened == []
