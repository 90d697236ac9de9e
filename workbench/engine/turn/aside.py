"""A question to the chat's own model beside its turns: a small request that is no turn and is kept nowhere."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.context.request_cost import request_cost, uncached_forecast
from workbench.domain.answer import ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.settings.preferences import ContextSettings
from workbench.engine.assembly.building import prepare_beside
from workbench.engine.assembly.prepare import Ask, Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.hearing import hear
from workbench.engine.wire_forms import outgoing_request
from workbench.engine.world import World


@dataclass(frozen=True, slots=True)
class Aside:
    """What is asked beside a chat; `name` tells it from other requests, `answer_tokens` is the longest answer."""

    name: str
    model: str
    system: str
    words: str
    answer_tokens: int


@dataclass(frozen=True, slots=True)
class AsideRequest:
    """What asking would send, and what that costs; no cost where no price is known."""

    prepared: Prepared
    model: str
    tokens: int
    cost_usd: float | None


def aside_ask(aside: Aside, message: str) -> Ask:
    """What it asks for, under a message's id."""
    settings = ContextSettings(
        model=aside.model, system_prompt=aside.system, reserved_output_tokens=aside.answer_tokens
    )
    return Ask(settings, Message(message, "user", (aside.words,)))


async def aside_request(aside: Aside, world: World) -> AsideRequest:
    """The request, built as every other is: counted, and with secrets treated as everywhere."""
    ask = aside_ask(aside, world.new_id())
    prepared = await prepare_beside(Conversation(aside.name), ask, world.builder)
    card, tokens = prepared.built.inputs.model, prepared.built.envelope.total_tokens
    cost = request_cost(card, world.prices.price(card), uncached_forecast(card, tokens))
    return AsideRequest(prepared, aside.model, tokens, cost)


async def ask_aside(request: AsideRequest, world: World) -> str:
    """What the model says; `WorkbenchError` says why it says nothing."""
    sent = outgoing_request(request.prepared.built, world.parameters, {}, world.limits)
    try:
        return (await hear(world.models.open(request.model), sent, world.builder.clock)).text
    except ModelFailed as failed:
        raise WorkbenchError(failed.failure.message) from failed
