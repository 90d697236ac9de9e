"""Models without a chat interface: the request is sent to `/v1/completions` as one text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.domain.message import Role
from workbench.domain.model import ModelCard
from workbench.domain.reading.loose_json import text_in
from workbench.domain.request import ModelRequest, RequestMessage
from workbench.providers.harness.harness import Learnt, Waits
from workbench.providers.openai.model import OpenAiModel
from workbench.providers.wire.body import Stretches
from workbench.providers.wire.endpoint import Endpoint

# A request as one text, for models that only continue what they are given: legacy completion servers take no messages.

_SPEAKERS: dict[Role, str] = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tool"}
_MARK = "###"
# A line that looks like the start of somebody's turn; with a blank before it, it is only a line.
_FORGED = re.compile(rf"^(?={_MARK} (?:{'|'.join(_SPEAKERS.values())}):)", re.MULTILINE)
STOP = (f"\n{_MARK} User:", f"\n{_MARK} System:")


def completion_prompt(messages: Sequence[RequestMessage]) -> str:
    """Returns every message under its speaker's name, ending where the answer starts or continues."""
    said = [_message_text(message) for message in messages]
    if messages and messages[-1].role == "assistant":
        return "\n\n".join(said)
    return "\n\n".join([*said, f"{_MARK} Assistant:\n"])


def _message_text(message: RequestMessage) -> str:
    calls = (f"(calls {call.name} {call.arguments})" for call in message.tool_calls)
    pictures = (f"(picture {image.digest[:8]}, which this model cannot see)" for image in message.images)
    words = "\n".join(part for part in (message.text, *calls, *pictures) if part)
    return f"{_MARK} {_SPEAKERS[message.role]}:\n{_FORGED.sub(' ', words)}"


_DEFAULT_WAITS = Waits()


class CompletionModel(OpenAiModel):
    """One model that continues text, at one endpoint → ChatModel."""

    _path = "/completions"
    _counts = False

    def __init__(
        self, endpoint: Endpoint, *, waits: Waits = _DEFAULT_WAITS, learnt: Learnt | None = None
    ) -> None:
        super().__init__(endpoint, waits=waits, on_chunk=_as_chat, learnt=learnt)

    async def card(self, known: ModelCard) -> ModelCard:
        """Returns the card without tools and pictures.

        Counts are estimates, since the text between messages is not counted.
        """
        card = replace(await super().card(known), tools=False, prefill=True, images=False, exact=False)
        takes = card.parameters.without("probabilities", "a server without a chat interface has its own form")
        return replace(card, parameters=takes)

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        chat = super()._body(replace(request, tools=()))
        asked_for = self._endpoint.session == "prompt_cache_key"
        unwanted = ("messages",) if asked_for else ("messages", "prompt_cache_key")
        body = {"stop": list(STOP), **{name: value for name, value in chat.items() if name not in unwanted}}
        if request.chosen.stop:
            body["stop"] = [*STOP, *request.chosen.stop]  # without ours it would go on with the next speaker
        return body | {"prompt": completion_prompt(request.messages)}

    def _stretches(self, request: ModelRequest, body: dict[str, Any]) -> Stretches:
        """Returns no places: all messages are in one text, with speakers' names and escaped marks."""
        return tuple(() for _ in request.messages)


def _as_chat(chunk: dict[str, Any]) -> None:
    """Rewrites a chunk of text to look like one of a chat, as which it is then read."""
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            choice["delta"] = {"content": text_in(choice, "text")}
