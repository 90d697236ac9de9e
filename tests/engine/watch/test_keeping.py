"""A watched conversation in a real store: its messages, its requests byte for byte, and what many of them take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.stores import open_store
from tests.fakes.watched import Block, agent_turns, watched
from workbench.context.watch.body import body_of
from workbench.domain.message import Message
from workbench.engine.watch.keeping import Keeper, program_name


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
