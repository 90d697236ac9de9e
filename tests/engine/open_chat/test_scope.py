"""What ends with a chat that is closed, and what does not."""

from __future__ import annotations

import asyncio

from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_calm_loop
from workbench.engine.events import NoticeGiven


@in_calm_loop
async def test_a_closed_chat_has_no_tasks_no_state_and_no_events():
    bench = fake_bench()
    await bench.start()
    scope = bench.scope()
    before: object = scope.state
    assert before is bench.workbench.state.open["talk"]
    waiting = scope.spawn("wait", asyncio.sleep(60))
    scope.close()
    scope.emit(NoticeGiven("talk", "Late."))
    await asyncio.wait([waiting])
    assert (waiting.cancelled(), scope.state, bench.told(NoticeGiven)) == (True, None, [])


@in_calm_loop
async def test_what_is_being_kept_is_kept_though_the_chat_is_closed():
    bench, gate, kept = fake_bench(), asyncio.Event(), list[str]()
    scope = bench.scope()

    async def keep() -> None:
        await gate.wait()
        kept.append("words")

    keeping = scope.spawn("look", scope.finish("keep", keep()))
    await asyncio.sleep(0)
    scope.close()
    await asyncio.wait([keeping])
    gate.set()
    await bench.world.tasks.close(patience_s=5)
    assert (keeping.cancelled(), kept) == (True, ["words"])
