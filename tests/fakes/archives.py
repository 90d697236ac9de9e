"""Chats as they are kept: one made by real turns, with branches, snapshots and envelopes; and short ones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from tests.fakes.history import MemoryHistory
from tests.fakes.turns import artifact, assistant, fake_builder, result, selection, user
from workbench.domain.chunk import WorkingFlowChunk
from workbench.domain.message import Entry, Message, Thought
from workbench.domain.record import Chat, ChatArchive, Record, Snapshot
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.turn import Tuning
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.exchange.imported import Fresh, Imported, merged
from workbench.engine.exchange.importing import read_groups
from workbench.engine.stored_conversation import keep_turn
from workbench.ports.exchange_files import NamedFile, named_files

WHEN = "2026-01-01T12:00:00Z"
SETTINGS = ContextSettings(model="word-1", system_prompt="Be brief. " * 20)


def fresh() -> Fresh:
    """What an import is given: a time that stands, ids that count."""
    numbers = count(1)
    return Fresh("2026-02-03T04:05:06Z", lambda: f"id{next(numbers)}")


def import_files(files: Sequence[NamedFile], ids: Fresh) -> Imported:
    """Everything that files hold, at once."""
    return merged(list(read_groups((named_files(*files),), ids)))


def plain_archive(
    *entries: Entry, chat: str = "talk", title: str = "A title", **changes: object
) -> ChatArchive:
    """A chat without branches."""
    parents = (None, *(entry.id for entry in entries))
    records = tuple(
        Record(chat, entry, WHEN, parent, sequence=i + 1, **changes)  # type: ignore[arg-type]
        for i, (entry, parent) in enumerate(zip(entries, parents, strict=False))
    )
    return ChatArchive(Chat(chat, WHEN, title, leaf=parents[-1]), records)


def full_archive(chat: str = "talk") -> ChatArchive:
    """A chat with everything there can be: requests, branches, deleted messages, snapshots, tuning, a draft."""
    return asyncio.run(_full_archive(chat))


async def _answer_again(store: MemoryHistory, chat: str) -> None:
    """Another answer to the first question, which called a tool on its way and was thought about."""
    first = await store.turn(chat, "q1")
    assert first is not None
    thought = replace(
        assistant("b1", "", "d1"), thinking=(Thought("hm " * 40, "signed " * 20), Thought("so"))
    )
    said, question = (thought, result("s1", "d1", "found " * 20)), first.built.inputs.question
    ask = Ask(SETTINGS, question, rounds=said)
    built = prepare_turn(Conversation(chat), ask, fake_builder()).built
    again = replace(first, built=built, state="running", finished_utc=None, usage=None, reply=None)
    await store.begin_turn(again, None)
    records = [Record(chat, said[0], WHEN, "q1"), Record(chat, said[1], WHEN, "b1")]
    records.append(Record(chat, assistant("f1", "another answer"), WHEN, "s1"))
    await store.finish_turn(replace(again, state="complete", usage={"in": 1}, finished_utc=WHEN), records)


async def _full_archive(chat: str) -> ChatArchive:
    store = MemoryHistory()
    await store.create_chat(
        Chat(chat, WHEN, "Everything <b>there</b> is", SETTINGS, {"temperature": 0.5, "long": "x" * 99})
    )
    conversation = Conversation(chat)
    notes, picked = (
        artifact("notes/a.md", "words of a note " * 9, kind="note"),
        selection(text="picked " * 20),
    )
    for number, attached in enumerate([(notes,), (notes, picked), ()], start=1):
        conversation = replace(conversation, attached=attached)
        ask = Ask(SETTINGS, user(f"q{number}", f"question {number} " * 9))
        built = prepare_turn(conversation, ask, fake_builder()).built
        reply = [
            assistant(f"a{number}", "", f"c{number}"),
            result(f"r{number}", f"c{number}"),
            assistant(f"e{number}"),
        ]
        conversation = await keep_turn(store, conversation, built, reply, WHEN)
    await store.append(
        [
            Record(
                chat,
                Message("other", "user", ("first part", "second part")),
                WHEN,
                "e1",
                metadata={"n": "y" * 80},
            ),
            Record(
                chat,
                WorkingFlowChunk("chunk", "did things", "progress_summary"),
                WHEN,
                "other",
                hints={"a": [1]},
            ),
            Record(chat, assistant("gone", "half \ud800 a character"), WHEN, "other", state="stopped"),
        ]
    )
    await _answer_again(store, chat)
    await store.delete_message(chat, "gone", WHEN)
    await store.keep_snapshot(Snapshot(chat, notes, WHEN, b"\x00\xff bytes", WHEN))
    await store.keep_snapshot(Snapshot(chat, notes, WHEN, b"\x00\xff bytes"))
    await store.save_tuning(chat, Tuning(frozenset({"q1"}), frozenset({"e1", "a1"})))
    await store.save_draft(chat, "unfinished")
    await store.save_chat(replace(await store.chat(chat), leaf="e3"))
    return await store.archive(chat)
