"""Chats opened, used and closed at random: nothing of a closed chat is held, goes on, or is told of.

Only a turn goes on, and is told of, until it ends.
"""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from random import Random  # noqa: TID251 - seeded
from typing import Any

import pytest

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.chat_model import words
from tests.fakes.effort import tries
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import until
from tests.fakes.pictures import png
from tests.fakes.virtual_time import in_virtual_time
from workbench.domain.errors import StoreFull, WorkbenchError
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import HistorySettings
from workbench.engine.attaching_intents import CompareFile, Complete, ShowParts
from workbench.engine.events import ChatClosed, ChatLoaded, EnvelopeBuilt, Event, TurnEnded, TurnEvent
from workbench.engine.intents import (
    AttachFiles,
    AttachPicture,
    ChangeSettings,
    CloseChat,
    CompareLayouts,
    CompareTurns,
    DetachArtifacts,
    EditDraft,
    EditInPlace,
    Intent,
    OpenChat,
    OpenTurn,
    PriceStep,
    RegenerateAnswer,
    SendMessage,
    StopTurn,
    TrySettings,
)
from workbench.engine.open_chat.chat import ChatInView
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.state import WorkbenchState
from workbench.engine.tuning_intents import AskPriorities, LookAtQuote
from workbench.engine.workbench import Workbench

CHATS = ("talk one", "talk two", "talk three")
FILES = {"notes.md": "one\ntwo\nthree\n", "spec.md": "# Top\nApples.\n# End\nTurbines.\n"}
WORDS = (
    "",
    "apples",
    "apples and turbines",
    "see @notes.md",
    "see @spec.md#L1-2 too",
    "@sp",
    "@read notes.md",
)
PICTURES = png(8, 8, b"apples"), png(8, 8, b"turbines")
RECALLING = replace(SETTINGS, history=HistorySettings(last_n_messages=2, recall=True, recall_chats=True))
LONGEST = 12
"""Messages of a chat, after which its last answer is asked for again: a longer one takes longer to build."""
ROUND = 50
LATEST_S = 30.0
STORED = ("store", "attachments", "models")


class Told:
    """Notes every event that is about a chat after it was closed and before it is opened again."""

    def __init__(self) -> None:
        self.late: list[Event] = []
        self._closed: set[str] = set()

    def __call__(self, event: Event, _state: WorkbenchState) -> None:
        if isinstance(event, ChatLoaded):
            self._closed.discard(event.chat.id)
        elif isinstance(event, ChatClosed):
            self._closed.add(event.chat)
        elif not isinstance(event, TurnEvent) and getattr(event, "chat", None) in self._closed:
            self.late.append(event)


def wishes(random: Random, bench: Bench, chat: str) -> Intent:
    """Something that a person may do in an open chat."""
    records = bench.workbench.state.open[chat].records
    files = sorted(FILES)
    tuned = replace(SETTINGS, system_prompt=random.choice(("Be kind.", "Be brief.")))
    made: tuple[Callable[[], Intent], ...] = (
        lambda: EditDraft(chat, random.choice(WORDS)),
        lambda: EditDraft(chat, random.choice(WORDS)),
        lambda: AttachFiles(chat, tuple(random.sample(files, random.randint(1, 2)))),
        lambda: DetachArtifacts(chat, (random.choice(files),)),
        lambda: ShowParts(chat, random.choice(("", *files))),
        lambda: CompareFile(chat, random.choice(("", *files))),
        lambda: LookAtQuote(chat, random.choice(records).id),
        lambda: TrySettings(chat, random.choice((None, tuned))),
        lambda: PriceStep(chat, "step", random.choice(((), (ChangeSettings(chat, tuned),)))),
        lambda: OpenTurn(chat, random.choice((None, 1, 2))),
        lambda: CompareTurns(chat, random.choice((None, 1)), random.choice((None, 2))),
        lambda: CompareLayouts(chat),
        lambda: Complete(chat, random.choice(("@", "@no", "@spec.md#", "no name"))),
        lambda: EditInPlace(chat, records[0].id, random.choice((None, "One @spec.md?", "Other."))),
        lambda: AskPriorities(chat),
        lambda: AttachPicture(chat, random.choice(PICTURES)),
        lambda: ChangeSettings(chat, random.choice((SETTINGS, RECALLING))),
        lambda: EditDraft(chat, "What did we say about apples?"),
        lambda: turn(random, bench, chat),
        lambda: turn(random, bench, chat),
    )
    return random.choice(made)()


