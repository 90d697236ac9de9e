"""One open chat: its requests, shown anew on every change; made when it is opened, dropped when it is closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.engine.events import EnvelopeBuilt, Event, RequestSent, RequestShown, TrialShown
from workbench.engine.intents import TrySettings
from workbench.engine.open_chat.asking import Asking
from workbench.engine.open_chat.edits import Edited, Edits
from workbench.engine.open_chat.fixing import Fixing
from workbench.engine.open_chat.prices import StepPrices, trial_of
from workbench.engine.shown.request_view import RequestViewer
from workbench.ports.tracing import BUILD, VIEW_VALUES

if TYPE_CHECKING:
    from workbench.engine.completion.sources import Sources
    from workbench.engine.open_chat.looks import CloserLooks

TRIAL = "what if"


class OpenChat:
    """Keeps the shown request of one chat true to what would be sent.

    Attributes:
        asking: builds its requests. edits: questions that are edited in place. prices: of the step that is looked at.
    """

    def __init__(self, asking: Asking, edited: Edited, sources: Callable[[], Sources]) -> None:
        self.asking, self.scope, self._world, self._sources = asking, asking.scope, asking.world, sources
        self.edits = Edits(asking, edited)
        self._fixing = Fixing(asking)
        self.prices = StepPrices(asking)
        asking.serve(self.refresh)

    @cached_property
    def looks(self) -> CloserLooks:
        """Loaded when somebody looks: who asks a single question waits for none of it."""
        from workbench.engine.open_chat.looks import CloserLooks

        return CloserLooks(self.scope, self._sources())

    def follow(self, event: Event) -> None:
        """Something happened in the chat."""
        if "looks" in vars(self):
            self.looks.follow(event)

    def refresh(self) -> None:
        """Show the next request; one that takes long is built in a thread, and the old one stays meanwhile."""
        state, asking = self.asking.state, self.asking
        if state is None:
            return
        chat, requests = asking.chat, asking.requests
        with self._world.trace.span(BUILD):
            ask = asking.ask(state, state.chat.settings)
            prepared = asking.prepared(requests.next, state.conversation, ask, self.refresh)
            if prepared is None:
                return
            prepared = asking.cache.foretold(prepared)
        self.scope.emit(EnvelopeBuilt(chat, prepared))
        inputs = prepared.built.inputs
        warm = asking.warmth.look(state.conversation, inputs.settings.model, inputs.model)
        asking.warmth.watch(warm)
        values = self._world.workspaces.values(state.chat, state.conversation.attached)
        scene = replace(requests.scene(state), warm_until_utc=warm.until_utc, values=values)
        with self._world.trace.span(VIEW_VALUES):
            view = requests.next.viewer.view(prepared, scene)
            attachments = requests.next.viewer.attachments(prepared, view, scene)
        fixes = self._fixing.known(state) if view.over_tokens else ()
        self.scope.emit(RequestShown(chat, view, attachments, fixes))
        self._fixing.look()
        self._try()
        self.edits.show()
        asking.count_soon(prepared)
        self.prices.again()

    def start_over(self) -> None:
        """Counts or models are known better: build everything anew."""
        self.asking.requests.start_over()
        self.refresh()

    def try_out(self, intent: TrySettings) -> None:
        """Show what the next request would be under other settings, from now on or no longer."""
        wanted = intent.settings is not None or intent.workspace is not None
        self.asking.requests.tried = intent if wanted else None
        if not wanted:
            self.scope.emit(TrialShown(intent.chat, None))
        self._try()

    def sent(self, event: EnvelopeBuilt) -> None:
        """A request of a turn goes out: show it as the one that is being answered."""
        state, asking = self.asking.state, self.asking
        if state is None or not event.prepared.built.envelope.fits:
            return
        scene = asking.requests.scene(state, "in_flight", self._world.utc.utc_now())
        viewer = RequestViewer(self._world.builder, self._world.prices, asking.lenses)
        self.scope.emit(RequestSent(event.chat, viewer.view(event.prepared, scene)))

    def close(self) -> None:
        """The chat is no longer in view."""
        self.scope.close()
        self._world.builder.recall.forget(self.asking.chat)

    def _try(self) -> None:
        """Build the request under the settings that are tried out, if any are."""
        state, asking = self.asking.state, self.asking
        requests = asking.requests
        if state is None or state.view is None or requests.tried is None:
            return
        settings = requests.tried.settings or state.chat.settings
        ask = asking.ask(state, settings, requests.tried.workspace)
        tried = asking.prepared(requests.trial, state.conversation, ask, self._try)
        if tried is not None:
            # Asked of the same server as the request it is compared with.
            tried = asking.cache.foretold(tried, TRIAL)
            view = requests.trial.viewer.view(tried, requests.scene(state))
            self.scope.emit(TrialShown(asking.chat, trial_of(settings, state.view, view)))
