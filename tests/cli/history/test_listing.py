"""The list of chats: a line each, by last use, with a mark where a question came to no answer."""

from __future__ import annotations

import asyncio

import pytest

from tests.cli.history.test_command import history
from tests.cli.history.test_show import EVIL, access, chats_that_ended, printed
from tests.fakes.archives import WHEN
from tests.fakes.history_access import MemoryAccess
from workbench.cli.history.listing import run_list

__all__ = ["access"]  # the fixture


def test_it_needs_no_loop():
    """Loading one took a third of the time of the whole command."""
    assert not asyncio.iscoroutinefunction(run_list)


def test_the_list_is_a_line_a_chat(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "list") == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        f"evil  {WHEN}  \\u001b]0;owned\\u0007 \\u202etxt.exe\\nuser  2026-01-01\\nforged",
        f"talk  {WHEN}  Everything <b>there</b> is",
    ]
    assert shown.err == ""


def test_the_list_for_machines_is_exact(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "list", "--json") == 0
    assert printed(capsys)[0] == {
        "id": "evil", "title": EVIL, "created_utc": WHEN, "model": "gpt-4o", "used_utc": WHEN, "last_turn": "complete",
    }  # fmt: skip


def test_the_list_goes_by_last_use_and_marks_what_came_to_no_answer(capsys: pytest.CaptureFixture[str]):
    """Chats were sorted by use and shown with the time of their making; that one had failed nobody saw."""
    made = MemoryAccess()
    asyncio.run(chats_that_ended(made))
    chats = asyncio.run(made.store.chats())
    assert history(made, "list") == 0
    assert capsys.readouterr().out.splitlines() == [
        f"halted  {chats[0].used_utc}  (stopped) Is halted well?",
        f"broken  {chats[1].used_utc}  (failed) Is broken well?",
        f"fine    {chats[2].used_utc}  Is fine well?",
    ]
    assert chats[0].used_utc > chats[0].created_utc
    assert history(made, "list", "--json") == 0
    assert [one["last_turn"] for one in printed(capsys)] == ["stopped", "failed", "complete"]


def test_an_empty_list_says_so_beside_the_result(capsys: pytest.CaptureFixture[str]):
    assert history(MemoryAccess(), "list") == 0
    assert capsys.readouterr() == ("", "There are no chats yet.\n")
