"""`workbench history`: its actions, their arguments, and what wrong usage says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.history_access import MemoryAccess, history_parts
from workbench.cli.history.command import ACTIONS
from workbench.cli.main import run


def history(access: MemoryAccess, *argv: str) -> int:
    return run(["history", *argv], lambda arguments: history_parts(access))


def test_the_actions_are_those_of_the_contract():
    names = {action.name for action in ACTIONS}
    assert names >= {"list", "show", "search", "export", "import", "verify", "backup", "restore"}


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
def test_every_action_has_its_own_help_and_takes_places_and_json(
    action: Any, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as leaving:
        history(MemoryAccess(), action.name, "--help")
    assert leaving.value.code == 0
    shown = capsys.readouterr().out
    assert all(option in shown for option in ("--data-dir", "--key-file", "--json"))


@pytest.mark.parametrize(
    "argv",
    [
        [], ["nonsense"], ["show"], ["show", "c", "--turn", "x"], ["search"], ["search", "a", "--limit", "0"],
        ["search", "a", "--limit", "-1"], ["export", "--format", "pdf"], ["import", "--no"], ["backup"],
        ["delete"], ["undo"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_exits_with_two(argv: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as leaving:
        history(MemoryAccess(), *argv)
    assert leaving.value.code == 2
    assert capsys.readouterr().out == ""


def test_wrong_usage_that_is_found_later_exits_with_two_as_well(capsys: pytest.CaptureFixture[str]):
    assert history(MemoryAccess(), "export", "--format", "elara") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("workbench history: --format elara: give either --elara-key-file FILE")


def test_a_chat_that_is_not_there_exits_with_one(capsys: pytest.CaptureFixture[str]):
    assert history(MemoryAccess(), "show", "nowhere\x1b") == 1
    assert capsys.readouterr().err.startswith("workbench: There is no chat 'nowhere\\\\u001b'")


def test_reading_does_not_ask_for_the_right_to_write(capsys: pytest.CaptureFixture[str]):
    access = MemoryAccess()
    for argv in (["list", "--json"], ["search", "x", "--json"], ["verify", "--json"]):
        assert history(access, *argv) == 0
    assert access.opened == [False, False, False]
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()][:2] == [[], []]
