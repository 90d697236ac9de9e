"""Answers that are begun, ended and given again: facts of every HistoryStore."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import pytest

from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, said
from tests.fakes.turns import assistant, result, user
from workbench.domain.errors import NotKept
from workbench.domain.message import Message, Thought
from workbench.domain.record import Chat, Record, TurnRecord, TurnState
from workbench.ports.history import HistoryStore

QUESTION = user("q", "question " * 20)
ENDINGS = [state for state in get_args(TurnState) if state != "running"]


def answer(key: str, text: str = "an answer", parent: str = "q", state: TurnState = "complete") -> Record:
    return Record("c", assistant(key, text), WHEN, parent, state=state)


async def asking(store: HistoryStore) -> TurnRecord:
    """A chat with one question, whose turn is running."""
    await store.create_chat(chat())
    turn = built_turn(QUESTION)
    await store.begin_turn(turn, asked(QUESTION))
    return turn


def ended(turn: TurnRecord, state: TurnState = "complete") -> TurnRecord:
    return replace(turn, state=state, usage={"in": 1}, finished_utc=WHEN)


async def answered(store: HistoryStore, turn: TurnRecord, *replies: Record) -> None:
    await store.finish_turn(ended(turn), replies)


@in_loop
async def test_a_question_is_answered_again_beside_the_first_answer(store: HistoryStore):
    turn = await asking(store)
    await answered(store, turn, answer("a1"))
    again = replace(turn, started_utc="2026-01-01T13:00:00Z")
    await store.begin_turn(again, None)
    assert (await store.chat("c")).leaf == "a1"
    await answered(store, again, answer("a2", "another answer"))
    assert [one.id for one in await store.siblings("c", "a1")] == ["a1", "a2"]
    assert [one.id for one in await store.path("c")] == ["q", "a2"]
    expected = [replace(ended(turn), reply="a1"), replace(ended(again), reply="a2")]
    assert bytes_of(await store.turns("c")) == bytes_of(expected)
    assert bytes_of(await store.turn("c", "q")) == bytes_of(expected[1])


@in_loop
async def test_each_answer_has_the_turn_that_led_to_it(store: HistoryStore):
    turn = await asking(store)
    await answered(store, turn, answer("a1"))
    await store.begin_turn(turn, None)
    await answered(store, turn, answer("a2"))
    await store.append([said("n1", "and then?", "a1"), said("n2", "and then?", "a2")])
    for leaf, reply in (("a1", "a1"), ("a2", "a2"), ("n1", "a1"), ("n2", "a2")):
        found = await store.last_turn("c", leaf)
        assert found is not None
        assert found.reply == reply
    assert await store.last_turn("c", "q") is None


@pytest.mark.parametrize("state", ENDINGS)
@in_loop
async def test_a_turn_without_an_answer_counts_all_the_same(store: HistoryStore, state: TurnState):
    turn = await asking(store)
    await store.finish_turn(ended(turn, state), [])
    found = await store.last_turn("c")
    assert found is not None
    assert (found.state, found.reply) == (state, None)
    await store.begin_turn(turn, None)
    found = await store.turn("c", "q")
    assert found is not None
    assert found.state == "running"


@in_loop
async def test_a_question_is_not_answered_twice_at_the_same_time(store: HistoryStore):
    turn = await asking(store)
    with pytest.raises(NotKept, match="being answered"):
        await store.begin_turn(turn, None)
    assert len(await store.turns("c")) == 1
    await answered(store, turn)
    with pytest.raises(NotKept, match="no running turn"):
        await answered(store, turn, answer("late"))
    assert [one.id for one in await store.path("c")] == ["q"]


@in_loop
async def test_what_was_begun_is_ended_and_the_rest_is_added(store: HistoryStore):
    turn = await asking(store)
    await store.append([answer("a1", "half", state="running")])
    found = await store.turn("c", "q")
    assert found is not None
    # Known from its first word on: should the program be killed now, the answer is not lost to its turn.
    assert found.reply == "a1"
    tool = Record("c", result("t1", "call"), WHEN, "a1")
    await store.append([tool])
    grown = answer("a2", "more", "t1", state="running")
    await store.append([grown])
    await answered(store, turn, answer("a2", "more than half", "t1"), answer("a3", "the end", "a2"))
    path = await store.path("c")
    assert [(one.id, one.state) for one in path] == [
        ("q", "complete"), ("a1", "running"), ("t1", "complete"), ("a2", "complete"), ("a3", "complete"),
    ]  # fmt: skip
    found = await store.last_turn("c")
    assert found is not None
    assert (found.state, found.reply) == ("complete", "a1")


@in_loop
async def test_the_last_reply_comes_into_view_even_if_it_was_there_before(store: HistoryStore):
    turn = await asking(store)
    await store.append([answer("a1", "half", state="running")])
    await store.append([said("v", "another question")])
    assert (await store.chat("c")).leaf == "v"
    await answered(store, turn, answer("a1", "whole"))
    assert (await store.chat("c")).leaf == "a1"
    assert [one.entry for one in await store.path("c")] == [QUESTION, assistant("a1", "whole")]


@in_loop
async def test_a_finished_message_is_not_ended_again(store: HistoryStore):
    turn = await asking(store)
    await store.append([answer("a1", "whole")])
    with pytest.raises(NotKept):
        await answered(store, turn, answer("a1", "changed"))
    found = await store.turn("c", "q")
    assert found is not None
    assert found.state == "running"
    assert [one.entry for one in await store.path("c")] == [QUESTION, assistant("a1", "whole")]


@in_loop
async def test_the_request_is_kept_as_it_was_last_sent(store: HistoryStore):
    """A turn with tools makes several requests; the last is the one whose cache and cost the next turn builds on."""
    turn = await asking(store)
    rounds = (
        replace(assistant("a1", "", "c1"), thinking=(Thought("hm " * 40, "signature " * 9), Thought("so"))),
        result("t1", "c1", "found " * 30),
    )
    built = built_turn(QUESTION, rounds=rounds).built
    assert [(one.id, one.role) for one in built.envelope.messages] == [
        ("system", "system"), ("q", "user"), ("a1", "assistant"), ("t1", "tool"),
    ]  # fmt: skip
    last = replace(ended(turn), built=built)
    replies = [
        Record("c", rounds[0], WHEN, "q"),
        Record("c", rounds[1], WHEN, "a1"),
        answer("a2", "so", "t1"),
    ]
    await store.finish_turn(last, replies)
    expected = replace(last, reply="a1")
    for found in (await store.turn("c", "q"), await store.last_turn("c"), *(await store.turns("c"))):
        assert found is not None
        assert bytes_of(found) == bytes_of(expected)
        assert [one.content for one in found.built.envelope.messages] == [
            one.content for one in built.envelope.messages
        ]
    archive = await store.archive("c")
    await store.save_chat(replace(archive.chat, deleted_utc=WHEN))
    await store.purge()
    await store.adopt(archive)
    assert bytes_of(await store.last_turn("c")) == bytes_of(expected)


@in_loop
async def test_thoughts_come_back_as_they_were(store: HistoryStore):
    """A provider that signs its thoughts refuses them when a byte has changed."""
    await store.create_chat(chat())
    thinking = (Thought("\ud800 first " * 30, "sig\x00nature=="), Thought(""), Thought("no signature"))
    whole = Message("a", "assistant", ("said",), thinking=thinking)
    await store.append([Record("c", replace(whole, thinking=thinking[:1]), WHEN, state="running")])
    assert (await store.path("c"))[0].entry == replace(whole, thinking=thinking[:1])
    await store.update(Record("c", whole, WHEN))
    assert (await store.path("c"))[0].entry == whole


@in_loop
async def test_notes_about_a_message_can_change_when_it_is_finished(store: HistoryStore):
    await store.create_chat(chat())
    record = replace(said("m", "text"), metadata={"old": 1}, hints={"tone": "dry"}, attached=("a.md",))
    await store.append([record])
    await store.annotate("c", "m", lambda noted: {**noted, "undone": True, "note": "\ud800 " + "long " * 30})
    (found,) = await store.path("c")
    assert found.metadata == {"old": 1, "undone": True, "note": "\ud800 " + "long " * 30}
    assert replace(found, metadata={}, sequence=0) == replace(record, metadata={})
    with pytest.raises(NotKept, match="nobody"):
        await store.annotate("c", "nobody", lambda noted: noted)


@in_loop
async def test_what_is_left_of_a_purged_answer_is_the_answer(store: HistoryStore):
    turn = await asking(store)
    first = Record("c", assistant("a1", "", "c1"), WHEN, "q")
    await answered(store, turn, first, Record("c", result("t1", "c1"), WHEN, "a1"), answer("a2", "so", "t1"))
    for gone, reply in (("a1", "t1"), ("t1", "a2"), ("a2", None)):
        await store.delete_message("c", gone, WHEN)
        await store.purge()
        found = await store.last_turn("c")
        assert found is not None
        assert found.reply == reply


@in_loop
async def test_a_purged_second_answer_takes_its_turn_along(store: HistoryStore):
    """Left behind without an answer, the turn would count for the branch of the first one."""
    turn = await asking(store)
    await answered(store, turn, answer("a1"))
    await store.begin_turn(turn, None)
    await answered(store, turn, answer("a2"), said("n2", "and then?", "a2"))
    await store.delete_message("c", "a2", WHEN)
    found = await store.last_turn("c", "a1")
    assert found is not None
    assert found.reply == "a1"
    await store.purge()
    assert [one.reply for one in await store.turns("c")] == ["a1"]
    assert (await store.verify()).problems == ()


@in_loop
async def test_a_hidden_answer_still_tells_its_branch(store: HistoryStore):
    turn = await asking(store)
    await answered(store, turn, answer("a1"), said("n1", "and then?", "a1"))
    await store.delete_message("c", "a1", WHEN)
    found = await store.last_turn("c")
    assert found is not None
    assert found.reply == "a1"


@in_loop
async def test_changes_of_a_chat_do_not_overtake_each_other(store: HistoryStore):
    """Read, changed and written in three steps, the last one took back the others, and the branch in view with them."""
    await store.create_chat(chat())

    def adding(number: int) -> Callable[[Chat], Chat]:
        return lambda kept: replace(kept, parameters={**kept.parameters, f"p{number}": number})

    await asyncio.gather(*(store.change_chat("c", adding(number)) for number in range(5)))
    assert (await store.chat("c")).parameters == {f"p{number}": number for number in range(5)}
    with pytest.raises(NotKept):
        await store.change_chat("nobody", adding(1))
