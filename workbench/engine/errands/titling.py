"""A title written by the chat's own model: a small request of its own, which is no turn and is kept nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from workbench.context.explain.prices import request_cost, unforeseen
from workbench.domain.answer import ModelFailed, TextGrew
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.preferences import ContextSettings
from workbench.domain.record import Record
from workbench.domain.text import title_from
from workbench.engine.build.building import prepare_beside
from workbench.engine.build.prepare import Ask, Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.wire_forms import outgoing_request
from workbench.engine.world import World

SYSTEM = (
    "You name chats. Answer with a title for the chat below and with nothing else: at most eight words, in the "
    "language of the chat, no quotation marks, no full stop."
)
ANSWER_TOKENS = 300
"""More than a title needs: some models think before they write one."""
EXCERPT_CHARS = 1_500


@dataclass(frozen=True, slots=True)
class TitleRequest:
    """What asking for a title would send, and what that costs; no cost where no price is known."""

    prepared: Prepared
    model: str
    tokens: int
    cost_usd: float | None


async def title_request(chat: str, world: World) -> TitleRequest:
    """The request, built as every other is: counted, and with secrets treated as everywhere."""
    kept = await world.store.chat(chat)
    words = _excerpt(await world.store.path(chat))
    if not words:
        raise WorkbenchError("There is nothing in this chat yet that could be named.")
    model = kept.settings.model
    settings = ContextSettings(model=model, system_prompt=SYSTEM, reserved_output_tokens=ANSWER_TOKENS)
    asked = Message(world.new_id(), "user", (words,))
    prepared = await prepare_beside(Conversation(f"title of {chat}"), Ask(settings, asked), world.builder)
    card, tokens = prepared.built.inputs.model, prepared.built.envelope.total_tokens
    cost = request_cost(card, world.prices.price(card), unforeseen(card, tokens))
    return TitleRequest(prepared, model, tokens, cost)


async def ask_for_title(request: TitleRequest, world: World) -> str:
    """What the model calls it; `WorkbenchError` says why there is none."""
    sent = outgoing_request(request.prepared.built, world.parameters, {}, world.limits)
    said = ""
    try:
        async with aclosing(world.models.open(request.model).stream(sent)) as parts:
            async for part in parts:
                said += part.text if isinstance(part, TextGrew) else ""
    except ModelFailed as failed:
        raise WorkbenchError(
            f"No title was written; the chat keeps its own. {failed.failure.message}"
        ) from failed
    title = title_from(said).strip(" \"'“”„«».")
    if not title:
        raise WorkbenchError(
            "No title was written; the chat keeps its own. The model answered without words."
        )
    return title


def _excerpt(path: Sequence[Record]) -> str:
    """The first question and what was said last: what a chat is about, and where it went."""
    said = [record.entry for record in path if isinstance(record.entry, Message)]
    asked = [one for one in said if one.role == "user" and one.text.strip()]
    answered = [one for one in said if one.role == "assistant" and one.text.strip()]
    chosen = (*asked[:1], *answered[:1], *asked[1:][-1:])
    return "\n\n".join(f"{one.role}: {one.text[:EXCERPT_CHARS]}" for one in chosen)
