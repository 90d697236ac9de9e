"""Finds ways to make an oversized request fit; each is tried with a real build before it is offered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from workbench.context.assembly.select import Admission
from workbench.context.request_cost import request_cost, uncached_forecast
from workbench.context.shorten.compact import Shortening
from workbench.context.shorten.outline import outline, summary_messages
from workbench.context.shorten.runs import choose_run, turns_of
from workbench.domain.envelope import budget_for
from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.model import ModelListing
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.summary import OUTLINE, Summary, SummaryWish
from workbench.engine.assembly.building import prepare_nonblocking
from workbench.engine.assembly.prepare import Ask, Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.events import ChatShown
from workbench.engine.intents import ChangeSettings, ChatChange, DetachArtifacts
from workbench.engine.open_chat.requests import ChatRequests
from workbench.engine.state import ChatState, Fix, FixKind
from workbench.engine.tasks import Latest
from workbench.engine.tuning_intents import AttachedChange, PutBackAttached, TuneAttached, TuneSummaries
from workbench.engine.world import World

_MOST = 4
_LEAST_TOKENS = 100


@dataclass(frozen=True)
class Tight:
    """A request that does not fit, with what is needed to try fixes.

    Attributes:
        settings: as they are kept with the chat.
        ask: what the chat would ask under given settings.
        models: what could be asked instead.
    """

    conversation: Conversation
    settings: ContextSettings
    prepared: Prepared
    view: EnvelopeView
    ask: Callable[[ContextSettings], Ask]
    models: tuple[ModelListing, ...] = ()

    @property
    def chat(self) -> str:
        return self.conversation.id


@dataclass(frozen=True)
class _Idea:
    """A candidate fix: what would be attached and set; `about` is the attachment it concerns."""

    kind: FixKind
    subject: str
    attached: tuple[Artifact, ...]
    settings: ContextSettings
    number: int = 0
    about: Artifact | None = None
    summary: Summary | None = None


async def find_fixes(tight: Tight, world: World) -> tuple[Fix, ...]:
    """Up to four fixes, sufficient ones first; the event loop runs between builds."""
    found: list[Fix] = []
    summary = await asyncio.to_thread(_outline_summary, tight)
    for idea in _ideas(
        tight, summary and replace(summary, id=world.new_id(), compacted_at=world.utc.utc_now())
    ):
        if sum(fix.fits for fix in found) < _MOST:
            found.append(await _try_fix(idea, tight, world))
            await asyncio.sleep(0)
    helpful = [fix for fix in found if fix.fits or fix.saved_tokens > 0]
    return tuple(sorted(helpful, key=lambda fix: not fix.fits)[:_MOST])


async def _try_fix(idea: _Idea, tight: Tight, world: World) -> Fix:
    conversation = replace(tight.conversation, attached=idea.attached)
    if idea.summary is not None:
        added = TuneSummaries(tight.chat, (idea.summary,))
        conversation = replace(conversation, tuning=added.of(conversation.tuning))
    ask = tight.ask(idea.settings)
    prepared = await prepare_nonblocking(conversation, ask, world.builder, tight.prepared)
    envelope, card = prepared.built.envelope, prepared.built.inputs.model
    expected = prepared.forecast or uncached_forecast(card, envelope.total_tokens)
    do, undo = _changes(idea, tight)
    return Fix(
        kind=idea.kind,
        subject=idea.subject,
        total_tokens=envelope.total_tokens,
        over_tokens=max(0, envelope.total_tokens - envelope.budget.window_tokens),
        fits=envelope.fits,
        saved_tokens=max(0, tight.view.total_tokens - envelope.total_tokens),
        number=idea.number,
        priority=None if idea.about is None else idea.about.priority,
        cost_usd=request_cost(card, world.prices.price(card), expected),
        do=do,
        undo=undo,
    )


def _changes(idea: _Idea, tight: Tight) -> tuple[tuple[ChatChange, ...], tuple[ChatChange, ...]]:
    chat, one = tight.chat, idea.about
    if idea.summary is not None:
        gone = frozenset({idea.summary.id})
        return (TuneSummaries(chat, (idea.summary,)),), (TuneSummaries(chat, remove=gone),)
    if one is None:
        now, then = tight.settings, idea.settings
        return (ChangeSettings(chat, then, now),), (ChangeSettings(chat, now, then),)
    if idea.kind == "unpin":
        loose, held = (AttachedChange(one.key, pinned=pinned) for pinned in (False, True))
        return (TuneAttached(chat, (loose,)),), (TuneAttached(chat, (held,)),)
    if idea.kind == "shorten":
        less, before = (AttachedChange(one.key, most_tokens=n) for n in (idea.number, one.most_tokens or 0))
        return (TuneAttached(chat, (less,)),), (TuneAttached(chat, (before,)),)
    order = tuple(artifact.key for artifact in tight.conversation.attached)
    return (DetachArtifacts(chat, (one.key,)),), (PutBackAttached(chat, (one,), order),)


def _ideas(tight: Tight, summary: Summary | None) -> Iterator[_Idea]:
    """Candidate fixes, best first: each kind once, then the same for another attachment."""
    largest = _largest_pinned(tight)
    yield from _shorten(tight)
    yield from (_unpin(one, tight) for one in largest[:1])
    yield from _leave_oldest(tight)
    if summary is not None:
        number = summary.last_turn - summary.first_turn + 1
        yield _Idea("summarise", "", tight.conversation.attached, tight.settings, number, summary=summary)
    yield from _larger_window(tight)
    yield from _other_model(tight)
    yield from (_detach(one, tight) for one in largest[:1])
    yield from (_unpin(one, tight) for one in largest[1:2])


def _costs(tight: Tight) -> dict[str, int]:
    costs: dict[str, int] = {}
    for layer in tight.view.layers:
        for row in layer.rows if layer.name in ("L2_PREVIOUS", "L3_TURN") else ():
            costs[row.key.id] = costs.get(row.key.id, 0) + (row.tokens if row.counted else 0)
    return costs


def _shorten(tight: Tight) -> Iterator[_Idea]:
    """Shorten the two largest attachments that may be, pinned ones too, each to a size that fits."""
    costs, how = _costs(tight), Shortening(tight.settings.compaction)
    able = [one for one in tight.conversation.attached if how.applies_to(one) and costs.get(one.key, 0)]
    for one in sorted(able, key=lambda artifact: -costs[artifact.key])[:2]:
        tokens = _round_below(costs[one.key] - tight.view.over_tokens)
        if tokens >= _LEAST_TOKENS:
            shorter = replace(one, most_tokens=tokens)
            attached = tuple(shorter if a is one else a for a in tight.conversation.attached)
            yield _Idea("shorten", one.title or one.key, attached, tight.settings, number=tokens, about=one)


def _round_below(tokens: int) -> int:
    """The next smaller number with two significant digits."""
    step = int("1".ljust(len(str(max(0, tokens))) - 1, "0"))
    return tokens - tokens % step


def _largest_pinned(tight: Tight) -> list[Artifact]:
    """Pinned attachments by size; others were dropped already."""
    costs = _costs(tight)
    pinned = [artifact for artifact in tight.conversation.attached if artifact.essential]
    return sorted(pinned, key=lambda artifact: -costs.get(artifact.key, 0))


def _unpin(one: Artifact, tight: Tight) -> _Idea:
    attached = tuple(replace(a, essential=False) if a is one else a for a in tight.conversation.attached)
    return _Idea("unpin", one.title or one.key, attached, tight.settings, about=one)


def _detach(one: Artifact, tight: Tight) -> _Idea:
    attached = tuple(artifact for artifact in tight.conversation.attached if artifact is not one)
    return _Idea("detach", one.title or one.key, attached, tight.settings, about=one)


def _outline_summary(tight: Tight) -> Summary | None:
    """A summary of the oldest turns in their own sentences, which keeps numbers and names."""
    conversation = tight.conversation
    turns = turns_of(conversation.said, conversation.turn)
    try:
        run = choose_run(turns, conversation.tuning, SummaryWish(), 1)
    except WorkbenchError:
        return None
    admission = Admission(tight.settings.filters, conversation.tuning.excluded)
    read = [entry for entry in run.entries if admission.admits(entry)]
    made = outline(summary_messages(read)).text
    return None if made is None else run.summary(read, OUTLINE, made)


def _leave_oldest(tight: Tight) -> Iterator[_Idea]:
    """Leave out the oldest turns whole, now and whenever the window is full, in a chat that keeps all questions."""
    history = tight.settings.history
    if history.when_full == "exchanges" or not tight.conversation.history:
        return
    threshold = history.threshold or HistorySettings().threshold
    history = replace(history, when_full="exchanges", threshold=threshold)
    settings = replace(tight.settings, history=history)
    yield _Idea("leave", "", tight.conversation.attached, settings)


def _larger_window(tight: Tight) -> Iterator[_Idea]:
    """Double the window until the request fits, up to the model's own."""
    own = tight.prepared.built.inputs.model.context_window_tokens
    window = tight.settings.context_window
    if window is None or window >= own:
        return
    settings = tight.settings
    while window < own and budget_for(settings, own).window_tokens < tight.view.total_tokens:
        window = min(own, max(1, 2 * window))
        settings = replace(settings, context_window=window)
    # What a request may take is what is called its budget everywhere: the window without what the answer gets.
    budget = budget_for(settings, own).window_tokens
    yield _Idea("larger_window", tight.settings.model, tight.conversation.attached, settings, number=budget)


