"""A title written by the chat's own model: a small request of its own, which is no turn and is kept nowhere."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.domain.chat_title import title_from
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.engine.turn.aside import Aside, AsideRequest, aside_request, ask_aside
from workbench.engine.world import World

SYSTEM = (
    "You name chats. Answer with a title for the chat below and with nothing else: at most eight words, in the "
    "language of the chat, no quotation marks, no full stop."
)
ANSWER_TOKENS = 300
"""More than a title needs: some models think before they write one."""
EXCERPT_CHARS = 1_500


async def title_request(chat: str, world: World) -> AsideRequest:
    """What asking for a title would send."""
    kept = await world.store.chat(chat)
    words = _excerpt(await world.store.path(chat))
    if not words:
        raise WorkbenchError("There is nothing in this chat yet that could be named.")
    aside = Aside(f"title of {chat}", kept.settings.model, SYSTEM, words, ANSWER_TOKENS)
    return await aside_request(aside, world)


async def ask_for_title(request: AsideRequest, world: World) -> str:
    """What the model calls it; `WorkbenchError` says why there is none."""
    try:
        said = await ask_aside(request, world)
    except WorkbenchError as problem:
        raise WorkbenchError(f"No title was written; the chat keeps its own. {problem}") from problem
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
