"""Half a minute of chaos: nothing that was acknowledged is lost, whatever happens; and loss would be noticed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.facts import Account

ROOT = Path(__file__).parents[2]
needs_preloading = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="preloading needs Linux and a C compiler"
)


def chaos(*options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.chaos", "--json", *options]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False
    )
    told: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (1 if told["lost"] else 0), done.stderr
    return told


@needs_preloading
def test_nothing_acknowledged_is_lost_in_half_a_minute_of_chaos() -> None:
    told = chaos("--minutes", "0.4", "--seed", "5")
    assert told["lost"] == []
    assert told["acknowledged"] > 0
    assert told["errors"] == []


def account(*acting: str, **kept: str) -> Account:
    return Account(kept={key.replace("_", " "): value for key, value in kept.items()}, acting=acting)


def test_what_is_gone_or_another_is_lost() -> None:
    held = account(message_c_1="a", message_c_2="b", **{"title c-1": "t"})
    assert held.lost({"message c 1": "a", "message c 2": "x"}) == [
        "message c 2: another one",
        "title c-1: not there",
    ]


def test_what_the_interrupted_act_may_have_changed_is_not_lost() -> None:
    assert (
        account("title c-1", message_c_1="a", **{"title c-1": "t"}).lost(
            {"message c 1": "a", "title c-1": "new"}
        )
        == []
    )


def test_what_was_changed_in_a_chat_that_closed_meanwhile_is_as_it_was_or_as_it_is() -> None:
    held = account("title c-1", **{"title c-1": "old", "settings c-1": "s", "title d-1": "d"})
    held.acknowledge({"title d-1": "d"}, 1.0)  # the window had turned to another chat before it was renamed
    held.acting = ()
    assert held.lost({"title c-1": "new", "settings c-1": "s", "title d-1": "d"}) == []
    assert held.lost({"title c-1": "new", "settings c-1": "x", "title d-1": "d"}) == [
        "settings c-1: another one"
    ]


def test_a_chat_that_was_deleted_must_not_come_back() -> None:
    held = account(chat_c="there", chat_d="there")
    held.acknowledge({"chat d": "there"}, 1.0)
    assert held.lost({"chat c": "there", "chat d": "there"}) == ["chat c: came back"]


def test_messages_of_another_branch_are_looked_for_too() -> None:
    held = Account()
    held.acknowledge({"title c-1": "t", "message c 1": "a"}, 1.0)
    held.acknowledge({"title c-1": "t", "message c 2": "b"}, 2.0)
    assert held.lost({"title c-1": "t", "message c 2": "b"}) == ["message c 1: not there"]


def test_a_draft_is_as_old_as_the_first_newer_one_that_was_shown() -> None:
    held = Account(drafts={"c": [(1.0, "a"), (2.0, "ab"), (3.0, "abc")]})
    assert [held.draft_age_s("c", text, 3.5) for text in ("abc", "ab", "a", "")] == [0.0, 0.5, 1.5, 2.5]
