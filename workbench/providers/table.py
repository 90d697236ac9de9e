"""The adapter of each interface; which one a provider has is in its line in `domain/models/provider.py`."""

from __future__ import annotations

from typing import Any, Protocol, assert_never, runtime_checkable

from workbench.domain.models.model import Api
from workbench.domain.models.provider import BY_NAME
from workbench.ports.models import ChatModel
from workbench.providers.harness.discovery import Learnt
from workbench.providers.served.servers import HeldByServers
from workbench.providers.wire.endpoint import Endpoint


@runtime_checkable
class ListsModels(Protocol):
    """An adapter whose server can be asked for all its models."""

    async def served_now(self) -> dict[str, Any]:
        """What the server says about all its models; `ModelFailed` where it does not."""


def model_at(endpoint: Endpoint, learnt: Learnt, held: HeldByServers, api: Api = "chat") -> ChatModel:
    """The model at an endpoint; a vendor's library is loaded when its adapter is needed first."""
    match BY_NAME[endpoint.provider].interface:
        # Of OpenAI's two interfaces the catalogue says which; other servers speak the older one.
        case "openai" if api == "responses" and endpoint.provider == "openai":
            from workbench.providers.openai.responses import ResponsesModel

            return ResponsesModel(endpoint, learnt=learnt, held=held)
        case "openai":
            from workbench.providers.openai.model import OpenAiModel

            return OpenAiModel(endpoint, learnt=learnt, held=held)
        case "anthropic":
            from workbench.providers.anthropic.model import AnthropicModel

            return AnthropicModel(endpoint, learnt=learnt)
        case "gemini":
            from workbench.providers.gemini.model import GeminiModel

            return GeminiModel(endpoint, learnt=learnt)
        case "ollama":
            from workbench.providers.ollama.model import OllamaModel

            return OllamaModel(endpoint, learnt=learnt)
        case "completion":
            from workbench.providers.openai.completion import CompletionModel

            return CompletionModel(endpoint, learnt=learnt)
        case "local" | "scripted":
            raise ValueError(f"{endpoint.provider} has no server")
        case unknown:
            assert_never(unknown)