def _other_model(tight: Tight) -> Iterator[_Idea]:
    """The model with the smallest sufficient window, preferably of the same provider."""
    free = replace(tight.settings, context_window=None)
    card = tight.prepared.built.inputs.model
    enough = [
        (listing.card.provider != card.provider, listing.card.context_window_tokens, listing.name)
        for listing in tight.models
        if listing.card is not None
        and listing.usable
        and listing.name != tight.settings.model
        and budget_for(free, listing.card.context_window_tokens).window_tokens >= tight.view.total_tokens
    ]
    if enough:
        _, window, name = min(enough)
        settings = replace(free, model=name)
        yield _Idea("other_model", name, tight.conversation.attached, settings, number=window)


class Fixing:
    """Keeps fixes for the request in view while it is over its limit; one search at a time."""

    def __init__(self, asking: ChatRequests) -> None:
        self._asking = asking
        self._found: tuple[Conversation, tuple[Fix, ...]] | None = None

    @cached_property
    def _looks(self) -> Latest[Prepared]:
        """Only where there was something to fix: it refers back to this, and so would all of a chat that is closed."""
        return Latest(self._asking.world.tasks, self._find)

    def known(self, state: ChatState) -> tuple[Fix, ...]:
        """Fixes found for exactly this state of the chat: after any change they may be wrong."""
        if self._found is None or self._found[0] is not state.conversation:
            return ()
        return self._found[1]

    def look(self) -> None:
        """Search for fixes in the background if the request in view needs any."""
        if (tight := self._tight()) is not None:
            self._looks.call(f"look for fixes in {self._asking.chat}", tight.prepared)

    async def _find(self, _: Prepared) -> None:
        if (tight := self._tight()) is None:
            return
        try:
            fixes = await find_fixes(tight, self._asking.world)
        except WorkbenchError:
            return  # without a count there is nothing to offer
        self._found = (tight.conversation, fixes)
        state = self._asking.scope.state
        if state is not None and state.prepared is tight.prepared:  # its view may be a newer one
            self._asking.scope.emit(ChatShown(state.chat.id, {"fixes": fixes}))

    def _tight(self) -> Tight | None:
        state = self._asking.scope.state
        if state is None or state.view is None or state.prepared is None or not state.view.over_tokens:
            return None
        return Tight(
            state.conversation, state.chat.settings, state.prepared, state.view, partial(self._asking.ask, state),
            self._asking.scope.states.state.models or (),
        )  # fmt: skip
