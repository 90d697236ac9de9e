"""Scripted models: the real adapters, with a scripted server in this process behind them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from workbench.domain.answer import Accepted, AnswerPart
from workbench.domain.keys.secret import Secret
from workbench.domain.models.model import ModelCard
from workbench.domain.models.model_listing import ModelListing, ServerLook
from workbench.domain.request import ModelRequest
from workbench.domain.wire_form import WireBody
from workbench.ports.models import ChatModel, ModelCatalogue, PromptMeter
from workbench.providers.builtin.client import LlamaClient
from workbench.providers.builtin.meter import BuiltinMeter
from workbench.providers.builtin.model import WINDOW_TOKENS, BuiltinModel, gguf_source
from workbench.providers.builtin.server import LlamaRun
from workbench.providers.builtin.stream import OwnServer, chat_body
from workbench.providers.builtin.stream import answer_parts as llama_parts
from workbench.providers.harness.failures import Explainer
from workbench.providers.harness.harness import Harness, RawPart, Waits
from workbench.providers.openai.model import OpenAiModel
from workbench.providers.openai.stream import answer_parts as openai_parts
from workbench.providers.served.slot import LlamaSlot
from workbench.providers.wire.body import body_bytes, digest_of
from workbench.providers.wire.endpoint import endpoint_of
from workbench.providers.wire.transport import Caps
from workbench.showroom.model_server import LlamaCache, ScriptedServer, Tokens

_ONCE = Waits(retries_s=())
_NO_ADDRESS = "http://127.0.0.1:PORT"
SOME_KEY = Secret.of_text("a key that opens nothing")


class _InProcess(LlamaClient):
    """Calls the scripted server directly instead of over loopback."""

    def __init__(self, server: ScriptedServer) -> None:
        super().__init__(LlamaRun(1, _NO_ADDRESS, SOME_KEY, WINDOW_TOKENS))
        self._server = server

    async def rendered(self, body: Mapping[str, Any]) -> str:
        """The prompt that this chat becomes."""
        return self._server.prompt(body)

    async def tokens(self, prompt: str) -> Tokens:
        """The tokens of a whole prompt."""
        return self._server.reading.tokens(prompt)

    async def count(self, text: str) -> int:
        """How many tokens a part of a prompt is."""
        return len(self._server.reading.tokens(text))

    async def held(self) -> tuple[int, bool]:
        """How many tokens its cache holds, and whether it works just now."""
        cache = self._server.cache
        return cache.held_tokens if isinstance(cache, LlamaCache) else 0, False

    @asynccontextmanager
    async def streamed(self, content: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        """What comes of a request, as it comes."""
        async with aclosing(self._server.answered(content)) as pieces:
            yield pieces


class ScriptedLlama:
    """A GGUF file as the program runs it, counted and foretold by our own meter → ChatModel."""

    def __init__(self, name: str, server: ScriptedServer) -> None:
        self._name, self._template = name, server.reading.template
        self._slot, self._client = LlamaSlot(), _InProcess(server)
        self._meter = BuiltinMeter(self._client, self._slot, f"server:{name}", chat_body)
        self._meter.control_tokens = self._template.controls
        self._written = BuiltinModel(gguf_source(name))

    async def card(self, known: ModelCard) -> ModelCard:
        """The card as the file's own header would make it."""
        return replace(
            known,
            context_window_tokens=WINDOW_TOKENS,
            tokenizer=self._meter.name,
            prefill=True,
            images=False,
            control_tokens=self._template.controls,
            window_assumed=False,
        )

    def wire(self, request: ModelRequest) -> WireBody:
        """As the real adapter writes it."""
        return self._written.wire(request)

    async def meter(self) -> PromptMeter | None:
        """The server's own counting."""
        return self._meter

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """It is there."""

    async def close(self) -> None:
        """Nothing is open."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        _, prompt = await self._meter.prompt(request)
        endpoint = OwnServer(_NO_ADDRESS, self._name, local=True)
        attempt = partial(llama_parts, self._client, request, prompt, self._slot)
        try:
            harness = Harness(Explainer(endpoint), local=True, waits=_ONCE)
            async with aclosing(harness.stream(attempt, request.timeouts)) as parts:
                async for part in parts:
                    yield part
        finally:
            self._slot.left()


class ScriptedOpenAi:
    """A model of OpenAI's, asked in its adapter's own bytes → ChatModel."""

    def __init__(self, name: str, server: ScriptedServer) -> None:
        self._endpoint = endpoint_of(name, lambda _: SOME_KEY)
        self._written, self._server = OpenAiModel(self._endpoint), server

    async def card(self, known: ModelCard) -> ModelCard:
        """As it is: OpenAI says nothing about its models."""
        return known

    def wire(self, request: ModelRequest) -> WireBody:
        """As the real adapter writes it."""
        return self._written.wire(request)

    async def meter(self) -> PromptMeter | None:
        """The interface has no way to count."""
        return None

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """It is there."""

    async def close(self) -> None:
        """Nothing is open."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        harness = Harness(Explainer(self._endpoint), local=False, waits=_ONCE)
        return harness.stream(partial(self._attempt, request), request.timeouts)

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        content = body_bytes(self.wire(request).body)
        yield Accepted(digest_of(content))
        async with (
            aclosing(self._server.answered(content)) as pieces,
            aclosing(openai_parts(pieces, request, Caps(), None)) as parts,
        ):
            async for part in parts:
                yield part


@dataclass(slots=True)
class ScriptedModels:
    """The scripted models by name; any other name is opened by `others` → Models."""

    catalogue: ModelCatalogue
    scripted: Mapping[str, ChatModel]
    others: Callable[[str], ChatModel]

    def open(self, name: str) -> ChatModel:
        """The model of that name."""
        return self.scripted.get(name) or self.others(name)

    async def available(self) -> tuple[ModelListing, ...]:
        """The scripted models."""
        return tuple(ModelListing(name, self.catalogue.find(name), True) for name in self.scripted)

    async def look(self, *, hosted: bool) -> tuple[ServerLook, ...]:
        """The scripted models, all there."""
        return tuple(ServerLook(name, True, "scripted", asked=False) for name in self.scripted)

    async def close(self) -> None:
        """Nothing is open."""
