"""`workbench history fork` and `title`: a chat of its own by the beginnings of ids, and another name."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from tests.fakes.stores import chat, said
from workbench.cli.history.forking import run_fork, run_title
from workbench.cli.main import run


def test_a_chat_is_forked_up_to_a_message(capsys: pytest.CaptureFixture[str]):
    access = MemoryAccess()
    assert run_fork.__doc__

    async def fill() -> None:
        store = await access.open(writable=True)
        await store.create_chat(chat("c", "Title"))
        await store.append([said("m1", "One?"), said("m2", "Two?", "m1"), said("n3", "Three?", "m2")])

    asyncio.run(fill())
    parts = parts_with(history=lambda: access, keys=lambda: access.keys, new_id=lambda: "fork")
    assert run(["history", "fork", "c", "m2", "--json"], lambda _: parts) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {"chat": "fork", "title": "Title (fork)", "messages": 2}
    assert run(["history", "fork", "c", "m"], lambda _: parts) == 1
    assert "2 messages begin with" in capsys.readouterr().err
    assert run(["history", "fork", "c", "x"], lambda _: parts) == 1
    assert "no message" in capsys.readouterr().err


def test_a_title_is_given_or_written_by_the_model(capsys: pytest.CaptureFixture[str]):
    access = MemoryAccess()

    async def fill() -> None:
        store = await access.open(writable=True)
        await store.create_chat(replace(chat("c", "Old"), settings=SETTINGS))
        await store.append([said("m1", "One?")])

    asyncio.run(fill())
    parts = parts_with(
        history=lambda: access,
        keys=lambda: access.keys,
        world=lambda store, wishes: fake_world(words("A new name."), store=store),
    )
    assert run(["history", "title", "c", "--by-model", "--json"], lambda _: parts) == 0
    told = capsys.readouterr()
    assert json.loads(told.out) == {"chat": "c", "title": "A new name"}
    assert "tokens, price unknown" in told.err
    assert run(["history", "title", "c", "Mine"], lambda _: parts) == 0
    assert capsys.readouterr().out == "Mine\n"
    assert run(["history", "title", "c"], lambda _: parts) == 2
    assert run_title.__doc__
