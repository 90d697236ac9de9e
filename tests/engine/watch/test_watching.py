"""A watch in a window: switched on and off, paused, what passes is kept and shown, and nothing is lost at the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_loop, until
from tests.fakes.watched import CONVERSATION, agent_turns
from workbench.domain.errors import WorkbenchError
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.intents import OpenChat
from workbench.engine.program_intents import PauseWatching, WatchPrograms
from workbench.ports.watching import CopiedRequest, Listening


class Copy:
    """What passed, read already → CopiedRequest."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def exchange(self) -> Exchange:
        return self._exchange


class FakeWatch:
    """Listens to whoever plays → ProgramWatch."""

    def __init__(self) -> None:
        self.turns = {exchange.n: turn for turn, exchange in agent_turns()}
        self.listening = False
        self.problem = ""
        self._heard: Callable[[CopiedRequest], None] = lambda copied: None
        self._began: Callable[[], None] = lambda: None

    async def start(self, heard: Callable[[CopiedRequest], None], began: Callable[[], None]) -> Listening:
        if self.problem:
            raise WorkbenchError(self.problem)
        self._heard, self._began, self.listening = heard, began, True
        return Listening("http://127.0.0.1:4040", (("ANTHROPIC_BASE_URL", "http://127.0.0.1:4040"),))

    def begin(self) -> None:
        self._began()

    def end(self, number: int) -> None:
        self._heard(Copy(agent_turns()[number - 1][1]))

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
    watch.begin()
    assert bench.workbench.state.watch.arriving == 1
    watch.end(1)
    await until(lambda: requests(bench) == 1)
    assert bench.workbench.state.watch.arriving == 0
    await bench.workbench.dispatch(OpenChat(CONVERSATION))
    watch.end(2)
    await until(lambda: len(bench.workbench.state.open[CONVERSATION].turns) == 2)
    opened = bench.workbench.state.open[CONVERSATION]
    assert opened.opened is not None
    assert opened.opened.turn == 2
    mark = opened.chat.filed.watched
    assert mark is not None
    assert mark.address == "http://127.0.0.1:4040"
    await bench.workbench.dispatch(WatchPrograms(False))
    assert not watch.listening
    assert not bench.workbench.state.watch.on
    await bench.workbench.close()


@in_loop
async def test_while_it_is_paused_nothing_is_kept():
    watch = FakeWatch()
    bench = fake_bench(watch=lambda: watch)
    await bench.workbench.dispatch(WatchPrograms(True), PauseWatching(True))
    watch.begin()
    watch.end(1)
    await until(lambda: bench.workbench.state.watch.arriving == 0)
    await bench.workbench.dispatch(PauseWatching(False))
    watch.end(2)
    await until(lambda: requests(bench) == 1)
    assert len(await bench.world.store.turns(CONVERSATION)) == 1
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
