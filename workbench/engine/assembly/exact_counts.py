"""A request counted by the model's own server: only what is new is asked for, and the whole before it is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.context.count.measure import attribute
from workbench.context.outgoing import model_request
from workbench.domain.answer import ModelFailed
from workbench.domain.caching import CacheForecast, Measurement
from workbench.domain.change import Built
from workbench.engine.assembly.building import prepare_calmly
from workbench.engine.assembly.counters import recall_missing
from workbench.engine.assembly.prepare import Ask, Builder, Prepared
from workbench.engine.conversation import Conversation
from workbench.ports.history import HistoryStore
from workbench.ports.models import ChatModel, PromptMeter

_ROUNDS = 4
_FRAMING = 8  # tokens around a message, which all chats share, too


async def prepare_exactly(
    conversation: Conversation, ask: Ask, model: ChatModel, builder: Builder, store: HistoryStore
) -> Prepared:
    """The request as it is sent now: counted as its server counts it, and what the server's cache holds of it.

    Where the model has no counter of its own, or that does not answer, the request is as good as it can be built here.
    """
    prepared = await prepare_calmly(conversation, ask, builder)
    envelope = prepared.built.envelope
    # No better count makes a request fit that is over by a whole window, and a long text takes the server long.
    if ask.settings.counter != "exact" or envelope.over_by_tokens > envelope.budget.window_tokens:
        return prepared
    try:
        meter = await model.meter()
        if meter is None:
            return prepared
        prepared = await _learnt(prepared, conversation, ask, _Lessons(builder, meter, store))
        return settled(prepared, await meter.measure(model_request(prepared.built)))
    except ModelFailed:
        return prepared


def nothing_held(prepared: Prepared) -> bool:
    """Whether its server has nothing of the request a log goes on from, but for instructions that all chats share."""
    envelope, foretold, previous = prepared.built.envelope, prepared.forecast, prepared.previous
    grown = envelope.layout == "append_only" and envelope.rebuilt is None
    if not grown or previous is None or foretold is None or not foretold.exact:
        return False
    shared = envelope.layer("L1_SYSTEM").total_tokens + _FRAMING
    return foretold.predicted_read_tokens <= shared and previous.envelope.total_tokens > 2 * shared


async def learn_counts(prepared: Prepared, model: ChatModel, builder: Builder, store: HistoryStore) -> bool:
    """Ask the server for what was only estimated in a request that is being written; whether anything was learnt."""
    if prepared.built.inputs.model.counted_at_send:
        return False
    try:
        meter = await model.meter()
        return meter is not None and await _Lessons(builder, meter, store).learn(prepared)
    except ModelFailed:
        return False


def settled(prepared: Prepared, measured: Measurement) -> Prepared:
    """The request with its tokens and its forecast as the server sees them."""
    envelope = prepared.built.envelope
    if not envelope.exact or envelope.total_tokens != measured.prompt_tokens:
        envelope = attribute(envelope, measured)
    return replace(
        prepared, built=Built(prepared.built.inputs, envelope), forecast=_foretold(prepared, measured)
    )


def _foretold(prepared: Prepared, measured: Measurement) -> CacheForecast | None:
    """What the server's cache serves; where others use it too, an estimate: what we know of, or what the rules say."""
    read = measured.cached_tokens
    if read is None:
        return None
    by_rule = prepared.forecast or CacheForecast(prepared.built.inputs.model.provider, 0, 0)
    if not measured.sure:
        read = max(read, measured.served(by_rule.predicted_read_tokens))
    return replace(
        by_rule,
        predicted_read_tokens=read,
        predicted_write_tokens=measured.prompt_tokens - read,
        fresh_tokens=0,
        exact=measured.sure,
        step_tokens=measured.step_tokens,
    )


@dataclass(frozen=True, slots=True)
class _Lessons:
    """Who knows more than is counted here: the store what was counted before, the server everything."""

    builder: Builder
    meter: PromptMeter
    store: HistoryStore

    async def learn(self, prepared: Prepared) -> bool:
        """Know what the request lacks; whether it lacked anything."""
        card = prepared.built.inputs.model
        counter = self.builder.counters.served(card)
        if counter is None:
            return False
        if not counter.framed:
            counter.frame(await self.meter.framing())
            return True
        wanted = counter.missing()
        if wanted:
            await recall_missing(self.store, counter, card.tokenizer)
            if missing := counter.missing():
                counter.learn(dict(zip(missing, await self.meter.count(missing), strict=True)))
        return bool(wanted)


async def _learnt(prepared: Prepared, conversation: Conversation, ask: Ask, lessons: _Lessons) -> Prepared:
    """Cuts depend on counts, and new cuts make new texts; a few rounds settle that."""
    for _ in range(_ROUNDS):
        if not await lessons.learn(prepared):
            break
        prepared = await prepare_calmly(conversation, ask, lessons.builder, prepared)
    return prepared
