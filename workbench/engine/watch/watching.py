"""Watching from a window: listens while it is on, understands what passes, keeps it, and shows it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import assert_never

from workbench.domain.errors import WorkbenchError
from workbench.domain.outcome import EndState
from workbench.domain.shown.watch_view import WatchView
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.events import NoticeGiven, ProgramShown
from workbench.engine.intents import AttachText
from workbench.engine.program_intents import (
    GoOnFromWatched,
    ListSessions,
    OpenSession,
    PauseWatching,
    WatchPrograms,
)
from workbench.engine.store import StateStore
from workbench.engine.watch.disk_sessions import DiskSessions
from workbench.engine.watch.going_on import REMOVED_TITLE, go_on, removed_before
from workbench.engine.watch.keeping import Begun, Keeper
from workbench.engine.watch.limits import tidy
from workbench.engine.watch.live import Live
from workbench.engine.watch.turn_of import turn_state
from workbench.engine.watch.watcher import Ahead, Watcher
from workbench.engine.world import World
from workbench.ports.watching import CopiedRequest, Ears, ProgramWatch

_NO_WATCH = "Other programs cannot be watched from here. In a terminal, `workbench watch` does it."
_AGAIN = 50
"""After so many requests it is seen to that what is kept stays within its limits."""


class Watching:
    """One watch; what passed is understood and kept one after the other, in the order in which it ended."""

    def __init__(
        self,
        world: World,
        states: StateStore,
        reload: Callable[[str], Awaitable[None]],
        attach: Callable[[AttachText], Awaitable[None]],
    ) -> None:
        self._world, self._states, self._reload, self._attach = world, states, reload, attach
        self._watch: ProgramWatch | None = None
        self._looking: asyncio.Task[None] | None = None
        self._watcher: Watcher | None = None
        self._turning = asyncio.Lock()
        self._kept = 0
        self._live = Live(states)
        self._sessions = DiskSessions(world, states)

    async def do(
        self, intent: WatchPrograms | PauseWatching | GoOnFromWatched | ListSessions | OpenSession
    ) -> None:
        match intent:
            case WatchPrograms(on):
                async with self._turning:
                    await (self._start() if on else self._stop())
            case PauseWatching(paused):
                self._show(replace(self._view, paused=paused))
            case GoOnFromWatched(chat, new, number, removed):
                await go_on(self._world.store, chat, number, new, self._world.utc.utc_now())
                if removed and (text := await removed_before(self._world.store, chat, number)):
                    await self._attach(AttachText(new, text, REMOVED_TITLE))
                await self._list()
            case ListSessions():
                await self._sessions.list()
            case OpenSession(kind, file):
                await self._sessions.open(kind, file)
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
        keeper = Keeper(self._world.store, self._world.builder.catalogue)

        async def begin(turn: WatchedTurn, exchange: Exchange, copied: CopiedRequest) -> None:
            if not self._view.paused:
                await self._begin(await keeper.begin(turn, exchange), copied)

        async def keep(turn: WatchedTurn, exchange: Exchange) -> None:
            await self._keep(keeper, turn, exchange)

        async def give_up(n: int) -> None:
            await self._show_end(n, await keeper.give_up(n), "interrupted")

        watcher = Watcher(watch.understand, self._told, keep)
        watcher.ahead = Ahead(watch.begin, begin, give_up)
        watcher.first = keeper.remembering(watch.remember, self._world.utc.utc_now())
        ears = Ears(self._began, watcher.begin, lambda copied: self._live.grew(copied.n), watcher.hear)
        try:
            listening = await watch.start(ears)
        except WorkbenchError as problem:
            self._show(replace(self._view, problem=str(problem)))
            raise
        keeper.address = listening.address
        self._watch, self._watcher = watch, watcher
        self._looking = self._world.tasks.start("keep what is watched", watcher.run())
        self._show(replace(self._view, address=listening.address, lines=listening.lines, problem=""))

    async def _stop(self) -> None:
        watch, watcher, looking = self._watch, self._watcher, self._looking
        self._watch = self._watcher = self._looking = None
        if watch is not None and watcher is not None and looking is not None:
            await watch.close()
            watcher.finish()
            await looking
        self._show(replace(self._view, address="", lines=(), arriving=0, problem=""))

    async def close(self) -> None:
        """Listen no longer; what passed is kept."""
        async with self._turning:
            if self._watch is not None:
                await self._stop()

    def _began(self) -> None:
        self._show(replace(self._view, arriving=self._view.arriving + 1))

    def _told(self, _exchange: Exchange, _turn: WatchedTurn | None) -> None:
        self._show(replace(self._view, arriving=max(0, self._view.arriving - 1)))

    async def _begin(self, begun: Begun, copied: CopiedRequest) -> None:
        """Show a request that is being answered."""
        await self._list()
        self._live.begin(copied, begun)
        await self._reload(begun.chat.id)

    async def _show_end(self, n: int, chat: str | None, state: EndState) -> None:
        try:
            if chat is not None:
                await self._reload(chat)
        finally:
            self._live.end(n, state)

    async def _keep(self, keeper: Keeper, turn: WatchedTurn, exchange: Exchange) -> None:
        if self._view.paused and not keeper.has_begun(turn.n):
            return
        try:
            chat = await keeper.keep(turn, exchange)
        except WorkbenchError as problem:
            self._live.end(turn.n, "failed")
            self._states.emit(NoticeGiven(None, f"A watched request was not kept. {problem}"))
            return
        self._kept += 1
        try:
            if self._kept % _AGAIN == 1:
                await tidy(self._world, self._states)
            await self._list()
        except WorkbenchError as problem:
            self._states.emit(
                NoticeGiven(None, f"A watched request is kept, and more was to be done. {problem}")
            )
        finally:
            await self._show_end(turn.n, chat, turn_state(turn, exchange))
