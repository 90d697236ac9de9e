"""Sessions on this computer in a window: listed when somebody asks, and read as watched conversations."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.sessions_view import SessionKind, SessionsView
from workbench.engine.events import ProgramShown
from workbench.engine.store import StateStore
from workbench.engine.watch.importing import keep_session
from workbench.engine.watch.keeping import Keeper
from workbench.engine.world import World

MOST_LISTED = 200
_NONE = "Sessions cannot be read from here. In a terminal, `workbench watch --import-claude` does it."
_EMPTY = "No request was found in this session. Nothing was kept."


class DiskSessions:
    """One list, and one session after the other."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._one_by_one = asyncio.Lock()

    @property
    def _view(self) -> SessionsView:
        return self._states.state.sessions or SessionsView()

    def _show(self, view: SessionsView) -> None:
        self._states.emit(ProgramShown({"sessions": view}))

    async def list(self) -> None:
        """Look what there is now."""
        sessions = self._world.sessions
        if sessions is None:
            self._show(SessionsView(problem=_NONE))
            return
        self._show(replace(self._view, reading=True, opened="", problem="", notes=()))
        try:
            lines, more = await asyncio.to_thread(sessions.listed, MOST_LISTED)
        except WorkbenchError as problem:
            self._show(SessionsView(problem=str(problem)))
            return
        self._show(SessionsView(lines, more))

    async def open(self, kind: SessionKind, file: str) -> None:
        """Read a session and keep what is not kept yet; its chat is named where it had a request."""
        sessions = self._world.sessions
        if sessions is None:
            return
        async with self._one_by_one:
            self._show(replace(self._view, opening=file, opened="", problem="", notes=()))
            try:
                chat, notes = await self._kept(kind, file)
            except WorkbenchError as problem:
                self._show(replace(self._view, opening="", problem=str(problem)))
                return
            self._states.emit(ProgramShown({"chats": await self._world.store.chats()}))
            said = "" if chat else _EMPTY
            self._show(replace(self._view, opening="", opened=chat, notes=notes, problem=said))

    async def _kept(self, kind: SessionKind, file: str) -> tuple[str, tuple[str, ...]]:
        assert self._world.sessions is not None
        now = self._world.utc.utc_now()
        keeper = Keeper(self._world.store, self._world.builder.catalogue, imported_utc=now)
        first, notes = "", list[str]()
        found = self._world.sessions.read(kind, file)
        while (session := await asyncio.to_thread(next, found, None)) is not None:
            notes += session.notes
            chat, _ = await keep_session(session, keeper)
            first = first or chat
        return first, tuple(notes)
