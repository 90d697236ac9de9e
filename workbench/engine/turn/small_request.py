"""A small request of the program's own (a title, a summary): without the chat's beginning, no turn, not stored."""

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
class SmallRequest:
    """What is asked; `name` tells it from other requests, `answer_tokens` limits the answer."""

    name: str
    model: str
    system: str
    words: str
    answer_tokens: int


@dataclass(frozen=True, slots=True)
class BuiltSmallRequest:
    """The request as it was built, and its cost; none if no price is known."""

    prepared: Prepared
    model: str
    tokens: int
    cost_usd: float | None


def small_ask(aside: SmallRequest, message: str) -> Ask:
    """The `Ask` of a small request, under a message's id."""
    settings = ContextSettings(
        model=aside.model, system_prompt=aside.system, reserved_output_tokens=aside.answer_tokens
    )
    return Ask(settings, Message(message, "user", (aside.words,)))


async def build_small_request(aside: SmallRequest, world: World) -> BuiltSmallRequest:
    """Build the request like every other: counted, with secrets treated as everywhere."""
    ask = small_ask(aside, world.new_id())
    prepared = await prepare_in_thread(Conversation(aside.name), ask, world.builder)
    card, tokens = prepared.built.inputs.model, prepared.built.envelope.total_tokens
    cost = request_cost(card, world.prices.price(card), uncached_forecast(card, tokens))
    return BuiltSmallRequest(prepared, aside.model, tokens, cost)


async def ask_small_request(request: BuiltSmallRequest, world: World) -> str:
    """Ask, and return the model's answer; `WorkbenchError` says why there is none."""
    sent = outgoing_request(request.prepared.built, world.parameters, {}, world.limits)
    try:
        return (await hear(world.models.open(request.model), sent, world.builder.clock)).text
    except ModelFailed as failed:
        raise WorkbenchError(failed.failure.message) from failed
