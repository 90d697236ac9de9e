"""`workbench history summarise`: shown and checked first, applied and undone on demand, a model only with a yes."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from itertools import count

import pytest

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from tests.fakes.stores import chat, said
from workbench.cli.history.summarise import run_summarise
from workbench.cli.main import run
from workbench.domain.message import Message
from workbench.domain.turn import Tuning

LONG = "This is a long answer that nobody will ever need again, word by word. " * 12


def filled() -> MemoryAccess:
    access = MemoryAccess()
    assert run_summarise.__doc__

    async def fill() -> None:
        store = await access.open(writable=True)
        await store.create_chat(replace(chat("c", "Title"), settings=SETTINGS))
        records = []
        for number in (1, 2, 3):
            question = said(
                f"q{number}", f"Mara has {number}00 EUR.", f"a{number - 1}" if number > 1 else None
            )
            answer = said(f"a{number}", LONG, f"q{number}")
            records += [question, replace(answer, entry=Message(f"a{number}", "assistant", (LONG,)))]
        await store.append(records)

    asyncio.run(fill())
    return access


def tuning(access: MemoryAccess) -> Tuning:
    async def read() -> Tuning:
        return await (await access.open(writable=False)).tuning("c")

    return asyncio.run(read())


def test_an_outline_is_shown_applied_and_undone(capsys: pytest.CaptureFixture[str]):
    access, ids = filled(), count(1)
    parts = parts_with(
        history=lambda: access,
        keys=lambda: access.keys,
        world=lambda store, wishes: replace(fake_world(store=store), new_id=lambda: f"s{next(ids)}"),
    )
    assert run(["history", "summarise", "c", "--turns", "1-2"], lambda _: parts) == 0
    told = capsys.readouterr()
    assert told.out.startswith("User: Mara has 100 EUR.\nAssistant: This is a long answer")
    assert "turns 1–2, 4 messages" in told.err
    assert "Nothing was changed" in told.err
    assert tuning(access).summaries == ()
    assert run(["history", "summarise", "c", "--turns", "1-2", "--apply", "--json"], lambda _: parts) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["applied"], found["turns"], found["made_by"], found["refused"]) == (
        True,
        [1, 2],
        "outline",
        "",
    )
    assert found["to_tokens"] < found["from_tokens"]
    assert tuning(access).summarised == {"q1", "a1", "q2", "a2"}
    assert run(["history", "summarise", "c", "--turns", "1-2"], lambda _: parts) == 1
    assert "in a summary already" in capsys.readouterr().err
    assert run(["history", "summarise", "c", "--undo", "x"], lambda _: parts) == 1
    assert f"The chat has: {found['id']}." in capsys.readouterr().err
    assert run(["history", "summarise", "c", "--undo", found["id"]], lambda _: parts) == 0
    assert "the messages are sent again" in capsys.readouterr().out
    assert tuning(access).summaries == ()
    assert run(["history", "summarise", "c", "--turns", "two"], lambda _: parts) == 2


def test_a_model_is_asked_only_with_a_yes_and_what_it_loses_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("workbench.cli.history.summarise.find_terminal", lambda: None)
    access = filled()
    parts = parts_with(
        history=lambda: access,
        keys=lambda: access.keys,
        world=lambda store, wishes: fake_world(words("Mara has money."), store=store),
    )
    asked = ["history", "summarise", "c", "--with", "chat", "--turns", "1-1", "--apply"]
    assert run(asked, lambda _: parts) == 1
    told = capsys.readouterr().err
    assert "Asking word-1: 1 request" in told
    assert "--yes" in told
    assert run([*asked, "--yes"], lambda _: parts) == 1
    assert "Refused; nothing was changed. lost from your messages: 100 EUR" in capsys.readouterr().err
    assert tuning(access).summaries == ()
