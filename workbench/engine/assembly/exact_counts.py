"""Exact counts by the model's own server: only new texts are queried, and the whole before it is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.context.count.measure import attribute
from workbench.context.outgoing import model_request
from workbench.domain.answer import ModelFailed
from workbench.domain.caching import CacheForecast, Measurement
from workbench.domain.change import Built
from workbench.engine.assembly.building import prepare_nonblocking
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
    """The request with its server's counts, and what that server's cache holds of it.

    Where the model has no counter of its own, or that does not answer, the request is as good as it can be built here.
    """
    prepared = await prepare_nonblocking(conversation, ask, builder)
    envelope = prepared.built.envelope
    # No better count makes a request fit that is over by a whole window, and a long text takes the server long.
    if ask.settings.counter != "exact" or envelope.over_by_tokens > envelope.budget.window_tokens:
        return prepared
    try:
        meter = await model.meter()
        if meter is None:
            return prepared
        prepared = await _rebuild_until_exact(prepared, conversation, ask, _Lessons(builder, meter, store))
        return settled(prepared, await meter.measure(model_request(prepared.built)))
    except ModelFailed:
        return prepared


def nothing_held(prepared: Prepared) -> bool:
    """Whether the server has cached nothing of the request a log continues, but shared instructions."""
    envelope, foretold, previous = prepared.built.envelope, prepared.forecast, prepared.previous
    grown = envelope.layout == "append_only" and envelope.rebuilt is None
    if not grown or previous is None or foretold is None or not foretold.exact:
        return False
    shared = envelope.layer("L1_SYSTEM").total_tokens + _FRAMING
    return foretold.predicted_read_tokens <= shared and previous.envelope.total_tokens > 2 * shared


async def learn_counts(prepared: Prepared, model: ChatModel, builder: Builder, store: HistoryStore) -> bool:
    """Query the server for what was estimated in a request; returns whether anything was learnt."""
    if prepared.built.inputs.model.counted_at_send:
        return False
    try:
        meter = await model.meter()
        return meter is not None and await _Lessons(builder, meter, store).learn(prepared)
    except ModelFailed:
        return False


def settled(prepared: Prepared, measured: Measurement) -> Prepared:
    """The request with the server's token counts and cache forecast."""
    envelope = prepared.built.envelope
    if not envelope.exact or envelope.total_tokens != measured.prompt_tokens:
        envelope = attribute(envelope, measured)
    return replace(
        prepared, built=Built(prepared.built.inputs, envelope), forecast=_server_forecast(prepared, measured)
    )


def _server_forecast(prepared: Prepared, measured: Measurement) -> CacheForecast | None:
    """Forecast from the server's report; an estimate if others use its cache, too."""
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
    """Sources of exact counts: the store for earlier counts, the server for all others."""

    builder: Builder
    meter: PromptMeter
    store: HistoryStore

    async def learn(self, prepared: Prepared) -> bool:
        """Fetch the counts that the request lacks; returns whether it lacked any."""
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


async def _rebuild_until_exact(
    prepared: Prepared, conversation: Conversation, ask: Ask, lessons: _Lessons
) -> Prepared:
    """Rebuild with learnt counts: cuts depend on counts and make new texts, which settles in a few rounds."""
    for _ in range(_ROUNDS):
        if not await lessons.learn(prepared):
            break
        prepared = await prepare_nonblocking(conversation, ask, lessons.builder, prepared)
    return prepared
