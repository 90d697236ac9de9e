"""Models without a chat interface: asked at `/v1/completions` with the request as one text."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from workbench.domain.model_card import ModelCard
from workbench.domain.request import ModelRequest
from workbench.providers.completion_prompt import STOP, completion_prompt
from workbench.providers.harness import RawPart
from workbench.providers.loose_values import text_in
from workbench.providers.openai_model import OpenAiModel, waiting_to_connect
from workbench.providers.openai_stream import answer_parts, check_is_stream
from workbench.providers.transport import Caps


class CompletionModel(OpenAiModel):
    """One model that continues text, at one endpoint."""

    async def card(self, known: ModelCard) -> ModelCard:
        """It cannot be told of tools, and goes on from any beginning."""
        return replace(await super().card(known), tools=False, prefill=True, images=False)

    async def _asked(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        client = await self._opened()
        body = self._body(request)
        create = client.completions.with_streaming_response.create
        async with create(
            model=body.pop("model"),
            prompt=completion_prompt(request.messages),
            stream=True,
            extra_body=body,
            timeout=waiting_to_connect(request.timeouts.connect_s),
        ) as response:
            pieces = response.http_response.aiter_raw()
            await check_is_stream(response.headers.get("content-type", ""), pieces)
            async with aclosing(answer_parts(pieces, request, Caps(), _as_chat)) as parts:
                async for part in parts:
                    yield part

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        body = super()._body(replace(request, tools=()))
        unwanted = ("messages", "stream", "prompt_cache_key")
        return {"stop": list(STOP), **{name: value for name, value in body.items() if name not in unwanted}}


def _as_chat(chunk: dict[str, Any]) -> None:
    """Let a piece of text look like a piece of a chat's answer, which is how it is read."""
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            choice["delta"] = {"content": text_in(choice, "text")}
