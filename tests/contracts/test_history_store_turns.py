"""Turns, envelopes and whole chats: facts of every HistoryStore."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, said
from tests.fakes.turns import artifact, assistant, selection, user
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.errors import NotKept
from workbench.domain.message import Entry
from workbench.domain.record import ChatArchive, Record, Snapshot, TurnRecord
from workbench.domain.turn import Tuning
from workbench.engine.exchange.soundness import renamed
from workbench.ports.history import HistoryStore

FILES = (artifact("a.md", "text " * 60), selection(text="picked"))


async def ask(store: HistoryStore, key: str, history: list[Entry], number: int) -> TurnRecord:
    """A question with its request, and its answer; both are added to the history."""
    question, answer = user(key, f"question {key} " * 8), assistant(f"a-{key}", f"answer {key} " * 8)
    turn = built_turn(question, history, FILES, number)
    parent = history[-1].id if history else None
    await store.begin_turn(turn, asked(question, parent, attached=("a.md",)))
    ended = replace(turn, state="complete", usage={"in": number}, finished_utc=WHEN)
    await store.finish_turn(ended, [Record("c", answer, WHEN, key)])
    history += [question, answer]
    return replace(ended, reply=answer.id)


@in_loop
async def test_a_request_comes_back_byte_for_byte(store: HistoryStore):
    await store.create_chat(chat())
    before: list[Entry] = [user("h1", "x"), EnvironmentChunk("h2", "body " * 30, "tool_result", error="<no>")]
    await store.append([Record("c", before[0], WHEN), Record("c", before[1], WHEN, "h1")])
    kept = [await ask(store, f"q{number}", before, number) for number in (1, 2, 3)]
    assert bytes_of(await store.turns("c")) == bytes_of(kept)
    for one in kept:
        assert one.question is not None
        found = await store.turn("c", one.question)
        assert found is not None
        assert bytes_of(found) == bytes_of(one)
        sent = [(message.role, message.content) for message in found.built.envelope.messages]
        assert sent == [(message.role, message.content) for message in one.built.envelope.messages]
    assert await store.turn("c", "h1") is None


@in_loop
async def test_a_question_and_its_request_are_kept_together(store: HistoryStore):
    await store.create_chat(chat())
    question = user("q1")
    turn = built_turn(question)
    await store.begin_turn(turn, asked(question))
    (record,) = await store.path("c")
    found = await store.turn("c", "q1")
    assert found is not None
    assert (record.entry, found.state, found.finished_utc) == (question, "running", None)
    other = user("q2")
    for wrong, told in (
        (replace(built_turn(other), parent="nobody"), asked(other)),
        (built_turn(other), asked(other, "nobody")),
        (built_turn(other), None),
        (turn, None),
    ):
        with pytest.raises(NotKept):
            await store.begin_turn(wrong, told)
        assert [one.id for one in await store.path("c")] == ["q1"]
        assert len(await store.turns("c")) == 1


@in_loop
async def test_an_ending_and_its_answer_are_kept_together(store: HistoryStore):
    await store.create_chat(chat())
    question = user("q1")
    turn = built_turn(question)
    await store.begin_turn(turn, asked(question))
    ended = replace(turn, state="failed", finished_utc=WHEN)
    for wrong, replies in (
        (replace(ended, question="nobody"), [said("a1", "answer", "q1")]),
        (replace(ended, question=None), [said("a1", "answer", "q1")]),
        (ended, [said("a1", "answer", "q1"), said("a2", "more", "nobody")]),
    ):
        with pytest.raises(NotKept):
            await store.finish_turn(wrong, replies)
        found = await store.turn("c", "q1")
        assert found is not None
        assert (found.state, [one.id for one in await store.path("c")]) == ("running", ["q1"])
    await store.finish_turn(ended, [])
    found = await store.turn("c", "q1")
    assert found is not None
    assert (found.state, found.finished_utc) == ("failed", WHEN)


@in_loop
async def test_each_branch_has_its_last_turn(store: HistoryStore):
    await store.create_chat(chat())
    assert await store.last_turn("c") is None
    history: list[Entry] = []
    first = await ask(store, "q1", history, 1)
    second = await ask(store, "q2", history, 2)
    other = await ask(store, "v2", history[:2], 2)
    assert bytes_of(await store.last_turn("c")) == bytes_of(other)
    assert bytes_of(await store.last_turn("c", "a-q2")) == bytes_of(second)
    assert bytes_of(await store.last_turn("c", "q2")) == bytes_of(first)
    assert bytes_of(await store.last_turn("c", "a-q1")) == bytes_of(first)
    await store.append([said("x1", "imported beside it")])
    assert await store.last_turn("c") is None


@in_loop
async def test_the_newest_turns_are_those_that_were_begun_last(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    kept = [await ask(store, f"q{number}", history, number) for number in (1, 2, 3)]
    # Another branch of the same chat, begun after all of them.
    kept.append(await ask(store, "again", history[:2], 2))
    found = await store.newest_turns("c", 3)
    assert bytes_of(found.begun) == bytes_of(kept[1:])
    assert found.last is found.begun[-1]
    assert bytes_of((await store.newest_turns("c", 9)).begun) == bytes_of(kept)
    # The last one of another branch, whether it is among them or not.
    for number in (1, 4):
        older = (await store.newest_turns("c", number, "a-q3")).last
        assert older is not None
        assert bytes_of(older) == bytes_of(kept[2])
    assert (await store.newest_turns("c", 0)).begun == ()
    question = user("never", "answered")
    turn = built_turn(question, history, FILES, 5)
    await store.begin_turn(turn, asked(question, history[-1].id))
    await store.finish_turn(replace(turn, state="stopped", finished_utc=WHEN), [])
    assert bytes_of((await store.newest_turns("c", 9)).begun) == bytes_of(kept), "it may never have been read"


@in_loop
async def test_the_newest_turns_are_the_same_where_their_path_was_read_already(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    for number in (1, 2, 3):
        await ask(store, f"q{number}", history, number)
    await ask(store, "again", history[:2], 2)
    for leaf in ("a-q3", "a-again"):
        path = await store.path("c", leaf)
        known = await store.newest_turns("c", 3, leaf, path)
        read = await store.newest_turns("c", 3, leaf)
        assert bytes_of(known.begun) == bytes_of(read.begun)
        assert bytes_of(known.last) == bytes_of(read.last)
    await store.delete_message("c", "a-q1", WHEN)  # the path has a gap now
    path = await store.path("c", "a-q3")
    with_gap = (await store.newest_turns("c", 3, "a-q3", path)).begun
    assert bytes_of(with_gap) == bytes_of((await store.newest_turns("c", 3, "a-q3")).begun)


@in_loop
async def test_turns_of_some_questions_are_read_together(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    kept = [await ask(store, f"q{number}", history, number) for number in (1, 2, 3)]
    other = await ask(store, "again", history[:2], 2)
    path = await store.path("c", "a-q3")
    some = [("q3", "a-q3"), ("again", "a-again"), ("gone", "a-gone"), ("q1", "a-gone"), ("q1", None)]
    for known in ((), path):
        found = await store.turns("c", some, known)
        assert bytes_of(found) == bytes_of([kept[2], other, kept[0]])
    assert await store.turns("c", []) == ()


@in_loop
async def test_a_turn_that_asked_nothing_stands_where_it_was_built(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    await ask(store, "q1", history, 1)
    looked = replace(built_turn(None, history, FILES, 2), state="complete")
    await store.begin_turn(looked, None)
    assert bytes_of(await store.last_turn("c")) == bytes_of(looked)
    assert (await store.turns("c"))[1].question is None
    found = await store.last_turn("c", "a-q1")
    assert found is not None
    assert found.question is None
    assert await store.last_turn("c", "q1") is None


@in_loop
async def test_a_purged_question_takes_its_request_along(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    await ask(store, "q1", history, 1)
    await ask(store, "q2", history, 2)
    await store.delete_message("c", "q1", WHEN)
    assert [turn.question for turn in await store.turns("c")] == ["q1", "q2"]
    await store.purge()
    assert [turn.question for turn in await store.turns("c")] == ["q2"]
    assert [one.id for one in await store.path("c")] == ["a-q1", "q2", "a-q2"]


async def fill(store: HistoryStore) -> ChatArchive:
    """A chat with a bit of everything."""
    await store.create_chat(replace(chat("c", "Title"), parameters={"temperature": 0.5}))
    history: list[Entry] = []
    await ask(store, "q1", history, 1)
    await ask(store, "q2", history, 2)
    await store.begin_turn(built_turn(None, history, FILES, 3), None)
    await store.append([said("v2", "edited", "a-q1"), replace(said("g", "grows", "v2"), state="running")])
    await store.append([said("gone", "deleted", "v2")])
    await store.delete_message("c", "gone", WHEN)
    await store.keep_snapshot(Snapshot("c", FILES[0], WHEN, b"\x00bytes", WHEN))
    await store.save_attached("c", FILES)
    await store.save_tuning("c", Tuning(frozenset({"q1"})))
    await store.save_draft("c", "not sent")
    await store.save_chat(replace(await store.chat("c"), leaf="a-q2"))
    return await store.archive("c")


def without_sequences(archive: ChatArchive) -> str:
    records = tuple(replace(record, sequence=0) for record in archive.records)
    snapshots = [(one.artifact, one.content.hex(), one.taken_utc) for one in archive.snapshots]
    return bytes_of(replace(archive, records=records, snapshots=())) + bytes_of(snapshots)


@in_loop
async def test_a_chat_leaves_and_comes_back_the_same(store: HistoryStore):
    archive = await fill(store)
    await store.save_chat(replace(archive.chat, deleted_utc=WHEN))
    await store.purge()
    await store.adopt(archive)
    assert without_sequences(await store.archive("c")) == without_sequences(archive)
    assert [one.id for one in await store.path("c")] == ["q1", "a-q1", "q2", "a-q2"]
    assert (await store.verify()).problems == ()


@in_loop
async def test_a_chat_is_taken_in_whole_or_not_at_all(store: HistoryStore):
    archive = await fill(store)
    with pytest.raises(NotKept):
        await store.adopt(archive)
    assert without_sequences(await store.archive("c")) == without_sequences(archive)
    other = replace(archive.chat, id="d")
    orphans = tuple(replace(record, chat="d", parent="nobody") for record in archive.records)
    with pytest.raises(NotKept):
        await store.adopt(ChatArchive(other, orphans))
    with pytest.raises(NotKept):
        await store.adopt(ChatArchive(other, (), tuple(replace(turn, chat="d") for turn in archive.turns)))
    assert [one.id for one in await store.chats()] == ["c"]


@in_loop
async def test_of_several_chats_each_is_taken_in_whole_or_not_at_all(store: HistoryStore):
    archive = await fill(store)
    whole = [renamed(archive, key) for key in ("d", "e")]
    empty = ChatArchive(replace(chat("f"), title="Nothing yet"))
    orphans = tuple(replace(record, chat="g", parent="nobody") for record in archive.records)
    broken = ChatArchive(replace(archive.chat, id="g"), orphans)
    refusals = await store.adopt_all([whole[0], archive, empty, broken, whole[1]])
    assert [bool(why) for why in refusals] == [False, True, False, True, False]
    assert [one.id for one in await store.chats()] == ["e", "f", "d", "c"]
    for one in (archive, *whole):
        assert without_sequences(await store.archive(one.chat.id)) == without_sequences(one)
    assert await store.adopt_all(()) == ()
    assert (await store.verify()).problems == ()


@in_loop
async def test_a_check_counts_everything(store: HistoryStore):
    await fill(store)
    found = await store.verify()
    assert (found.chats, found.messages, found.turns, found.problems) == (1, 7, 3, ())
