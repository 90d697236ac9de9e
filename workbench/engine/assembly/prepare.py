"""Prepares the next request: gather its inputs, build it, compare it with the last one, check and report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import NamedTuple, TypeVar

from workbench.context.assemble import Assembly, assemble
from workbench.context.assembly.memory import BuildMemory
from workbench.context.assembly.quotes import quoted_sections, section_body
from workbench.context.assembly.quoting import with_quoted
from workbench.context.assembly.references import held_copies, without_old_secrets, without_purged
from workbench.context.cache.forecast import Beginnings, Cache, forecast
from workbench.context.clean.guard import Marks, SecretGuard
from workbench.context.clean.neutralise import Neutraliser
from workbench.context.clean.redact import without_pictures
from workbench.context.compare import Shared, compare
from workbench.context.invariants import violations
from workbench.context.outgoing import Json
from workbench.context.report import brief_report, turn_report
from workbench.context.request_cost import request_cost
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.caching import CacheForecast, CacheRules
from workbench.domain.change import Built, PrefixChange
from workbench.domain.chunk import Chunk
from workbench.domain.envelope import (
    PICTURE_LEFT_OUT,
    SECRET_REPLACED,
    Envelope,
    RebuildReason,
    Repair,
    WireMessage,
)
from workbench.domain.message import Message
from workbench.domain.model import ModelCard, with_cache_seen
from workbench.domain.on_demand import as_sent
from workbench.domain.recall import Found
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.domain.turn import LibraryEntry, TurnInputs
from workbench.engine.assembly.counters import Counters
from workbench.engine.conversation import Conversation, age_between, asked_last, still_held
from workbench.engine.recall.finding import Recall
from workbench.ports.clock import Clock
from workbench.ports.models import CacheRulebook, ModelCatalogue, PriceList

# Where builds beside the loop are done, with a memory of their own: nothing that changes is shared with the loop.


T = TypeVar("T")


class BuildThread:
    """Runs builds in a worker thread, one at a time.

    Attributes:
        memory: what builds there remember; only work that is being done there may touch it.
    """

    def __init__(self) -> None:
        self.memory = BuildMemory()
        self._in_use = Lock()

    async def do(self, work: Callable[[], T]) -> T:
        import asyncio  # slow to import, and whoever waits here has it already: asking for help does not

        return await asyncio.to_thread(self._run_locked, work)

    def _run_locked(self, work: Callable[[], T]) -> T:
        # A thread goes on when nobody waits for it any more: the next one must not meet it.
        with self._in_use:
            return work()


# How long each phase of a build took.


class Laps:
    """A stopwatch: each phase is the time since the one before it ended.

    Attributes:
        milliseconds: time by phase, in the order the phases ended.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock.monotonic_ms()
        self.milliseconds: dict[str, float] = {}

    def lap(self, phase: str) -> None:
        now = self._clock.monotonic_ms()
        self.milliseconds[phase] = self.milliseconds.get(phase, 0.0) + now - self._last
        self._last = now


_HARMLESS = tr("control tokens or a key in it were made harmless")


@dataclass(frozen=True, slots=True)
class Builder:
    """The ports and caches that building a request needs."""

    catalogue: ModelCatalogue
    counters: Counters
    clock: Clock
    renderers: RendererRegistry
    memory: BuildMemory = field(default_factory=BuildMemory)
    neutraliser: Neutraliser = field(default_factory=Neutraliser)
    guard: SecretGuard = field(default_factory=SecretGuard)
    thread: BuildThread = field(default_factory=BuildThread)
    rulebook: CacheRulebook | None = None
    known_rules: dict[ModelCard, CacheRules | None] = field(default_factory=dict, init=False, compare=False)
    observed_rules: dict[str, CacheRules] = field(default_factory=dict, compare=False)
    prices: PriceList | None = None
    beginnings: Beginnings = field(default_factory=Beginnings)
    recall: Recall = field(default_factory=Recall)

    def cache_rules(self, card: ModelCard) -> CacheRules | None:
        """Cache rules of the model's provider, else those observed; None if unknown."""
        if card not in self.known_rules:
            self.known_rules[card] = None if self.rulebook is None else self.rulebook.rules(card)
        return self.known_rules[card] or self.observed_rules.get(card.name)

    def copy(self, card: ModelCard) -> Builder:
        """A copy for one model that shares no mutable state with the event loop's: for use in a thread."""
        return replace(
            self,
            counters=self.counters.copy(card),
            neutraliser=self.neutraliser.copy(),
            guard=self.guard.copy(),
            beginnings=Beginnings(),
        )


