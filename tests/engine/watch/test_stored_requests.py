"""A watched conversation in a real store: its messages, its requests byte for byte, and what many of them take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.passing import passed, understanding
from tests.fakes.stores import open_store
from tests.fakes.watched import Block, agent_turns, watched
from workbench.context.watch.body import body_of
from workbench.domain.errors import NotKept
from workbench.domain.message import Message
from workbench.domain.record import Record, TurnRecord
from workbench.domain.watch.exchange import Exchange, program_name
from workbench.engine.watch.stored_requests import Keeper


@in_loop
async def test_a_conversation_comes_back_with_its_messages_and_the_bytes_of_its_requests(tmp_path: Path):
    store = open_store(tmp_path / "store")
    keeper = Keeper(store, FakeCatalogue(), "127.0.0.1:4040")
    turns = agent_turns()
    for turn, exchange in turns:
        assert await keeper.keep(turn, exchange) == "5f0e3c"
    chat = await store.chat("5f0e3c")
    mark = chat.filed.watched
    assert mark is not None
    assert (mark.requests, mark.client, mark.address) == (3, "claude-cli/2.1.197", "127.0.0.1:4040")
    assert chat.title.startswith("Claude Code · Why does refresh() retry")
    said = [
        (r.entry.role, r.entry.text[:12]) for r in await store.path("5f0e3c") if isinstance(r.entry, Message)
    ]
    assert said == [
        ("user", "Why does ref"),
        ("assistant", "I will read "),
        ("tool", "async def re"),
        ("assistant", "The loop end"),
        ("user", "Go on. Write"),
        ("assistant", "Here it is."),
    ]
    kept = await store.turns("5f0e3c")
    assert [body_of(one.built) for one in kept] == [exchange.request for _, exchange in turns]
    assert [one.built.envelope.total_tokens for one in kept] == [turn.request.tokens for turn, _ in turns]
    await store.close()


@in_loop
async def test_a_rewritten_history_shows_what_stands_after_its_last_answer():
    store = MemoryHistory()
    keeper = Keeper(store, FakeCatalogue())
    await keeper.keep(agent_turns()[0][0])
    summary: Block = ("text", "In short: a loop never ended.", "")
    again: Block = ("text", "And now?", "")
    rewritten, exchange = watched(
        2, [("user", (summary,)), ("assistant", (("answer", "Yes.", ""),)), ("user", (again,))]
    )
    await keeper.keep(rewritten, exchange)
    texts = [r.entry.text for r in await store.path("5f0e3c") if isinstance(r.entry, Message)]
    assert texts[-1] == "And now?"
    assert summary[1] not in texts
    # The same request once more asks nothing new, and is a turn all the same.
    await keeper.keep(rewritten, exchange)
    assert [line.number for line in await store.turn_lines("5f0e3c")] == [1, 2, 3]


@in_loop
async def test_three_hundred_requests_that_go_on_from_one_another_take_what_is_new_in_each(tmp_path: Path):
    """Each of them holds all that was said before: kept one by one, they would take three hundred times the last."""
    store = open_store(tmp_path / "store", synchronous="OFF")
    keeper = Keeper(store, FakeCatalogue())
    messages: list[tuple[str, tuple[Block, ...]]] = []
    sent, last = 0, b""
    for n in range(1, 61):
        question: Block = ("text", f"Question {n}: " + f"what about part {n} of it? " * 20, "")
        messages.append(("user", (question,)))
        answer: Block = ("answer", f"Answer {n}: " + f"part {n} is as it was. " * 30, "")
        turn, exchange = watched(n, messages, (answer,))
        await keeper.keep(turn, exchange)
        messages.append(("assistant", (answer,)))
        sent, last = sent + len(exchange.request), exchange.request
    newest = await store.last_turn("5f0e3c")
    assert newest is not None
    assert body_of(newest.built) == last
    await store.settle()
    size = (tmp_path / "store").stat().st_size
    assert size < 12 * len(last) < sent / 2
    await store.close()


@in_loop
async def test_a_deleted_conversation_that_goes_on_is_there_again():
    store = MemoryHistory()
    keeper = Keeper(store, FakeCatalogue())
    for (turn, exchange), gone in zip(agent_turns()[:2], (True, False), strict=True):
        await keeper.keep(turn, exchange)
        if gone:
            await store.save_chat(replace(await store.chat("5f0e3c"), deleted_utc="2026-01-01T00:00:00Z"))
    assert [chat.id for chat in await store.chats()] == ["5f0e3c"]


def test_programs_are_called_as_people_call_them():
    assert [
        program_name(name) for name in ("claude-cli/2.1.197 (external)", "codex_cli_rs/0.5", "my-agent")
    ] == [
        "Claude Code",
        "Codex",
        "my-agent",
    ]


def goes_on(n: int, words: str, previous: str = "") -> Exchange:
    """A request of the Responses API that names the answer it goes on from, answered as `r{n}`."""
    body = {"model": "gpt-5", "input": words, **({"previous_response_id": previous} if previous else {})}
    said = [{"type": "output_text", "text": f"Answer {n}."}]
    output = [{"type": "message", "role": "assistant", "content": said}]
    usage = {"input_tokens": 10, "output_tokens": 5}
    answer = {"id": f"r{n}", "object": "response", "status": "completed", "output": output, "usage": usage}
    return passed(n, "responses", body, json.dumps(answer).encode())


@in_loop
async def test_what_a_request_only_names_is_kept_once(tmp_path: Path):
    """The first question and its answer stood twice: their provider's copy of them looked like another history."""
    store, known = open_store(tmp_path / "store"), understanding()
    keeper, chat = Keeper(store, FakeCatalogue()), ""
    for n in range(1, 5):
        exchange = goes_on(n, f"Question number {n}, please.", f"r{n - 1}" if n > 1 else "")
        turn = known.take(exchange)
        assert turn is not None
        chat = await keeper.keep(turn, exchange)
        assert turn.against.relation == ("extended" if n > 1 else "first")
    told = [r.entry.text for r in await store.path(chat) if isinstance(r.entry, Message)]
    assert told == [text for n in range(1, 5) for text in (f"Question number {n}, please.", f"Answer {n}.")]
    last = await store.last_turn(chat)
    assert last is not None
    paths = [one.id for one in last.built.envelope.layer("L4_STRIP").segments]
    assert len({one.partition("]")[0] for one in paths}) == 3  # each under the number of its request
    before = (await store.turns(chat))[2].built.envelope.layer("L4_STRIP").segments
    assert last.built.envelope.layer("L4_STRIP").segments[: len(before)] == before
    await store.close()


