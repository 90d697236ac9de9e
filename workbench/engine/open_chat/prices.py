"""Previews changes of the next request before they are made: settings on trial, a step with its price.

The request is built as if the change had been made, and nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.context.explain.differences import counted_rows, price_tag
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey, StepPrice
from workbench.domain.workspace import Workspace
from workbench.engine.conversation import Conversation, reattach
from workbench.engine.events import ChatShown
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    DetachArtifacts,
    EditQuestion,
    Priceable,
    PriceStep,
)
from workbench.engine.open_chat.requests import ChatRequests
from workbench.engine.state import ChatState, Trial
from workbench.engine.tuning_intents import (
    PutBackAttached,
    TuneAttached,
    TuneLog,
    TuneMessages,
    TuneSummaries,
)
from workbench.engine.turn.planning import plan_edit
from workbench.engine.workspace_intents import ReviseWorkspace, SaveWorkspace

PRICED = "priced"


def trial_of(settings: ContextSettings, now: EnvelopeView, tried: EnvelopeView) -> Trial:
    """What settings on trial would make of the next request; `now` is that request as it is."""
    tag = price_tag(now, tried)
    return Trial(
        settings=settings,
        view=tried,
        lost_tokens=tag.reread_tokens or 0,
        extra_cost_usd=tag.now_usd,
        falls=_only_in(now, tried),
        returns=_only_in(tried, now),
    )


def _only_in(view: EnvelopeView, other: EnvelopeView) -> tuple[RowKey, ...]:
    """Rows sent in one view of which nothing is sent in the other, in any layer."""
    elsewhere = {member for row in counted_rows(other) for member in row.members}
    return tuple(row.key for row in counted_rows(view) if elsewhere.isdisjoint(row.members))


def after_step(conversation: Conversation, step: Sequence[Priceable]) -> Conversation:
    """The conversation after a step, as far as the next request depends on it."""
    for intent in step:
        match intent:
            case TuneAttached() | PutBackAttached():
                conversation = replace(conversation, attached=intent.of(conversation.attached))
            case DetachArtifacts(_, keys):
                conversation = replace(conversation, attached=reattach(conversation.attached, keys, ()))
            case AttachArtifact(_, one):
                conversation = replace(conversation, attached=reattach(conversation.attached, (), (one,)))
            case TuneMessages() | TuneSummaries():
                conversation = replace(conversation, tuning=intent.of(conversation.tuning))
            case TuneLog():
                tuning = intent.of(conversation.tuning, conversation.last)
                conversation = replace(conversation, tuning=tuning)
            case _:
                pass  # it changes nothing about the next request, or only its settings
    return conversation


def settings_after(settings: ContextSettings, step: Sequence[Priceable]) -> ContextSettings:
    """The chat's settings after a step."""
    for intent in step:
        if isinstance(intent, ChangeSettings):
            settings = intent.of(settings)
    return settings


def workspace_after(step: Sequence[Priceable]) -> Workspace | None:
    """The workspace after a step that changes it."""
    for intent in reversed(step):
        if isinstance(intent, SaveWorkspace):
            return intent.workspace
        if isinstance(intent, ReviseWorkspace):
            return intent.after
    return None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A step to be priced, and the state it leads to.

    `edited` is the question in its place with the conversation before it, for a step that edits one.
    """

    intent: PriceStep
    edited: tuple[Conversation, Message] | None = None
    standing: Conversation | None = None
    after: Conversation | None = None


class StepPrices:
    """Keeps the price of the one step in view up to date; a newer step replaces it.

    Attributes:
        wanted: that step; None where none is looked at.
    """

    def __init__(self, asking: ChatRequests) -> None:
        self._asking = asking
        self.wanted: _Wanted | None = None

    async def look(self, intent: PriceStep) -> None:
        """Price a step from now on, or none any longer."""
        self.wanted = None
        self._tell(None)
        if not intent.step:
            return
        wanted = self.wanted = _Wanted(intent)
        edit = next((one for one in intent.step if isinstance(one, EditQuestion)), None)
        if edit is not None:
            read = await self._read(edit)
            if read is None or self.wanted is not wanted:
                return
            self.wanted = replace(wanted, edited=read)
        self.again()

    def again(self) -> None:
        state, wanted, asking = self._asking.scope.state, self.wanted, self._asking
        if state is None or state.view is None or wanted is None:
            return
        edits = any(isinstance(one, EditQuestion) for one in wanted.intent.step)
        if edits and wanted.edited is None:
            return  # what it stands on is being read
        wanted = self._resulting_state(state, wanted)
        assert wanted.after is not None
        step = wanted.intent.step
        ask = asking.ask(state, settings_after(state.chat.settings, step), workspace_after(step))
        if wanted.edited is not None:
            ask = replace(ask, question=wanted.edited[1], tool_results=())
        prepared = asking.prepared(asking.requests.priced, wanted.after, ask, self.again)
        if prepared is None:
            return
        asking.count_soon(prepared)
        foretold = asking.cache.foretold(prepared, PRICED)
        view = asking.requests.priced.viewer.view(foretold, asking.requests.scene(state))
        forecast = None if state.prepared is None else state.prepared.forecast
        self._tell(StepPrice(wanted.intent.key, price_tag(state.view, view, forecast)))

    def _tell(self, price: StepPrice | None) -> None:
        state = self._asking.scope.state
        if state is not None and state.price != price:
            self._asking.scope.emit(ChatShown(state.chat.id, {"price": price}))

    def _resulting_state(self, state: ChatState, wanted: _Wanted) -> _Wanted:
        """What the step leads to; the same object while the chat is unchanged, so that it is built once."""
        if wanted.standing is not state.conversation:
            base = state.conversation if wanted.edited is None else wanted.edited[0]
            after = after_step(base, wanted.intent.step)
            wanted = self.wanted = replace(wanted, standing=state.conversation, after=after)
        return wanted

    async def _read(self, edit: EditQuestion) -> tuple[Conversation, Message] | None:
        try:
            plan = await plan_edit(edit, self._asking.world, edit.question)
        except WorkbenchError:
            return None  # it is on no branch that is kept: there is nothing to say about it
        return plan.conversation, plan.question
