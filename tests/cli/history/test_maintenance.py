"""Looking after the store: checks fail loudly, deleting is two steps, copies say where they are."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.cli.history.test_command import history
from tests.fakes.archives import full_archive
from tests.fakes.history_access import NOW, MemoryAccess
from tests.fakes.paper_keys import PaperKeys
from workbench.domain.record import Salvaged


@pytest.fixture
def access() -> MemoryAccess:
    made = MemoryAccess()
    asyncio.run(made.store.adopt(full_archive()))
    return made


def test_a_healthy_store_passes(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "verify") == 0
    assert capsys.readouterr() == (
        "1 page, 1 chat, 18 messages, 4 turns\nopened by: passphrase, key_file\n",
        "Everything is in order.\n",
    )


def test_an_unsettled_change_of_key_makes_the_check_fail(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    access.keys = PaperKeys(rotating=True)
    assert history(access, "verify", "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["keys"] == ["passphrase", "key_file"]
    assert document["problems"] == ["a change of key was interrupted, and has not been settled"]


def test_a_problem_makes_the_check_fail(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    access.store.problems = ("page 3: \x1bdamaged",)
    assert history(access, "verify") == 1
    assert "wrong: page 3: \\u001bdamaged\n" in capsys.readouterr().out
    assert history(access, "verify", "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["problems"]) == (False, ["page 3: \x1bdamaged"])


def test_backup_and_restore_say_where(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "backup", "copy") == 0
    assert history(access, "restore", "copy", "--json") == 0
    assert access.copies == [("backup", "copy"), ("restore", "copy")]
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], json.loads(lines[1])) == ("copy", {"restored": "copy", "replaced": "replaced-1"})


def test_salvaging_says_how_much_came_back_and_where_the_damaged_file_is(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    assert history(access, "salvage") == 0
    shown = capsys.readouterr()
    assert shown.out == "replaced-2\n"
    assert shown.err.startswith("Read back and in the history again: 7 messages.\n")


def test_nothing_is_replaced_by_less_before_somebody_agrees(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    """An empty store took the place of 2,424 messages, and the exit code was 0."""
    access.salvaged = Salvaged(2400, "", 1, 24, complete=False)
    assert history(access, "salvage") == 1
    shown = capsys.readouterr()
    assert (
        "1 page could not be read. 2,400 messages can be brought back, 24 of them or of their files without"
        in shown.err
    )
    assert "No terminal to confirm on; use --yes.\nNothing was changed." in shown.err
    assert (access.copies, shown.out) == ([], "")
    assert history(access, "salvage", "--yes", "--json") == 1
    assert json.loads(capsys.readouterr().out) == {
        "messages": 2400, "damaged": "replaced-2", "unreadable_pages": 1, "texts_lost": 24, "complete": False,
    }  # fmt: skip
    assert access.copies == [("salvage", "")]


def test_deleting_hides_and_purging_removes(access: MemoryAccess, capsys: pytest.CaptureFixture[str]):
    assert history(access, "delete", "talk") == 0
    assert asyncio.run(access.store.chat("talk")).deleted_utc == NOW
    assert asyncio.run(access.store.chats()) == ()
    assert history(access, "purge", "--json") == 0
    assert capsys.readouterr().out.splitlines() == [
        "talk",
        '{"removed": 1, "older_copies": ["data/replaced-1"]}',
    ]
    assert access.opened == [True, True]


def test_purging_names_the_copies_that_still_hold_it(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    """What was removed can be read with the old passphrase in a copy that a restore kept aside."""
    assert history(access, "purge") == 0
    assert capsys.readouterr().err.splitlines()[-1] == "  data/replaced-1"
