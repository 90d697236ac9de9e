"""A branch from afar: turns without their requests, and messages that have siblings; facts of every HistoryStore."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, said
from tests.fakes.turns import assistant, user
from workbench.domain.errors import NotKept
from workbench.domain.message import Entry
from workbench.domain.record import IMPORTED, Record, TurnLine, TurnRecord, TurnState
from workbench.engine.exchange.soundness import renamed
from workbench.ports.history import HistoryStore

LATER = "2026-01-01T13:00:00Z"


async def ask(
    store: HistoryStore, key: str, history: list[Entry], number: int, reply: str | None = None
) -> TurnRecord:
    """A question that is answered; both are added to the history."""
    question, answer = user(key, f"question {key}"), assistant(reply or f"a-{key}")
    turn = built_turn(question, history, (), number)
    await store.begin_turn(turn, asked(question, history[-1].id if history else None))
    await end(store, turn, answer.id)
    history += [question, answer]
    return turn


async def end(
    store: HistoryStore, turn: TurnRecord, reply: str | None, state: TurnState = "complete"
) -> None:
    replies = [] if reply is None else [Record("c", assistant(reply), WHEN, turn.question)]
    noted = {"in": turn.number, "for": reply}
    await store.finish_turn(replace(turn, state=state, usage=noted, finished_utc=LATER), replies)


async def again(
    store: HistoryStore, turn: TurnRecord, reply: str | None, state: TurnState = "complete"
) -> None:
    """The question is answered once more."""
    await store.begin_turn(replace(turn, started_utc=LATER), None)
    await end(store, turn, reply, state)


async def listed(
    store: HistoryStore, leaf: str | None = None, newest: int | None = None
) -> list[tuple[int, str, str | None]]:
    return [(line.number, line.question, line.reply) for line in await store.turn_lines("c", leaf, newest)]


@in_loop
async def test_a_line_says_how_a_turn_went(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    await ask(store, "q1", history, 1)
    running = built_turn(user("q2"), history, (), 2)
    await store.begin_turn(replace(running, usage={"request": {"n": [1]}}), asked(user("q2"), "a-q1"))
    first, second = await store.turn_lines("c")
    assert first == TurnLine(1, "q1", WHEN, "complete", {"in": 1, "for": "a-q1"}, LATER, "a-q1")
    assert second == TurnLine(2, "q2", WHEN, "running", {"request": {"n": [1]}})
    bare = (replace(first, usage=None), replace(second, usage=None))
    assert await store.turn_lines("c", notes=False) == bare
    assert await store.turn_lines("c", newest=1, notes=False) == bare[1:]
    assert await store.turn_lines("c") == (first, second)


@in_loop
async def test_lines_are_those_of_the_branch_in_the_order_of_its_questions(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    await ask(store, "q1", history, 1)
    await ask(store, "q2", history, 2)
    await ask(store, "v2", history[:2], 2)
    assert await listed(store) == [(1, "q1", "a-q1"), (2, "v2", "a-v2")]
    assert await listed(store, "a-q2") == [(1, "q1", "a-q1"), (2, "q2", "a-q2")]
    assert await listed(store, "a-q1") == [(1, "q1", "a-q1")]


@in_loop
async def test_of_several_answers_the_line_is_that_of_the_one_on_the_branch(store: HistoryStore):
    await store.create_chat(chat())
    turn = await ask(store, "q1", [], 1)
    await again(store, turn, "b")
    assert await listed(store) == [(1, "q1", "b")]
    assert await listed(store, "a-q1") == [(1, "q1", "a-q1")]
    await again(store, turn, None, "failed")
    assert await listed(store) == [(1, "q1", "b")]
    assert await listed(store, "q1") == [(1, "q1", None)]


@in_loop
async def test_the_newest_lines_are_the_last_ones_of_the_list(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    for number in (1, 2):
        await ask(store, f"q{number}", history, number)
    turn = await ask(store, "q3", history, 3)
    await again(store, turn, "b")
    await store.begin_turn(built_turn(user("q4"), history, (), 4), asked(user("q4"), "b"))
    await store.append([said("m", "not asked for", "q4")])
    for leaf in (None, "a-q3", "a-q2", "q1"):
        whole = await listed(store, leaf)
        for newest in range(len(whole) + 2):
            assert await listed(store, leaf, newest) == whole[max(0, len(whole) - newest) :]
    assert await listed(store, None, 2) == [(3, "q3", "b"), (4, "q4", None)]
    await store.delete_message("c", "q4", WHEN)
    assert await listed(store, None, 1) == [(3, "q3", "b")]


@in_loop
async def test_a_turn_that_failed_is_listed_until_it_is_answered(store: HistoryStore):
    await store.create_chat(chat())
    question = user("q1")
    turn = built_turn(question)
    await store.begin_turn(turn, asked(question))
    await end(store, turn, None, "failed")
    assert [line.state for line in await store.turn_lines("c")] == ["failed"]
    await again(store, turn, "a")
    assert [(line.state, line.reply) for line in await store.turn_lines("c")] == [("complete", "a")]


@in_loop
async def test_what_asked_nothing_or_is_deleted_has_no_line(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    await ask(store, "q1", history, 1)
    await store.begin_turn(replace(built_turn(None, history, (), 2), state="complete"), None)
    await ask(store, "q2", history, 3)
    assert await listed(store) == [(1, "q1", "a-q1"), (3, "q2", "a-q2")]
    await store.delete_message("c", "q1", WHEN)
    assert await listed(store) == [(3, "q2", "a-q2")]


@in_loop
async def test_a_chat_without_turns_has_no_lines_and_no_versions(store: HistoryStore):
    await store.create_chat(chat())
    assert (await store.turn_lines("c"), await store.versions("c")) == ((), {})
    await store.append([said("m1", "imported")])
    assert (await store.turn_lines("c"), await store.versions("c")) == ((), {})
    for look in (store.turn_lines, store.versions):
        with pytest.raises(NotKept):
            await look("c", "nobody")


@in_loop
async def test_versions_are_told_of_messages_that_have_any(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    turn = await ask(store, "q1", history, 1)
    await again(store, turn, "b")
    await store.append(
        [said("q2", "more?", "b"), said("v2", "edited", "b"), said("a2", "so", "v2", "assistant")]
    )
    assert await store.versions("c") == {"b": ("a-q1", "b"), "v2": ("q2", "v2")}
    assert await store.versions("c", "a-q1") == {"a-q1": ("a-q1", "b")}
    await store.delete_message("c", "q2", WHEN)
    assert await store.versions("c") == {"b": ("a-q1", "b")}


@in_loop
async def test_first_messages_are_versions_of_each_other_within_their_chat(store: HistoryStore):
    await store.create_chat(chat())
    await store.create_chat(chat("d"))
    await store.append([replace(said("x", "elsewhere"), chat="d")])
    await store.append([said("q1", "one")])
    assert await store.versions("c") == {}
    await store.append([said("v1", "another beginning")])
    assert await store.versions("c") == {"v1": ("q1", "v1")}


@in_loop
async def test_each_turn_of_a_question_is_found_by_its_reply(store: HistoryStore):
    await store.create_chat(chat())
    turn = await ask(store, "q1", [], 1)
    await again(store, turn, "b")
    for reply in ("a-q1", "b"):
        found = await store.turn("c", "q1", reply)
        assert found is not None
        assert (found.reply, (found.usage or {})["for"]) == (reply, reply)
        assert bytes_of(found.built) == bytes_of(turn.built)
    assert await store.turn("c", "q1", "q1") is None
    with pytest.raises(NotKept):
        await store.turn("c", "q1", "nobody")


@in_loop
async def test_what_turns_were_built_from_is_read_without_their_messages(store: HistoryStore):
    """Reading a thousand whole requests would take long, and hold everyone else up."""
    await store.create_chat(chat())
    history: list[Entry] = []
    turns = [await ask(store, key, history, number) for number, key in enumerate(("q1", "q2"), 1)]
    read = await store.turn_inputs("c", [("q2", "a-q2"), ("q1", "a-q1")])
    wanted = [replace(turn.built.inputs, history=(), question=None) for turn in reversed(turns)]
    assert list(read) == wanted
    assert await store.turn_inputs("c", []) == ()


@in_loop
async def test_of_turns_without_a_reply_the_newest_is_read_and_what_is_not_there_is_refused(
    store: HistoryStore,
):
    await store.create_chat(chat())
    turn = built_turn(user("q1"), [], (), 1)
    await store.begin_turn(turn, asked(user("q1"), None))
    await end(store, turn, None, "failed")
    later = replace(turn, built=built_turn(user("q1"), [], (), 2).built)
    await again(store, later, None, "failed")
    (read,) = await store.turn_inputs("c", [("q1", None)])
    assert read.turn == 2
    with pytest.raises(NotKept):
        await store.turn_inputs("c", [("q1", "q1")])
    with pytest.raises(NotKept):
        await store.turn_inputs("c", [("nobody", None)])


@in_loop
async def test_notes_of_all_chats_are_read_in_pieces_the_newest_first(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    for number in range(1, 6):
        await ask(store, f"q{number}", history, number)
    running = built_turn(user("q6"), history, (), 6)
    await store.begin_turn(replace(running, usage={"in": 6}), asked(user("q6"), history[-1].id))
    first = await store.recent_notes(2)
    assert [notes["in"] for _, notes in first] == [5, 4]
    rest = await store.recent_notes(10, first[-1][0])
    assert [notes["in"] for _, notes in rest] == [3, 2, 1]
    assert await store.recent_notes(10, rest[-1][0]) == ()


@in_loop
async def test_notes_that_came_with_an_imported_chat_are_not_among_them(store: HistoryStore):
    await store.create_chat(chat())
    history: list[Entry] = []
    for number in range(1, 3):
        await ask(store, f"q{number}", history, number)
    archive = await store.archive("c")
    (mark, odd) = ({"in": 8, IMPORTED: True}, {"in": 9, IMPORTED: True, "far": 10**400})
    turns = tuple(replace(turn, usage=usage) for turn, usage in zip(archive.turns, (mark, odd), strict=True))
    await store.adopt(renamed(replace(archive, turns=turns), "d"))
    assert [notes["in"] for _, notes in await store.recent_notes(10)] == [2, 1]
    assert [line.usage for line in await store.turn_lines("d")] == [mark, odd]
