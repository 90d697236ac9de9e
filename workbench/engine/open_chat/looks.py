"""Closer looks of a person in a window: at parts of a file, at older turns, at layouts, at why something was quoted."""

from __future__ import annotations

from typing import assert_never

from workbench.engine import events
from workbench.engine.attaching_intents import CompareFile, Complete, ShowParts
from workbench.engine.completion.sources import Sources
from workbench.engine.intents import CompareLayouts, CompareTurns, OpenTurn
from workbench.engine.open_chat.completing import Completing
from workbench.engine.open_chat.file_changes import FileComparing
from workbench.engine.open_chat.file_parts import FileParts
from workbench.engine.open_chat.layouts import Layouts
from workbench.engine.open_chat.past import Past
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.open_chat.variants import Variants
from workbench.engine.open_chat.why import QuoteLook
from workbench.engine.tuning_intents import CompareVariants, DiffVariant, LookAtQuote

CloserLook = (
    OpenTurn | CompareTurns | CompareLayouts | CompareVariants | DiffVariant | LookAtQuote | ShowParts
    | CompareFile | Complete
)  # fmt: skip

_REQUESTS = frozenset({"view", "in_flight", "opened"})


class CloserLooks:
    """Shows what is looked at in one chat; made with the first look.

    Attributes:
        parts: of the file that is opened.
    """

    def __init__(self, scope: ChatScope, sources: Sources) -> None:
        self._completing = Completing(scope, sources)
        self.parts = FileParts(scope, sources.documents)
        self._comparing = FileComparing(scope)
        self._past = Past(scope)
        self._why = QuoteLook(scope)
        self._layouts = Layouts(scope)
        self._variants = Variants(scope, self._past)

    async def do(self, intent: CloserLook) -> None:
        match intent:
            case OpenTurn():
                await self._past.open(intent)
            case CompareTurns():
                await self._past.compare(intent)
            case CompareLayouts():
                self._layouts.look()
            case CompareVariants():
                self._variants.look(intent)
            case DiffVariant():
                self._variants.differ(intent)
            case LookAtQuote():
                self._why.look(intent.id)
            case ShowParts():
                self.parts.look(intent.key)
            case CompareFile():
                self._comparing.look(intent)
            case Complete():
                self._completing.look(intent)
            case _:
                assert_never(intent)

    def follow(self, event: events.Event) -> None:
        match event:
            case events.ChatLoaded():
                self._completing.follow_attached()
                self.parts.follow()
            case events.EnvelopeBuilt():
                self._past.follow_next()
            case events.ChatShown(_, {"view": _}):
                self._past.follow_next()
                self._completing.follow_request()
            case events.LookedAhead() | events.TurnAsked():
                self._past.look_ahead()
            case _:
                pass
        shown = isinstance(event, events.ChatShown) and not _REQUESTS.isdisjoint(event.fields)
        if shown or isinstance(event, events.EditShown | events.ChatLoaded):
            self._why.follow()
