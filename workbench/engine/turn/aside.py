"""Asks the chat's model a small side question that is no turn and is not stored."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.context.request_cost import request_cost, uncached_forecast
from workbench.domain.answer import ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.building import prepare_in_thread
from workbench.engine.assembly.prepare import Ask, Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.hearing import hear
from workbench.engine.wire_forms import outgoing_request
from workbench.engine.world import World


@dataclass(frozen=True, slots=True)
class Aside:
    """A side question; `name` tells it from other requests, `answer_tokens` limits the answer."""

    name: str
    model: str
    system: str
    words: str
    answer_tokens: int


@dataclass(frozen=True, slots=True)
class AsideRequest:
    """A side request, and its cost; none if no price is known."""

    prepared: Prepared
    model: str
    tokens: int
    cost_usd: float | None


def aside_ask(aside: Aside, message: str) -> Ask:
    """The `Ask` of a side question, under a message's id."""
    settings = ContextSettings(
        model=aside.model, system_prompt=aside.system, reserved_output_tokens=aside.answer_tokens
    )
    return Ask(settings, Message(message, "user", (aside.words,)))


async def aside_request(aside: Aside, world: World) -> AsideRequest:
    """Build the request like every other: counted, with secrets treated as everywhere."""
    ask = aside_ask(aside, world.new_id())
    prepared = await prepare_in_thread(Conversation(aside.name), ask, world.builder)
    card, tokens = prepared.built.inputs.model, prepared.built.envelope.total_tokens
    cost = request_cost(card, world.prices.price(card), uncached_forecast(card, tokens))
    return AsideRequest(prepared, aside.model, tokens, cost)


async def ask_aside(request: AsideRequest, world: World) -> str:
    """Ask, and return the model's answer; `WorkbenchError` says why there is none."""
    sent = outgoing_request(request.prepared.built, world.parameters, {}, world.limits)
    try:
        return (await hear(world.models.open(request.model), sent, world.builder.clock)).text
    except ModelFailed as failed:
        raise WorkbenchError(failed.failure.message) from failed