@dataclass(frozen=True, slots=True)
class Ask:
    """Inputs of one turn beyond the conversation it belongs to.

    Attributes:
        tool_results: those of tools that ran for this very question, before the model is asked.
        rounds: what was said in this turn after its question.
        card: what the model's own server says about it; otherwise the catalogue's word is taken.
        cold: no cache holds the request before any more. age_s: how long ago that one was sent, where it is known.
        rebuild: a person wants a log begun anew.
        found: what of the past fits the question, the best first.
    """

    settings: ContextSettings
    question: Message | None = None
    now: str | None = None
    tool_results: tuple[Chunk, ...] = ()
    rounds: tuple[Message, ...] = ()
    card: ModelCard | None = None
    cold: bool = False
    rebuild: bool = False
    age_s: float | None = None
    found: tuple[Found, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """A request ready to be shown or sent; the report about it is written when someone looks.

    `sendable` are the inputs as they were built from: the turn's own, made fit to be sent. `previous` is the
    request that it was compared with. `secrets` are keys and passwords in what the turn is made of, as it was written.
    `compare_with` is what the provider calls the answer to the request before; None where nobody has looked it up.
    `ratio` is what bare counts were multiplied with when it was counted; None where they were no estimates. `age_s` is
    how long ago the request before was sent.
    """

    built: Built
    change: PrefixChange
    forecast: CacheForecast | None
    sendable: TurnInputs
    build_ms: Mapping[str, float]
    previous: Built | None = None
    secrets: Marks = field(default_factory=dict)
    compare_with: str | None = None
    ratio: float | None = None
    age_s: float | None = None

    @cached_property
    def report(self) -> Json:
        """One turn of a report, the invariants checked."""
        findings = violations(Built(self.sendable, self.built.envelope))
        return turn_report(self.built, self.change, self.forecast, findings, self.build_ms)

    @property
    def aged_out(self) -> bool:
        """Whether the provider's cache has expired since the request before."""
        return self.forecast is not None and self.forecast.warm_s == 0.0

    @property
    def brief(self) -> Json:
        """The same turn in figures, without checking invariants, so that thousands of turns take seconds."""
        return brief_report(self.built, self.change, self.forecast)


def without_unsupported_tools(settings: ContextSettings, card: ModelCard) -> ContextSettings:
    """The settings without tools, if the model does not support them."""
    return settings if card.tools or not settings.tools else replace(settings, tools=(), tool_guidelines="")


def make_sendable(inputs: TurnInputs, builder: Builder) -> tuple[TurnInputs, tuple[Repair, ...]]:
    """The inputs with unsupported pictures, secrets and control tokens replaced for sending, and these repairs."""
    seen, blinded = (inputs, ()) if inputs.model.images else without_pictures(inputs)
    masked, replaced = builder.guard.replaced(seen)
    harmless, cleaned = builder.neutraliser.apply(masked)
    changed = ((PICTURE_LEFT_OUT, blinded), (SECRET_REPLACED, replaced), (_HARMLESS, cleaned))
    return harmless, tuple(Repair(key, why) for why, keys in changed for key in keys)


def secrets_in(inputs: TurnInputs, builder: Builder) -> Marks:
    """Keys and passwords found in a turn that are not replaced anyway."""
    return builder.guard.marks(inputs, builder.neutraliser.hidden)


@dataclass(frozen=True, slots=True)
class BuiltTurn:
    """A request that was built but not compared; `build_ms` has the milliseconds of each phase."""

    built: Built
    sendable: TurnInputs
    build_ms: Mapping[str, float]


def prepare_turn(conversation: Conversation, ask: Ask, builder: Builder) -> Prepared:
    """Build and compare the next request of a conversation; nothing is sent or changed."""
    made = build_turn(conversation, ask, builder)
    built, inputs = made.built, made.built.inputs
    change = compare(
        conversation.previous, built, builder.counters.counter(ask.settings.counter, inputs.model)
    )
    expected = forecast_cache(conversation, built, change, builder, ask.age_s)
    found = secrets_in(inputs, builder)
    ratio = builder.counters.ratio(ask.settings.counter, inputs.model)
    return Prepared(
        built, change, expected, made.sendable, made.build_ms, conversation.previous, found, ratio=ratio,
        age_s=ask.age_s,
    )  # fmt: skip


def ask_again(
    inputs: TurnInputs, conversation: Conversation, age_s: float | None = None
) -> tuple[Conversation, Ask]:
    """The conversation and `Ask` that rebuild a stored turn's request with `prepare_turn`."""
    standing = replace(
        conversation, id=inputs.conversation, turn=inputs.turn - 1, history=inputs.history,
        attached=inputs.attached, tuning=inputs.tuning,
    )  # fmt: skip
    ask = Ask(
        inputs.settings, inputs.question, inputs.now, inputs.tool_results, inputs.rounds, inputs.model,
        inputs.cold, inputs.rebuild, age_s, inputs.found,
    )  # fmt: skip
    return standing, ask


def turn_inputs(conversation: Conversation, ask: Ask, builder: Builder) -> TurnInputs:
    """Inputs of the next request of a conversation."""
    card = (ask.card or builder.catalogue.find(ask.settings.model)).lasting(ask.settings.cache_lifetime)
    if card.name in builder.observed_rules and builder.cache_rules(card) is not None:
        card = with_cache_seen(card)
    return TurnInputs(
        conversation=conversation.id,
        turn=conversation.turn + 1,
        settings=as_sent(ask.settings),
        model=card,
        history=conversation.said,
        attached=conversation.attached,
        library=_library(conversation, ask.settings, builder),
        question=ask.question,
        now=ask.now,
        tool_results=ask.tool_results,
        trim=conversation.trim,
        tuning=conversation.tuning,
        rounds=ask.rounds,
        cold=ask.cold,
        rebuild=ask.rebuild or conversation.rebuild_wanted,
        found=ask.found,
    )


def build_turn(conversation: Conversation, ask: Ask, builder: Builder) -> BuiltTurn:
    """Build the next request only: without comparison and without a cache forecast."""
    inputs = turn_inputs(conversation, ask, builder)
    sendable, cleaned = make_sendable(inputs, builder)
    counter = builder.counters.counter(ask.settings.counter, inputs.model)
    laps = Laps(builder.clock)
    before, unfit = _log_before(conversation, sendable, builder)
    assembly = Assembly(counter, builder.renderers, builder.memory, laps.lap, unfit)
    envelope = _with_repairs(assemble(sendable, assembly, before), cleaned)
    inputs, sendable = (with_quoted(one, envelope) for one in (inputs, sendable))
    return BuiltTurn(Built(inputs, envelope), sendable, laps.milliseconds)


def _library(
    conversation: Conversation, settings: ContextSettings, builder: Builder
) -> tuple[LibraryEntry, ...]:
    attached, previous = conversation.attached, conversation.previous
    guard, hidden = builder.guard, builder.neutraliser.hidden
    before = None if previous is None else previous.inputs
    left = without_purged(conversation.library, attached, conversation.tuning.purged, before)
    if settings.library.detached == "leave":
        held = {artifact.key for artifact in attached}
        left = tuple(entry for entry in left if entry.key in held)
    return without_old_secrets(left, attached, lambda text: guard.values(text, hidden))


def is_cold(rules: CacheRules | None, age_s: float | None) -> bool:
    """Whether the cache has expired since the request before."""
    lifetime_s = None if rules is None else rules.lifetime_s
    return lifetime_s is not None and age_s is not None and age_s >= lifetime_s


def forecast_cache(
    conversation: Conversation, built: Built, change: PrefixChange, builder: Builder, age_s: float | None
) -> CacheForecast | None:
    """Forecast what the provider's cache serves of a request, and its cost; None if its rules are unknown."""
    inputs = built.inputs
    rules, previous = builder.cache_rules(inputs.model), conversation.previous
    lifetime_s = None if rules is None else rules.lifetime_s
    sent = still_held(conversation.held, lifetime_s)
    # Rounds of a turn go on from one another, whatever the turn found when it began.
    current = _unless_listed(sent, conversation.current)
    beside, age_s = _held_beside(conversation, inputs.settings.model, lifetime_s, age_s)
    cold = inputs.cold and bool(sent) and not current and not beside
    held = (*(() if inputs.cold else sent), *beside, *current)
    known = None if previous is None else (previous, _shared_prefix(previous, built, change))
    counter = builder.counters.counter(inputs.settings.counter, inputs.model)
    found = forecast(Cache(rules, held, known), built, counter, builder.beginnings)
    if found is None:
        return None
    price = None if builder.prices is None else builder.prices.price(inputs.model)
    left_s = None if lifetime_s is None or age_s is None else max(0.0, lifetime_s - age_s)
    return replace(
        found,
        price_usd=request_cost(inputs.model, price, found),
        warm_s=0.0 if cold else left_s if held else None,
        limit="cold" if cold else found.limit,
    )


def _held_beside(
    conversation: Conversation, model: str, lifetime_s: float | None, age_s: float | None
) -> tuple[tuple[Built, ...], float | None]:
    """The side question that a cache may hold since, and how long ago the newest of both was asked."""
    beside = conversation.beside
    if beside is None or beside.built.inputs.settings.model != model:
        return (), age_s
    since_s = age_between(asked_last(conversation, model), beside.at)
    newer_s = age_s if age_s is None or since_s is None else max(0.0, age_s - since_s)
    if lifetime_s is not None and newer_s is not None and newer_s >= lifetime_s:
        return (), age_s
    return (beside.built,), newer_s


def _unless_listed(sent: tuple[Built, ...], current: Built | None) -> tuple[Built, ...]:
    """The request sent earlier in this turn, unless it is in the list of sent requests already."""
    if current is None or current.inputs.question is None:
        return ()
    asked = (current.inputs.question.id, len(current.inputs.rounds))
    known = {
        (one.inputs.question.id, len(one.inputs.rounds)) for one in sent if one.inputs.question is not None
    }
    return () if asked in known else (current,)


def _shared_prefix(previous: Built, built: Built, change: PrefixChange) -> Shared:
    last = len(previous.envelope.messages) - 1
    goes_on = change.change in ("identical", "extended")
    # Only the last message may have become longer.
    whole = goes_on and (last < 0 or _message_at(previous, last) == _message_at(built, last))
    return Shared(change.reused_tokens, change.change, whole=whole)


def _message_at(built: Built, place: int) -> tuple[str, str]:
    message = built.envelope.messages[place]
    return message.role, message.content


def _log_before(
    conversation: Conversation, sendable: TurnInputs, builder: Builder
) -> tuple[Built | None, RebuildReason | None]:
    """The request that an append-only log continues, and why it cannot be continued: it holds what must not be sent."""
    before = conversation.current or conversation.previous
    before = None if before is None else before.without_beginning
    if before is None or sendable.settings.layout == "layered" or before.envelope.layout == "layered":
        return before, None
    model = sendable.model
    # The cleaners remember the turn that is written: this one must not drive it out.
    neutraliser, guard = builder.neutraliser.copy(), builder.guard.copy()
    apart = replace(builder, neutraliser=neutraliser, guard=guard)
    as_now, _ = make_sendable(replace(before.inputs, model=model), apart)

    def is_unfit(message: WireMessage) -> bool:
        for one in message.segments:  # thousands of messages with one segment
            if one.images and not model.images:
                return True
            if neutraliser.would_change(one.text, model.control_tokens) or guard.would_change(one.text):
                return True
        return False

    messages, built = before.envelope.messages, Built(as_now, before.envelope)
    rules = (builder.neutraliser.hidden, model.control_tokens, model.images, builder.guard.mode)
    idle = model.images and guard.is_idle and neutraliser.is_idle(model.control_tokens)
    unfit = not idle and any(builder.memory.growing.each("unfit", messages, is_unfit, *rules))
    if unfit or _holds_raw_section(before, as_now):
        return built, "settings"
    return built, "secret" if _holds_old_secret(_secret_copies(before, builder), sendable) else None


def _holds_raw_section(before: Built, sendable: TurnInputs) -> bool:
    """Whether a request quotes a part of an artifact that must not be sent any more."""
    pairs = zip(before.inputs.attached, sendable.attached, strict=True)
    changed = {raw.key: (raw.text, clean.text) for raw, clean in pairs if raw.text != clean.text}
    return any(
        key in changed
        and section_body(one) in repair_text(changed[key][0])
        and section_body(one) not in repair_text(changed[key][1])
        for key, one in (quoted_sections(before.envelope) if changed else ())
    )


class _SecretCopy(NamedTuple):
    """A copy of an artifact in a log that contains secrets, and those secrets."""

    key: str
    content_digest: str
    values: tuple[str, ...]


def _secret_copies(before: Built, builder: Builder) -> Iterator[_SecretCopy]:
    """The copies of artifacts in a request that contain keys or passwords."""
    # What was attached was looked through as it is: its text in a wrapper would be another one.
    known = {artifact.content_digest: artifact.text for artifact in before.inputs.attached}
    for one in held_copies(before.envelope):
        text = known.get(one.content_digest, one.text) if one.form == "full" else one.text
        values = builder.guard.values(text, builder.neutraliser.hidden)
        if values:
            yield _SecretCopy(one.id, one.content_digest, values)
    attached = {artifact.key: artifact.text for artifact in before.inputs.attached}
    for key, one in quoted_sections(before.envelope):
        body = section_body(one)
        whole = attached.get(key, "")
        whole = whole if body in whole else body
        if values := builder.guard.values_in(body, whole, builder.neutraliser.hidden):
            yield _SecretCopy(key, one.content_digest, values)


def _holds_old_secret(copies: Iterable[_SecretCopy], inputs: TurnInputs) -> bool:
    """Whether an outdated copy contains a secret that the current one does not."""
    now = {artifact.key: artifact for artifact in inputs.attached}
    for copy in copies:
        new = now.get(copy.key)
        if new is None:
            return True
        if copy.content_digest != new.content_digest and any(value not in new.text for value in copy.values):
            return True
    return False


def _with_repairs(envelope: Envelope, repairs: tuple[Repair, ...]) -> Envelope:
    if not repairs:
        return envelope
    return replace(envelope, cuts=replace(envelope.cuts, repairs=(*envelope.cuts.repairs, *repairs)))
