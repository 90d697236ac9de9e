"""A conversation that was kept and found again makes the same next request, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.history import MemoryHistory
from tests.fakes.kept_turns import SETTINGS, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, open_store, said
from tests.fakes.turns import artifact, assistant, fake_builder, user
from workbench.domain.message import Message
from workbench.domain.turn import Tuning
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.stored_conversation import keep_turn, load_conversation
from workbench.ports.history import HistoryStore


async def play(
    store: HistoryStore, talk: Conversation, question: Message | None, *reply: Message
) -> Conversation:
    built = prepare_turn(talk, Ask(SETTINGS, question), fake_builder()).built
    return await keep_turn(store, talk, built, reply, WHEN)


@in_loop
async def test_the_next_request_is_the_one_it_would_have_been(tmp_path: Path):
    store = open_store(tmp_path / "history.db")
    await store.create_chat(chat())
    talk = Conversation(
        "c", attached=(artifact("a.md", "text " * 60),), tuning=Tuning(pinned=frozenset({"a1"}))
    )
    talk = await play(store, talk, user("u1", "What is it?"), assistant("a1", "A file."))
    talk = await play(store, talk, None)
    talk = await play(store, talk, user("u2", "Thanks."))
    await store.close()
    again = open_store(tmp_path / "history.db")
    found = await load_conversation(again, "c")
    await again.close()
    ask = Ask(SETTINGS, user("u3"))
    then = [prepare_turn(one, ask, fake_builder()) for one in (talk, found)]
    assert bytes_of(found) == bytes_of(talk)
    assert bytes_of(then[0].report) == bytes_of(then[1].report)


@in_loop
async def test_a_turn_is_kept_with_what_was_attached_and_answered():
    store = MemoryHistory()
    await store.create_chat(chat())
    talk = Conversation("c", attached=(artifact("a.md"),))
    await play(
        store, talk, user("u1"), assistant("a1", "", "c1"), Message("t1", "tool", ("r",), tool_call_id="c1")
    )
    path = await store.path("c")
    assert [(one.id, one.parent, one.attached) for one in path] == [
        ("u1", None, ("a.md",)), ("a1", "u1", ()), ("t1", "a1", ()),
    ]  # fmt: skip
    turn = await store.last_turn("c")
    assert turn is not None
    assert (turn.number, turn.question, turn.state, turn.finished_utc) == (1, "u1", "complete", WHEN)
    assert [entry.key for entry in turn.after.library] == ["a.md"]
    assert await store.attached("c") == talk.attached


class Failing(MemoryHistory):
    """Refuses answers, as a full disk does at the wrong moment."""

    async def finish_turn(self, *given: object) -> None:
        """Always refused."""
        raise OSError("full")

    async def append(self, records: object) -> None:
        """Only one at a time."""
        if len(records) > 1:  # type: ignore[arg-type]
            raise OSError("full")
        await super().append(records)  # type: ignore[arg-type]


@in_loop
async def test_a_turn_whose_answer_was_not_kept_is_not_complete():
    """A question that stands there answered with nothing would be shown as if the model had said nothing."""
    store = Failing()
    await store.create_chat(chat())
    with pytest.raises(OSError, match="full"):
        await play(store, Conversation("c"), user("u1"), assistant("a1"), assistant("a2"))
    turn = await store.last_turn("c")
    assert turn is not None
    assert turn.state == "running"


@in_loop
async def test_each_branch_has_its_own_standing():
    store = MemoryHistory()
    await store.create_chat(chat())
    first = await play(store, Conversation("c"), user("u1"), assistant("a1"))
    await play(store, first, user("u2"), assistant("a2"))
    await store.append([said("v2", "Another way", "a1")])
    other = await load_conversation(store, "c")
    assert [entry.id for entry in other.history] == ["u1", "a1", "v2"]
    assert other.turn == 1
    assert other.previous is not None
    assert other.previous.inputs.question == user("u1")


@in_loop
async def test_a_chat_that_never_asked_is_empty():
    store = MemoryHistory()
    await store.create_chat(chat())
    assert await load_conversation(store, "c") == Conversation("c")
