"""`workbench presets`: what is kept under a name."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.cli.test_doctor import NoStoreYet
from tests.fakes.exchange_files import MemoryExchange
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.domain.settings.context_settings import ContextSettings

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


@pytest.mark.parametrize(
    "argv", [["show"], ["remove"], ["list", "terse"], ["diff", "terse"], ["import"]], ids=" ".join
)
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


def test_two_are_compared_by_name(access: MemoryAccess, capsys: Capture):
    assert presets(access, "diff", "terse", "a\x1b") == 0
    assert capsys.readouterr().out == "model: m-1 → gpt-4o\nsystem_prompt: Be\\u001b brief. → not set\n"
    assert presets(access, "diff", "terse", "terse") == 0
    assert capsys.readouterr() == ("", "They are the same.\n")


def test_one_is_renamed_and_never_over_another(access: MemoryAccess, capsys: Capture):
    assert presets(access, "rename", "terse", " short  one ", new_chat_preset=lambda: "terse") == 0
    assert capsys.readouterr().out == "short one\n"
    assert list(asyncio.run(access.store.presets())) == ["a\x1b", "short one"]
    assert presets(access, "rename", "short one", "a\x1b") == 1
    assert "There is a preset" in capsys.readouterr().err
    assert len(asyncio.run(access.store.presets())) == 2


def test_what_is_exported_is_imported_equal_and_nothing_is_written_over(
    access: MemoryAccess, capsys: Capture
):
    files = MemoryExchange()
    assert presets(access, "export", "out.json", "terse", exchange=lambda: files) == 0
    assert capsys.readouterr().out == "out.json\n"
    document = json.loads(files.files["out.json"])
    assert document["presets"]["terse"]["system_prompt"] == "Be\x1b brief."
    assert not {"tools", "tool_guidelines"} & document["presets"]["terse"].keys()
    assert presets(access, "import", "out.json", exchange=lambda: files) == 0
    assert capsys.readouterr().out == "terse 2\n"
    kept = asyncio.run(access.store.presets())
    assert kept["terse 2"] == kept["terse"]
    files.files["bad.json"] = b'{"format": "workbench-presets/1", "presets": {"x": {"modle": "m"}}}'
    assert presets(access, "import", "bad.json", exchange=lambda: files) == 2
    assert 'presets.x.modle: unknown field; did you mean "model"?' in capsys.readouterr().err
    assert len(asyncio.run(access.store.presets())) == 3
