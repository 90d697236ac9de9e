"""Recall while somebody types: one look after a pause, in slices, shown when it is there and sent as it is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_loop, until
from tests.fakes.turns import assistant, user
from workbench.domain.errors import NotKept
from workbench.domain.recall import Found, Wanted
from workbench.domain.record import Chat, Record
from workbench.domain.settings.context_settings import HistorySettings
from workbench.domain.workspace import Filed
from workbench.engine.intents import EditDraft, OpenChat, SendMessage
from workbench.engine.open_chat.recall import RecallAhead
from workbench.engine.tasks import Tasks

RULES = replace(SETTINGS, history=HistorySettings(recall=True, last_n_messages=2))
SAID = (
    user("fact", "The spare key lies under the blue stone"),
    assistant("ok", "Noted."),
    *(one for n in range(6) for one in (user(f"u{n}", f"river {n}"), assistant(f"a{n}", f"long {n}"))),
)


def quoted(bench: Bench) -> tuple[Found, ...]:
    """What comes back in the request that is shown."""
    prepared = bench.workbench.state.open["talk"].prepared
    return () if prepared is None else prepared.built.inputs.found


class Counted:
    """Says what it was told to, and remembers what it was asked → ContextProvider."""

    def __init__(self, *found: Found) -> None:
        self.found, self.asked = found, list[str]()

    async def context(self, wanted: Wanted) -> Sequence[Found]:
        """What it was told."""
        self.asked.append(wanted.question)
        return self.found


@in_loop
async def test_many_keys_are_one_look_and_what_is_known_stays_until_it_is_over():
    provider, tasks, told = Counted(Found("a", 1.0)), Tasks(lambda name, error: None), list[str]()
    ahead = RecallAhead((provider,), tasks, lambda: told.append("news"))
    for end in range(1, 6):
        assert ahead.found(Wanted("talk", "where"[:end], RULES)) == ()
        await asyncio.sleep(0)
    await until(lambda: bool(told))
    assert provider.asked == ["where"]
    assert ahead.found(Wanted("talk", "where", RULES)) == (Found("a", 1.0),)
    assert ahead.found(Wanted("talk", "where i", RULES)) == (Found("a", 1.0),)
    assert ahead.found(Wanted("talk", "", RULES)) == ()


@in_loop
async def test_what_was_typed_and_taken_back_is_not_looked_for():
    provider, tasks = Counted(Found("a", 1.0)), Tasks(lambda name, error: None)
    ahead = RecallAhead((provider,), tasks, lambda: None)
    for question in ("apples", "turbines", "apples"):
        ahead.found(Wanted("talk", question, RULES))
        if question == "apples":
            await until(lambda: not tasks.is_at("recall"))
    assert provider.asked == ["apples"]


@in_loop
async def test_a_draft_shows_what_comes_back_and_that_is_sent():
    bench = fake_bench()
    await bench.world.store.create_chat(Chat("talk", "2026-01-01T08:00:00Z", settings=RULES))
    parent = None
    for message in SAID:
        await bench.world.store.append([Record("talk", message, "2026-01-01T08:00:00Z", parent)])
        parent = message.id
    question = "Where is the spare key?"
    await bench.workbench.dispatch(OpenChat("talk"), EditDraft("talk", question))
    await until(lambda: bool(quoted(bench)))
    state = bench.workbench.state.open["talk"]
    assert state.prepared is not None
    shown = state.prepared.built.envelope.messages[-1].content
    assert "> user, turn 1: The spare key lies under the blue stone\n" in shown
    assert state.view is not None
    rows = [row for layer in state.view.layers for row in layer.rows if row.kind == "recalled"]
    assert [(row.key.id, row.first_turn, row.state) for row in rows] == [
        ("fact", 1, "recalled"),
        ("ok", 1, "recalled"),
    ]
    await bench.do(SendMessage("talk", question, drafted=True))
    (turn,) = await bench.world.store.turns("talk")
    assert turn.built.envelope.messages[-1].content == shown
    assert [one.id for one in turn.built.inputs.found] == ["fact", "ok"]


@in_loop
async def test_a_provider_that_cannot_look_keeps_no_question_back(monkeypatch: pytest.MonkeyPatch):
    bench = fake_bench()
    store, now = bench.world.store, "2026-01-01T08:00:00Z"
    rules = replace(RULES, history=replace(RULES.history, recall_chats=True))
    for chat, said in (("talk", SAID), ("old", SAID[:1])):
        await store.create_chat(Chat(chat, now, settings=rules, filed=Filed("home")))
        for parent, message in zip((None, *said), said, strict=False):
            await store.append([Record(chat, message, now, None if parent is None else parent.id)])
    real = store.path

    async def path(chat: str, *more: str) -> tuple[Record, ...]:
        if chat == "old":
            raise NotKept("It cannot be read.")
        return await real(chat, *more)

    monkeypatch.setattr(store, "path", path)
    question = "Where is the spare key?"
    await bench.workbench.dispatch(OpenChat("talk"), EditDraft("talk", question))
    await until(lambda: bool(quoted(bench)))
    await bench.do(SendMessage("talk", question, drafted=True))
    (turn,) = await store.turns("talk")
    assert [one.id for one in turn.built.inputs.found] == ["fact", "ok"]
