"""Turns in their table: the envelope comes back byte for byte, and nothing is kept twice."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, connect, open_store, said
from tests.fakes.turns import artifact, assistant, result, selection, user
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.message import Entry
from workbench.domain.record import Record
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.text import digest_text
from workbench.domain.tool import ToolDefinition
from workbench.storage.chats import turns

HISTORY: tuple[Entry, ...] = (
    user("u1", "first " * 30),
    assistant("a1", "one " * 100, "c1"),
    result("t1", "c1", "found " * 40),
    result("t2", "c9", "nobody asked"),
    assistant("a2", "two " * 100),
    EnvironmentChunk("e1", "body " * 30, "tool_result", name="read", error="<no>"),
    user("u2", "x"),
    user("u3", "two in a row"),
    assistant("a3", "three"),
)
SETTINGS = ContextSettings(
    model=WORD_MODEL.name, system_prompt="Be brief.", context_window=300, reserved_output_tokens=10,
    history=HistorySettings(keep_last_n_assistant=1, threshold=0.5), project_instructions="Use tabs. " * 9,
    tools=(ToolDefinition("read", "Reads a file. " * 9), ToolDefinition("ls")),
)  # fmt: skip
FILES = (
    artifact("a.md", "text " * 60),
    selection(text="picked"),
    artifact("b.py", "code\n" * 20, priority=10),
)


@in_loop
async def test_a_request_comes_back_byte_for_byte(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    parents = (None, *(entry.id for entry in HISTORY))
    await store.append([Record("c", one, WHEN, parents[n]) for n, one in enumerate(HISTORY)])
    question = user("q", "why? " * 20)
    turn = built_turn(question, HISTORY, FILES, settings=SETTINGS)
    assert turn.built.envelope.cuts.trimmed_messages
    assert turn.built.envelope.cuts.repairs
    await store.begin_turn(turn, asked(question, "a3"))
    ended = replace(turn, state="complete", usage={"in": 5}, finished_utc=WHEN, reply="a4")
    await store.finish_turn(replace(ended, reply=None), [said("a4", "because", "q")])
    await store.close()
    again = open_store(tmp_path / "h.db")
    for found in (await again.turn("c", "q"), await again.last_turn("c"), *(await again.turns("c"))):
        assert bytes_of(found) == bytes_of(ended)
        assert found is not None
        assert [message.content for message in found.built.envelope.messages] == [
            message.content for message in turn.built.envelope.messages
        ]
    await again.close()


@in_loop
async def test_a_turn_without_a_question_stands_at_its_place(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    turn = built_turn(None)
    await store.begin_turn(turn, None)
    assert bytes_of(await store.last_turn("c")) == bytes_of(turn)
    await store.append([said("u1", "one"), said("v1", "other")])
    later = built_turn(None, [user("u1", "one")], number=2)
    await store.begin_turn(later, None)
    assert bytes_of(await store.last_turn("c", "u1")) == bytes_of(later)
    assert bytes_of(await store.last_turn("c", "v1")) == bytes_of(turn)
    await store.close()


@in_loop
async def test_the_hundredth_turn_costs_no_more_room_than_the_tenth(tmp_path: Path):
    """Each envelope holds the whole history; kept whole, a chat would grow with the square of its length."""
    store = open_store(tmp_path / "h.db", synchronous="OFF")
    await store.create_chat(chat())
    history: list[Entry] = []
    sizes = []
    for number in range(1, 101):
        # Ids as the program makes them can't be compressed.
        ids = [digest_text(f"{role}{number}")[:32] for role in "ua"]
        question, answer = user(ids[0], f"question {number} " * 10), assistant(ids[1], "so " * 50)
        turn = built_turn(question, history, number=number)
        parent = history[-1].id if history else None
        await store.begin_turn(turn, asked(question, parent))
        await store.finish_turn(turn, [Record("c", answer, WHEN, question.id)])
        history += [question, answer]
        if number % 10 == 0:
            connection = connect(tmp_path / "h.db")
            sizes.append(
                connection.execute(
                    "SELECT sum(length(envelope) + length(inputs) + length(standing)) FROM turn"
                ).fetchone()[0]
            )
            connection.close()
    await store.close()
    grown = [later - earlier for earlier, later in pairwise(sizes)]
    assert max(grown) < 1.6 * min(grown)


@in_loop
async def test_a_request_that_did_not_change_is_not_written_twice(tmp_path: Path):
    """Written again at the end of every turn, a long chat would pay for its history twice."""
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    first, second = user("u1", "one"), user("u2", "two")
    turn = built_turn(first)
    await store.begin_turn(turn, asked(first))
    spoiled = connect(tmp_path / "h.db")
    spoiled.execute("UPDATE turn SET envelope = x'00'")
    spoiled.commit()
    await store.finish_turn(turn, [])
    assert spoiled.execute("SELECT envelope FROM turn").fetchall() == [(b"\x00",)]
    # An equal one may have been made by somebody else, and one of another turn is another one.
    await store.finish_turn(replace(turn, built=replace(turn.built), state="complete"), [])
    assert bytes_of((await store.turns("c"))[0].built) == bytes_of(turn.built)
    other = built_turn(second, [first], number=2)
    await store.begin_turn(other, asked(second, "u1"))
    await store.finish_turn(replace(other, built=turn.built, state="complete"), [])
    found = await store.turn("c", "u2")
    assert found is not None
    assert bytes_of(found.built.envelope) == bytes_of(turn.built.envelope)
    spoiled.close()
    await store.close()


@in_loop
async def test_what_was_written_for_another_turn_is_not_taken_for_this_one(tmp_path: Path):
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    first, second = user("u1", "one"), user("u2", "two")
    early, late = built_turn(first), built_turn(second, number=2)
    await store.begin_turn(early, asked(first))
    await store.begin_turn(late, asked(second))
    await store.finish_turn(replace(early, built=late.built, state="complete"), [])
    found = await store.turn("c", "u1")
    assert found is not None
    assert bytes_of(found.built.envelope) == bytes_of(late.built.envelope)
    await store.close()


@in_loop
async def test_requests_that_are_read_together_share_their_messages_and_what_was_written_is_let_go(
    tmp_path: Path,
):
    """Else each of them is another copy of the chat, as is the request that was written last."""
    store = open_store(tmp_path / "h.db")
    await store.create_chat(chat())
    history: list[Entry] = []
    for number in (1, 2, 3):
        question, answer = user(f"u{number}", "question"), assistant(f"a{number}", "answer")
        turn = built_turn(question, history, number=number)
        await store.begin_turn(turn, asked(question, history[-1].id if history else None))
        await store.finish_turn(replace(turn, state="complete"), [Record("c", answer, WHEN, question.id)])
        history += [question, answer]
    earlier, later = (turn.built.envelope.messages for turn in (await store.newest_turns("c", 2)).begun)
    assert earlier[0] is later[0]

    async def kept() -> list[str]:
        return await store.run(lambda connection: [*connection.info])

    assert turns._MEMO not in await kept()
    assert turns._LAST_DIGESTS in await kept()
    await store.create_chat(replace(chat(), id="other"))
    await store.newest_turns("other", 2)
    assert turns._LAST_DIGESTS not in await kept(), "another chat was opened"
    await store.close()
