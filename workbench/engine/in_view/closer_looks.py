"""Closer looks of a person in a window: at parts of a file, at older turns, at layouts, at why something was quoted."""

from __future__ import annotations

from workbench.engine.attaching_intents import ChooseParts, CompareFile, Complete, ShowParts
from workbench.engine.completion.completing import Completions
from workbench.engine.in_view.why import QuoteLook
from workbench.engine.intents import CompareLayouts, CompareTurns, OpenTurn
from workbench.engine.shown.layouts import Layouts
from workbench.engine.shown.parts import FileParts
from workbench.engine.shown.past import Past
from workbench.engine.store import StateStore
from workbench.engine.tuning_intents import LookAtQuote
from workbench.engine.world import World

CloserLook = OpenTurn | CompareTurns | CompareLayouts | LookAtQuote | ShowParts | CompareFile | Complete


class CloserLooks:
    """Shows what is looked at; none of it follows anything before somebody looked."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._completions = Completions(world, states)
        self._parts = FileParts(world, states, self._completions.documents)
        self._past = Past(world, states)
        self._why = QuoteLook(world, states)
        self._layouts = Layouts(world, states)

    async def do(self, intent: CloserLook) -> None:
        """Look."""
        match intent:
            case OpenTurn() | CompareTurns():
                await self._past.do(intent)
            case CompareLayouts(chat):
                self._layouts.look(chat)
            case LookAtQuote():
                self._why.look(intent)
            case ShowParts() | CompareFile():
                self._parts.look(intent)
            case Complete():
                self._completions.look(intent)

    def chosen(self, intent: ChooseParts) -> None:
        """Parts of a file were chosen where they are shown."""
        self._parts.chosen(intent)
