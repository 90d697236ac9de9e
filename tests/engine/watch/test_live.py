"""An answer that passes is shown in its chat, one a conversation at a time, and no longer once it is over."""

from __future__ import annotations

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_loop, until
from tests.fakes.watched import CONVERSATION, agent_turns
from workbench.domain.watch.exchange import Exchange
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.watch.stored_requests import Begun, Keeper
from workbench.engine.watch.watching import Live


class Passing:
    """An answer of which this much has passed → CopiedRequest."""

    def __init__(self, exchange: Exchange, *pieces: bytes) -> None:
        self._exchange, self._pieces, self.n = exchange, [*pieces], exchange.n

    def begun(self) -> Exchange:
        return self._exchange

    def more(self) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""

    def exchange(self) -> Exchange:
        return self._exchange


async def begun() -> list[tuple[Begun, Exchange]]:
    bench = fake_bench()
    keeper = Keeper(bench.world.store, FakeCatalogue())
    found = [(await keeper.begin(*one), one[1]) for one in agent_turns()[:2]]
    await bench.workbench.close()
    return found


def shown(state: WorkbenchState) -> tuple[str, str, str] | None:
    running = state.away.get(CONVERSATION)
    return None if running is None else (running.thinking, running.text, running.progress)


THOUGHT = b'data: {"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Hm."}}\n\n'
WORDS = b'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"It ends."}}\n\n'
CALL = b'data: {"type":"content_block_start","content_block":{"type":"tool_use","name":"Read"}}\n\n'


@in_loop
async def test_thoughts_words_and_calls_and_nothing_after_the_end():
    states = StateStore(lambda _name, problem: None)
    live, ((first, exchange), _) = Live(states), await begun()
    live.begin(Passing(exchange, THOUGHT, WORDS[:30], WORDS[30:], CALL), first)
    await until(lambda: shown(states.state) == ("Hm.", "It ends.", "calling Read"))
    live.end(exchange.n, "complete")
    assert shown(states.state) is None
    live.grew(exchange.n)


@in_loop
async def test_of_two_at_once_the_first_is_shown():
    states = StateStore(lambda _name, problem: None)
    live, ((first, one), (second, other)) = Live(states), await begun()
    live.begin(Passing(one, WORDS), first)
    live.begin(Passing(other, THOUGHT), second)
    await until(lambda: shown(states.state) == ("", "It ends.", ""))
    live.end(other.n, "complete")
    assert shown(states.state) is not None
    live.end(one.n, "complete")
    assert shown(states.state) is None
