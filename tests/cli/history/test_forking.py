"""`workbench history fork`: a chat of its own, by the beginnings of ids."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from tests.fakes.stores import chat, said
from workbench.cli.history.forking import run_fork
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