@in_loop
async def test_two_requests_that_go_on_from_one_answer_at_once_are_two(tmp_path: Path):
    """The second was kept twice when the first had ended: once complete, and once as running for ever."""
    store, known = open_store(tmp_path / "store"), understanding()
    keeper, chat = Keeper(store, FakeCatalogue()), ""
    first, left, right = (
        goes_on(1, "First question, long enough."),
        *(goes_on(n, f"Branch {n} of it, please.", "r1") for n in (2, 3)),
    )
    turns = {}
    for over, exchange in (
        (False, first), (True, first), (False, left), (False, right), (True, left), (True, right),
    ):  # fmt: skip
        turn = known.take(exchange) if over else known.begin(replace(exchange, answer=b"", status=None))
        assert turn is not None
        chat = await keeper.keep(turn, exchange) if over else (await keeper.begin(turn, exchange)).chat.id
        turns[exchange.n] = turn
    assert [(one.number, one.state) for one in await store.turn_lines(chat)] == [
        (1, "complete"), (2, "complete"), (3, "complete"),
    ]  # fmt: skip
    texts = [r.entry.text for r in await store.path(chat) if isinstance(r.entry, Message)]
    assert sorted(texts) == sorted({*texts})
    # Either goes on from the first: of the other one it has nothing.
    assert [one.text for one in turns[3].request.pieces] == [
        "First question, long enough.", "Answer 1.", "Branch 3 of it, please.",
    ]  # fmt: skip
    assert turns[3].against.relation == "extended"
    await store.close()


@in_loop
async def test_a_request_whose_answer_cannot_be_kept_does_not_run_for_ever():
    store = RefusingReplies()
    keeper = Keeper(store, FakeCatalogue())
    turn, exchange = agent_turns()[0]
    await keeper.begin(turn, exchange)
    with pytest.raises(NotKept):
        await keeper.keep(turn, exchange)
    (line,) = await store.turn_lines("5f0e3c")
    assert line.state == "interrupted"


class RefusingReplies(MemoryHistory):
    """One that takes everything but answers."""

    async def finish_turn(self, turn: TurnRecord, replies: Sequence[Record]) -> None:
        if replies:
            raise NotKept("No.")
        await super().finish_turn(turn, replies)
