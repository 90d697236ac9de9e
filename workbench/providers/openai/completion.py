"""Models without a chat interface: asked at `/v1/completions` with the request as one text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.domain.model import ModelCard
from workbench.domain.request import ModelRequest
from workbench.providers.harness.harness import Waits
from workbench.providers.openai.completion_prompt import STOP, completion_prompt
from workbench.providers.openai.model import OpenAiModel
from workbench.providers.wire.body import Stretches
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.loose_values import text_in

_DEFAULT_WAITS = Waits()


class CompletionModel(OpenAiModel):
    """One model that continues text, at one endpoint."""

    _path = "/completions"

    def __init__(self, endpoint: Endpoint, *, waits: Waits = _DEFAULT_WAITS) -> None:
        super().__init__(endpoint, waits=waits, on_chunk=_as_chat)

    async def card(self, known: ModelCard) -> ModelCard:
        """It cannot be told of tools, and goes on from any beginning."""
        return replace(await super().card(known), tools=False, prefill=True, images=False)

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        chat = super()._body(replace(request, tools=()))
        unwanted = ("messages", "prompt_cache_key")
        body = {"stop": list(STOP), **{name: value for name, value in chat.items() if name not in unwanted}}
        return body | {"prompt": completion_prompt(request.messages)}

    def _stretches(self, request: ModelRequest, body: dict[str, Any]) -> Stretches:
        """All messages stand in one text, under names and with their marks made harmless."""
        return tuple(() for _ in request.messages)


def _as_chat(chunk: dict[str, Any]) -> None:
    """Let a piece of text look like a piece of a chat's answer, which is how it is read."""
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            choice["delta"] = {"content": text_in(choice, "text")}