def turn(random: Random, bench: Bench, chat: str) -> Intent:
    """A question, asked while the chat is short; later the last answer again. One that is running is stopped."""
    opened = bench.workbench.state.open[chat]
    if opened.running is not None:
        return StopTurn(chat)
    if len(opened.records) < LONGEST:
        return SendMessage(chat, opened.draft or random.choice(WORDS) or "So?", drafted=bool(opened.draft))
    asked = [one.id for one in opened.records if isinstance(one.entry, Message) and one.entry.role == "user"]
    return RegenerateAnswer(chat, asked[-1])


async def step(random: Random, bench: Bench) -> None:
    """One thing that a person does, then a moment in which some of what it began goes on."""
    chat, open_now = random.choice(CHATS), bench.workbench.state.open
    what: Intent
    if chat not in open_now:
        what = OpenChat(chat)
    elif random.random() < 0.15:
        what = CloseChat(chat)
    else:
        what = wishes(random, bench, chat)
    doing = bench.world.tasks.start("wish", done(bench, what))
    if not isinstance(what, OpenChat) or random.random() < 0.7:
        await doing  # else it may be closed while it is read
    if random.random() < 0.7:
        await asyncio.sleep(random.choice((0.0, 0.01, 0.1, 0.3, 0.7, 3.0)))


async def done(bench: Bench, intent: Intent) -> None:
    with suppress(WorkbenchError):
        await bench.workbench.dispatch(intent)


async def all_closed(bench: Bench) -> None:
    """End all edits, whose words outlive the view, and close everything; what is left has half a minute to end."""
    for chat in CHATS:
        for edit in tuple(bench.workbench._open._edited.get(chat, ())):
            await bench.workbench.dispatch(OpenChat(chat), EditInPlace(chat, edit, None))
        if chat in bench.workbench._open._open:
            await bench.workbench.dispatch(CloseChat(chat))
    await asyncio.sleep(LATEST_S)


def held(
    thing: object, path: str = "workbench", seen: set[int] | None = None
) -> Iterator[tuple[str, object]]:
    """Every container that the engine holds, by the path of attributes that leads to it."""
    seen = set() if seen is None else seen
    if id(thing) in seen or isinstance(thing, str | bytes | int | float | type):
        return
    seen.add(id(thing))
    if isinstance(thing, dict | set | list | tuple):
        if not isinstance(thing, tuple):
            yield path, thing
        for one in (*thing.values(), *thing.keys()) if isinstance(thing, dict) else thing:
            yield from held(one, f"{path}[]", seen)
    elif type(thing).__module__.startswith("workbench.engine"):
        for name in attributes(thing):
            if name not in STORED and hasattr(thing, name):
                yield from held(getattr(thing, name), f"{path}.{name}", seen)


def attributes(thing: object) -> list[str]:
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*getattr(thing, "__dict__", ()), *slots]


def about_chats(workbench: Workbench) -> list[str]:
    """The containers that hold the id of a chat."""

    def names(thing: Any) -> bool:
        return any(isinstance(one, str) and one in CHATS for one in thing)

    return [path for path, thing in held(workbench) if names(thing)]


def objects_of_chats() -> int:
    gc.collect()
    return sum(isinstance(one, ChatInView | ChatScope) for one in gc.get_objects())


def kinds_of_turns(bench: Bench) -> set[str]:
    """What there was among the turns: if something never is, nothing is said about it."""
    kinds = {"whole" if one.outcome.state == "complete" else "stopped" for one in bench.told(TurnEnded)}
    open_now: set[str] = set()
    for event in bench.events:
        if isinstance(event, ChatLoaded):
            open_now.add(event.chat.id)
        elif isinstance(event, ChatClosed):
            open_now.discard(event.chat)
        elif isinstance(event, TurnEnded) and event.chat not in open_now:
            kinds.add("unseen")
    for sent in (one.prepared.built for one in bench.told(EnvelopeBuilt)):
        if sent.inputs.question is not None and sent.inputs.question.images:
            kinds.add("with pictures")
        if any(segment.kind == "recalled" for segment in sent.envelope.layer("L3_TURN").segments):
            kinds.add("with what was recalled")
    return kinds


