"""A watch in a window: switched on and off, paused, what passes is kept and shown, and nothing is lost at the end."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.fakes.engine import Bench, TickingUtc, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop, until
from tests.fakes.watched import CONVERSATION, agent_turns
from workbench.domain.errors import StoreDamaged, WorkbenchError
from workbench.domain.record import Chat
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedAnswer, WatchedSize, WatchedTurn
from workbench.engine.events import NoticeGiven, TurnBegan, TurnEnded
from workbench.engine.intents import OpenChat
from workbench.engine.program_intents import PauseWatching, WatchPrograms
from workbench.ports.watching import Ears, Listening


class Copy:
    """What passed, read already → CopiedRequest."""

    def __init__(self, exchange: Exchange, *pieces: bytes) -> None:
        self._exchange, self.pieces = exchange, [*pieces]

    @property
    def n(self) -> int:
        return self._exchange.n

    def begun(self) -> Exchange:
        return self._exchange

    def more(self) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    def exchange(self) -> Exchange:
        return self._exchange


class FakeWatch:
    """Listens to whoever plays → ProgramWatch."""

    def __init__(self) -> None:
        self.turns = {exchange.n: turn for turn, exchange in agent_turns()}
        self.listening = False
        self.problem = ""
        self.ears: Ears | None = None
        self.known: list[tuple[str, int]] = []

    async def start(self, ears: Ears, to: str = "") -> Listening:
        self.to = to
        if self.problem:
            raise WorkbenchError(self.problem)
        self.ears, self.listening = ears, True
        return Listening("http://127.0.0.1:4040", (("ANTHROPIC_BASE_URL", "http://127.0.0.1:4040"),))

    def arrive(self) -> None:
        assert self.ears is not None
        self.ears.began()

    def ask(self, number: int) -> Copy:
        """A request has passed whole, and its answer is waited for."""
        assert self.ears is not None
        copied = Copy(agent_turns()[number - 1][1])
        self.ears.asked(copied)
        return copied

    def grow(self, copied: Copy, *texts: str) -> None:
        """More of its answer passes."""
        assert self.ears is not None
        for text in texts:
            event = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}
            copied.pieces.append(f"data: {json.dumps(event)}\n\n".encode())
        self.ears.grew(copied)

    def end(self, number: int) -> None:
        assert self.ears is not None
        self.ears.ended(Copy(agent_turns()[number - 1][1]))

    def remember(self, turn: WatchedTurn, exchange: Exchange) -> None:
        self.known.append((turn.conversation, len(exchange.request)))

    def begin(self, exchange: Exchange) -> WatchedTurn | None:
        turn = self.turns.get(exchange.n)
        return None if turn is None else replace(turn, answer=WatchedAnswer(), status=None)

    def understand(self, exchange: Exchange) -> WatchedTurn | None:
        return self.turns.get(exchange.n)

    async def close(self) -> None:
        self.listening = False


def requests(bench: Bench) -> int:
    marks = (chat.filed.watched for chat in bench.workbench.state.chats)
    return sum(mark.requests for mark in marks if mark is not None)


@in_loop
async def test_what_passes_is_listed_at_once_and_an_open_conversation_follows_it():
    watch = FakeWatch()
    bench = fake_bench(watch=lambda: watch)
    await bench.workbench.dispatch(WatchPrograms(True))
    shown = bench.workbench.state.watch
    assert (shown.on, shown.lines[0][0]) == (True, "ANTHROPIC_BASE_URL")
    watch.arrive()
    assert bench.workbench.state.watch.arriving == 1
    watch.end(1)
    await until(lambda: requests(bench) == 1)
    assert bench.workbench.state.watch.arriving == 0
    await bench.workbench.dispatch(OpenChat(CONVERSATION))
    watch.end(2)
    await until(lambda: len(bench.workbench.state.open[CONVERSATION].turns) == 2)
    await until(lambda: getattr(bench.workbench.state.open[CONVERSATION].opened, "turn", 0) == 2)
    opened = bench.workbench.state.open[CONVERSATION]
    mark = opened.chat.filed.watched
    assert mark is not None
    assert mark.address == "http://127.0.0.1:4040"
    await bench.workbench.dispatch(WatchPrograms(False))
    assert not watch.listening
    assert not bench.workbench.state.watch.on
    await bench.workbench.close()


@in_loop
async def test_a_request_is_shown_when_it_begins_and_its_answer_as_it_passes():
    """Whoever watches an agent wants to see what it does now, not what it did."""
    watch = FakeWatch()
    bench = fake_bench(watch=lambda: watch)
    await bench.workbench.dispatch(WatchPrograms(True))
    copied = watch.ask(1)
    await until(lambda: requests(bench) == 1)
    await bench.workbench.dispatch(OpenChat(CONVERSATION))
    opened = bench.workbench.state.open[CONVERSATION]
    assert (opened.turns[0].state, opened.turns[0].reply) == ("running", None)
    assert opened.opened is not None
    assert opened.opened.findings
    watch.grow(copied, "The loop ", "ends ")
    watch.grow(copied, "only when")
    await until(lambda: _passing(bench) == "The loop ends only when")
    watch.end(1)
    await until(lambda: bench.workbench.state.open[CONVERSATION].running is None)
    ended = bench.workbench.state.open[CONVERSATION]
    assert [turn.state for turn in ended.turns] == ["complete"]
    assert ended.turns[0].reply == ended.records[-1].id
    await bench.workbench.close()


def _passing(bench: Bench) -> str:
    running = bench.workbench.state.open[CONVERSATION].running
    return "" if running is None else running.text


@in_loop
async def test_two_requests_of_a_conversation_at_once_both_stay_in_view():
    watch = FakeWatch()
    bench = fake_bench(watch=lambda: watch)
    await bench.workbench.dispatch(WatchPrograms(True))
    watch.ask(1)
    watch.ask(2)
    watch.end(2)
    watch.end(1)
    await bench.workbench.dispatch(WatchPrograms(False), OpenChat(CONVERSATION))
    opened = bench.workbench.state.open[CONVERSATION]
    assert [(turn.number, turn.state) for turn in opened.turns] == [(1, "complete"), (2, "complete")]
    assert opened.running is None
    await bench.workbench.close()


@in_loop
async def test_a_request_that_cannot_be_understood_at_its_end_is_not_left_waiting():
    watch = FakeWatch()
    bench = fake_bench(watch=lambda: watch)
    await bench.workbench.dispatch(WatchPrograms(True))
    watch.ask(1)
    await until(lambda: requests(bench) == 1)
    watch.turns.clear()
    watch.end(1)
    await bench.workbench.dispatch(WatchPrograms(False), OpenChat(CONVERSATION))
    opened = bench.workbench.state.open[CONVERSATION]
    assert [turn.state for turn in opened.turns] == ["interrupted"]
    assert opened.running is None
    await bench.workbench.close()


@in_loop
async def test_while_it_is_paused_nothing_is_kept():
    watch = FakeWatch()
    bench = fake_bench(watch=lambda: watch)
    await bench.workbench.dispatch(WatchPrograms(True), PauseWatching(True))
    watch.arrive()
    watch.end(1)
    await until(lambda: bench.workbench.state.watch.arriving == 0)
    await bench.workbench.dispatch(PauseWatching(False))
    watch.end(2)
    await until(lambda: requests(bench) == 1)
    assert len(await bench.world.store.turns(CONVERSATION)) == 1
    await bench.workbench.close()


@in_loop
async def test_what_seems_too_old_is_said():
    class LongAfter(TickingUtc):
        def utc_now(self) -> str:
            return "2027-01-01T00:00:00Z"

    watch = FakeWatch()
    bench = fake_bench(watch=lambda: watch, utc=LongAfter())
    await bench.workbench.dispatch(WatchPrograms(True))
    watch.end(1)
    await until(lambda: bool(bench.workbench.state.notices))
    assert "1 watched conversation seems older than 30 days" in bench.workbench.state.notices[-1].text
    await bench.workbench.close()


@in_loop
async def test_what_passed_before_the_end_is_kept():
    watch = FakeWatch()
    bench = fake_bench(watch=lambda: watch)
    await bench.workbench.dispatch(WatchPrograms(True))
    watch.end(1)
    watch.end(2)
    await bench.workbench.dispatch(WatchPrograms(False))
    assert len(await bench.world.store.turns(CONVERSATION)) == 2
    await bench.workbench.close()


@in_loop
async def test_requests_go_where_is_asked_for_or_where_the_preferences_say():
    watch = FakeWatch()
    bench = fake_bench(watch=lambda: watch)
    for wanted, expected in (
        (WatchPrograms(True, "http://127.0.0.1:8080/v1"), "http://127.0.0.1:8080/v1"),
        (WatchPrograms(True), ""),
    ):
        await bench.workbench.dispatch(wanted)
        assert watch.to == expected
        await bench.workbench.dispatch(WatchPrograms(False))
    await bench.workbench.close()


@in_loop
async def test_a_watch_that_cannot_listen_says_why():
    watch = FakeWatch()
    watch.problem = "The port is in use."
    bench = fake_bench(watch=lambda: watch)
    with pytest.raises(WorkbenchError, match="in use"):
        await bench.workbench.dispatch(WatchPrograms(True))
    assert bench.workbench.state.watch.problem == "The port is in use."
    assert not bench.workbench.state.watch.on
    without = fake_bench()
    with pytest.raises(WorkbenchError, match="workbench watch"):
        await without.workbench.dispatch(WatchPrograms(True))
    await bench.workbench.close()
    await without.workbench.close()


class FailingLimits(MemoryHistory):
    """One that keeps everything and cannot be looked through."""

    broken = False

    async def watched_sizes(self, more_than_bytes: int = 0) -> tuple[WatchedSize, ...]:
        raise StoreDamaged("a page")

    async def chats(self) -> tuple[Chat, ...]:
        if self.broken:
            raise StoreDamaged("another page")
        return await super().chats()


@pytest.mark.parametrize("listing", [False, True])
@in_loop
async def test_an_answer_ends_where_limits_or_the_list_fail(listing: bool):
    """The request was kept, and its answer was shown as arriving for ever."""
    watch, store = FakeWatch(), FailingLimits()
    bench = fake_bench(watch=lambda: watch, store=store)
    await bench.workbench.dispatch(WatchPrograms(True))
    watch.grow(watch.ask(1), "I will")
    await until(lambda: bool(bench.told(TurnBegan)))
    store.broken = listing
    watch.end(1)
    await until(lambda: bool(bench.told(TurnEnded)))
    assert "is kept" in bench.told(NoticeGiven)[0].text
    assert [one.state for one in await store.turn_lines(CONVERSATION)] == ["complete"]
    await bench.workbench.dispatch(WatchPrograms(False))
