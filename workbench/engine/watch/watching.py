"""Watching from a window: listens while it is on, understands what passes, keeps it, and shows it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol, assert_never

from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.watch_view import WatchView
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.events import NoticeGiven, ProgramShown
from workbench.engine.program_intents import GoOnFromWatched, PauseWatching, WatchIntent, WatchPrograms
from workbench.engine.store import StateStore
from workbench.engine.watch.going_on import go_on
from workbench.engine.watch.keeping import Keeper
from workbench.engine.watch.limits import keep_within_limits
from workbench.engine.world import World
from workbench.ports.watching import ProgramWatch

_NO_WATCH = "Other programs cannot be watched from here. In a terminal, `workbench watch` does it."
_AGAIN = 50
"""After so many requests it is seen to that what is kept stays within its limits."""


class Understands(Protocol):
    """What makes sense of a request that passed."""

    def take(self, exchange: Exchange) -> WatchedTurn | None: ...


def _understanding(world: World) -> Understands:
    raise NotImplementedError


class Watching:
    """One watch; what is heard is understood and kept one after the other, in the order in which it ended."""

    def __init__(
        self,
        world: World,
        states: StateStore,
        reload: Callable[[str], Awaitable[None]],
        understanding: Callable[[World], Understands] | None = None,
    ) -> None:
        self._world, self._states, self._reload = world, states, reload
        self._understanding = understanding or _understanding
        self._watch: ProgramWatch | None = None
        self._heard: asyncio.Queue[Exchange] = asyncio.Queue()
        self._turning = asyncio.Lock()
        self._kept = 0

    async def do(self, intent: WatchIntent) -> None:
        match intent:
            case WatchPrograms(on):
                async with self._turning:
                    await (self._start() if on else self.close())
            case PauseWatching(paused):
                self._show(replace(self._view, paused=paused))
            case GoOnFromWatched(chat, new, number):
                await go_on(self._world.store, chat, number, new, self._world.utc.utc_now())
                await self._list()
            case _:
                assert_never(intent)

    @property
    def _view(self) -> WatchView:
        return self._states.state.watch

    def _show(self, view: WatchView) -> None:
        self._states.emit(ProgramShown({"watch": view}))

    async def _list(self) -> None:
        self._states.emit(ProgramShown({"chats": await self._world.store.chats()}))

    async def _start(self) -> None:
        if self._watch is not None:
            return
        if self._world.watch is None:
            self._show(replace(self._view, problem=_NO_WATCH))
            raise WorkbenchError(_NO_WATCH)
        watch = self._world.watch()
        try:
            listening = await watch.start(self._hear, self._begin)
        except WorkbenchError as problem:
            self._show(replace(self._view, problem=str(problem)))
            raise
        self._watch = watch
        self._show(WatchView(listening.address, listening.lines, self._view.paused))
        keeper = Keeper(self._world.store, self._world.builder.catalogue, listening.address)
        self._world.tasks.spawn(
            "keep what is watched", self._keep_all(keeper, self._understanding(self._world))
        )

    async def close(self) -> None:
        """Listen no longer; what passed is kept."""
        watch, self._watch = self._watch, None
        if watch is not None:
            await watch.close()
            await self._heard.join()
        self._show(WatchView(paused=self._view.paused))

    def _begin(self) -> None:
        self._show(replace(self._view, arriving=self._view.arriving + 1))

    def _hear(self, exchange: Exchange) -> None:
        self._heard.put_nowait(exchange)

    async def _keep_all(self, keeper: Keeper, understanding: Understands) -> None:
        while self._watch is not None:
            exchange = await self._heard.get()
            try:
                await self._take(keeper, understanding, exchange)
            except WorkbenchError as problem:
                self._states.emit(NoticeGiven(None, f"A watched request was not kept. {problem}"))
            finally:
                self._show(replace(self._view, arriving=max(0, self._view.arriving - 1)))
                self._heard.task_done()

    async def _take(self, keeper: Keeper, understanding: Understands, exchange: Exchange) -> None:
        turn = await asyncio.to_thread(understanding.take, exchange)
        if turn is None or self._view.paused:
            return
        chat = await keeper.keep(turn, exchange)
        if self._kept % _AGAIN == 0:
            await keep_within_limits(
                self._world.store, self._states.state.preferences, self._world.utc.utc_now()
            )
        self._kept += 1
        await self._list()
        await self._reload(chat)