async def spoken_bench() -> Bench:
    """Three chats, each with two turns."""
    answers = [*[words("So.")] * (2 * len(CHATS)), [2.0, *words("Apples and turbines.")]]
    bench = fake_bench(*answers, attachments=MemoryAttachments(FILES))
    for chat in CHATS:
        await bench.start(chat, RECALLING)
        await bench.do(SendMessage(chat, "One?"))
        await bench.do(SendMessage(chat, "Two apples?"))
    await all_closed(bench)
    return bench


@in_virtual_time
async def test_after_everything_is_closed_nothing_is_held_goes_on_or_is_told():
    before = objects_of_chats()
    bench = await spoken_bench()
    random, told = Random(20260101), Told()
    bench.workbench.subscribe(told)
    listening = len(bench.workbench._states._listeners)
    done_in: set[str] = set()
    for _ in range(tries(2000) // ROUND + 1):
        for _ in range(ROUND):
            await step(random, bench)
        await until(lambda: not bench.world.tasks.is_at("wish"))
        for chat in CHATS:
            await bench.workbench.until_ended(chat)
        await all_closed(bench)
        assert [task.get_name() for task in bench.world.tasks._running] == []
        assert told.late == []
        assert about_chats(bench.workbench) == []
        done_in |= kinds_of_turns(bench)
        bench.events.clear()
        assert objects_of_chats() == before
    assert done_in == {"whole", "stopped", "unseen", "with pictures", "with what was recalled"}
    # What all chats share may listen from the first look on.
    assert len(bench.workbench._states._listeners) <= listening + 1
    await bench.workbench.close()


@in_virtual_time
async def test_the_walk_finds_what_is_held_of_an_open_chat():
    """If it went past it, the test above would pass by having nothing to find."""
    bench = await spoken_bench()
    assert about_chats(bench.workbench) == []
    await bench.workbench.dispatch(OpenChat(CHATS[0]))
    assert "workbench._open._open" in about_chats(bench.workbench)
    await bench.workbench.close()


@in_virtual_time
async def test_what_is_kept_of_a_chat_goes_when_it_is_closed_not_with_the_garbage():
    """Its requests stood in a ring: 60 MB of a long chat waited for a full collection, which may be minutes away."""
    bench = await spoken_bench()
    await bench.workbench.dispatch(OpenChat(CHATS[0]))
    await asyncio.sleep(LATEST_S)
    opened = bench.workbench._open.at(CHATS[0])
    kept = [weakref.ref(one) for one in (opened, opened.asking, opened.asking.requests)]
    del opened
    gc.collect()
    gc.disable()
    try:
        await bench.workbench.dispatch(CloseChat(CHATS[0]))
        await asyncio.sleep(LATEST_S)
        assert [one() for one in kept] == [None] * 3
    finally:
        gc.enable()
    await bench.workbench.close()


@in_virtual_time
async def test_a_chat_is_shown_before_its_counts_are_read_and_its_request_after(
    monkeypatch: pytest.MonkeyPatch,
):
    """Words typed meanwhile would have all texts counted, by a tokenizer that takes a while to load."""
    bench = await spoken_bench()
    read = bench.world.store.counts
    seen: list[tuple[bool, bool]] = []

    async def counts(encoding: str, digests: Collection[bytes]) -> Mapping[bytes, int]:
        await bench.workbench.dispatch(EditDraft(CHATS[0], "apples"))
        state = bench.workbench.state.open[CHATS[0]]
        seen.append((bool(state.records), state.view is None))
        return await read(encoding, digests)

    monkeypatch.setattr(bench.world.store, "counts", counts)
    await bench.workbench.dispatch(OpenChat(CHATS[0]))
    assert seen == [(True, True)]
    assert bench.workbench.state.open[CHATS[0]].view is not None
    await bench.workbench.close()


@in_virtual_time
async def test_a_chat_whose_steps_cannot_be_read_has_a_next_request_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
):
    """It waited for counts that nobody would read any more, whatever was typed."""
    bench = await spoken_bench()

    async def steps(chat: str) -> tuple[()]:
        raise StoreFull("test")

    monkeypatch.setattr(bench.world.store, "steps", steps)
    with suppress(WorkbenchError):
        await bench.workbench.dispatch(OpenChat(CHATS[0]))
    await bench.workbench.dispatch(EditDraft(CHATS[0], "apples"))
    await until(lambda: bench.workbench.state.open[CHATS[0]].view is not None)
    await bench.workbench.close()
