"""One change of a chat after the other."""

from __future__ import annotations

import asyncio
import gc

from tests.fakes.loop import in_calm_loop
from workbench.engine.world import ChatLocks


@in_calm_loop
async def test_a_chat_has_one_lock_and_every_chat_its_own():
    locks = ChatLocks()
    async with locks.of("one"):
        assert locks.of("one").locked()
        assert not locks.of("two").locked()


@in_calm_loop
async def test_changes_do_not_overlap():
    locks, order = ChatLocks(), []

    async def change(name: str) -> None:
        async with locks.of("chat"):
            order.append(f"{name} reads")
            await asyncio.sleep(0)
            order.append(f"{name} writes")

    async with asyncio.TaskGroup() as group:
        for name in ("a", "b"):
            group.create_task(change(name))
    assert order == ["a reads", "a writes", "b reads", "b writes"]


@in_calm_loop
async def test_a_lock_that_nobody_uses_is_forgotten():
    locks = ChatLocks()
    async with locks.of("chat"):
        pass
    gc.collect()
    assert len(locks._locks) == 0
