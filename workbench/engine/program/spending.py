"""What was spent, in the state while somebody looks at it; and the one turn that may pass a cap."""

from __future__ import annotations

from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.spend_view import SpendView
from workbench.engine.events import Event, NoticeGiven, ProgramShown
from workbench.engine.program_intents import AllowOverCap, LookAtSpending
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import World


class ShownSpending:
    """Reads the ledger when it is looked at, and again after each turn."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._looked_at = False

    async def do(self, intent: AllowOverCap | LookAtSpending) -> None:
        if isinstance(intent, AllowOverCap):
            if self._world.spending is not None:
                self._world.spending.allow_once(intent.chat)
            return
        self._looked_at = intent.on
        if intent.on:
            await self._read()
        else:
            self._show(None)

    def changed(self, _event: Event, _state: WorkbenchState) -> None:
        """A turn ended, or caps were changed: read the ledger again if it is shown."""
        if self._looked_at:
            self._world.tasks.spawn("read what was spent", self._read())

    async def _read(self) -> None:
        world, spending = self._world, self._world.spending
        if spending is None:
            self._show(SpendView(now_utc=world.utc.utc_now()))
            return
        try:
            spent, chats = await spending.spent(), await world.store.chats()
        except WorkbenchError as problem:
            self._states.emit(NoticeGiven(None, str(problem)))
            return
        places = {one.id: one.name for one in world.workspaces.all.values()}
        titles = {one.id: one.title for one in chats}
        if self._looked_at:
            self._show(SpendView(spent, world.utc.utc_now(), spending.caps(), places, titles))

    def _show(self, view: SpendView | None) -> None:
        self._states.emit(ProgramShown({"spending": view}))
