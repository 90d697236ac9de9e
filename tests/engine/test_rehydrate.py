"""An imported chat gets the library it never had, and goes on as if it had been held here."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.history import MemoryHistory
from tests.fakes.kept_turns import SETTINGS, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat
from tests.fakes.turns import artifact, assistant, fake_builder, system, user
from workbench.domain.chunk import SystemChunk
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.record import Record, Snapshot
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.stored_conversation import load_conversation, rehydrate

HELD = (
    (user("u1", "What is it?"), assistant("a1", "A file."), {"a.md": "first"}),
    (user("u2", "And that?"), assistant("a2", "Another."), {"a.md": "first", "b.md": "second"}),
    (user("u3", "Changed."), assistant("a3", "I see."), {"a.md": "edited"}),
)


def moment(number: int) -> str:
    return f"2026-01-01T12:0{number}:00Z"


def live() -> Conversation:
    """The conversation as it was held here."""
    talk = Conversation("c")
    for question, answer, files in HELD:
        talk = replace(talk, attached=files_of(files))
        built = prepare_turn(talk, Ask(SETTINGS, question), fake_builder()).built
        talk = after_turn(talk, built, (answer,))
    return talk


def files_of(files: dict[str, str]) -> tuple[Artifact, ...]:
    return tuple(artifact(key, text) for key, text in files.items())


async def imported() -> MemoryHistory:
    """The same, come from elsewhere: messages and snapshots, no requests."""
    store = MemoryHistory()
    await store.create_chat(replace(chat(), settings=SETTINGS))
    parent = None
    for number, (question, answer, files) in enumerate(HELD):
        for one in files_of(files):
            await store.keep_snapshot(Snapshot("c", one, moment(number)))
        keys = tuple(files)
        await store.append([Record("c", question, moment(number), parent, attached=keys)])
        await store.append([Record("c", answer, moment(number), question.id)])
        parent = answer.id
    await store.save_attached("c", files_of(HELD[-1][2]))
    return store


@in_loop
async def test_it_stands_as_if_it_had_been_held_here():
    found = await load_conversation(await imported(), "c")
    assert found.library == live().library
    assert [entry.key for entry in found.library] == ["a.md", "b.md"]
    assert bytes_of(found) == bytes_of(replace(live(), previous=None, held=(), times=found.times))


@in_loop
async def test_the_next_request_is_the_same():
    found = await load_conversation(await imported(), "c")
    reports = [prepare_turn(one, Ask(SETTINGS, user("u4")), fake_builder()).report for one in (live(), found)]
    for part in ("messages", "layers", "total_tokens", "included_ids"):
        assert reports[0][part] == reports[1][part]


@in_loop
async def test_a_snapshot_taken_later_is_better_than_none():
    store = MemoryHistory()
    await store.create_chat(chat())
    await store.keep_snapshot(Snapshot("c", artifact("a.md", "late"), moment(5)))
    await store.append([Record("c", user("u1"), moment(1), attached=("a.md", "gone.md"))])
    found = await rehydrate(store, "c", await store.path("c"))
    assert [(entry.key, entry.latest.text) for entry in found.library] == [("a.md", "late")]


@in_loop
async def test_what_stands_before_the_first_question_asks_nothing():
    store = MemoryHistory()
    await store.create_chat(chat())
    said: tuple[Message | SystemChunk, ...] = (
        system("s"),
        SystemChunk("k", "body"),
        assistant("a0"),
        user("u1"),
    )
    parents = (None, *(entry.id for entry in said))
    records = [Record("c", one, moment(0), parent) for one, parent in zip(said, parents, strict=False)]
    await store.append(records)
    found = await rehydrate(store, "c", await store.path("c"))
    assert (found.history, found.turn) == (said, 1)


@in_loop
async def test_a_chat_of_nothing_is_at_its_beginning():
    store = MemoryHistory()
    await store.create_chat(chat())
    assert await rehydrate(store, "c", ()) == Conversation("c")
