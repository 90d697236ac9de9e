"""What is asked of an OpenAI-compatible server, in the dialect it understands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from workbench.domain.request import ModelRequest
from workbench.domain.text import digest_text
from workbench.providers.openai.openai_messages import openai_messages, openai_tools
from workbench.providers.wire.endpoint import Endpoint

_LONGEST_CACHE_KEY = 64
# Set by the request itself; a parameter of that name would change what the answer is read as.
_RESERVED = {
    "model",
    "messages",
    "stream",
    "stream_options",
    "n",
    "tools",
    "max_tokens",
    "max_completion_tokens",
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where servers differ. Those that do not know a field may ignore it, or refuse the whole request.

    Attributes:
        limit_field: OpenAI's newer models refuse `max_tokens`, most other servers know nothing else.
        usage: whether usage is asked for.
        cache_key: whether the chat is named for routing to its cache: by OpenAI only, because strict servers
            (Mistral, Groq) refuse a request with fields they do not know.
        thoughts: whether thoughts go back with the calls they led to.
    """

    limit_field: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    usage: bool = True
    cache_key: bool = False
    thoughts: bool = True

    def after_refusal(self, words: str) -> Dialect | None:
        """How to ask instead, where the refusal names a field that we chose; None where it is about something else."""
        if self.usage and "stream_options" in words:
            return replace(self, usage=False)
        if self.cache_key and "prompt_cache_key" in words:
            return replace(self, cache_key=False)
        if self.thoughts and "reasoning_content" in words:
            return replace(self, thoughts=False)
        other: Literal["max_completion_tokens", "max_tokens"] = (
            "max_tokens" if self.limit_field == "max_completion_tokens" else "max_completion_tokens"
        )
        return replace(self, limit_field=other) if _refuses_field(words, self.limit_field) else None


def dialect_of(endpoint: Endpoint) -> Dialect:
    """How to ask at first."""
    if is_openai(endpoint):
        return Dialect("max_completion_tokens", cache_key=True, thoughts=False)
    return Dialect()


def is_openai(endpoint: Endpoint) -> bool:
    """Whether the server is OpenAI's own, in whichever region."""
    return endpoint.host == "api.openai.com" or endpoint.host.endswith(".api.openai.com")


def request_body(request: ModelRequest, endpoint: Endpoint, dialect: Dialect) -> dict[str, Any]:
    """Everything that is sent; of the parameters only what was set."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": openai_messages(request, thoughts=dialect.thoughts),
        "stream": True,
    }
    if dialect.usage:
        body["stream_options"] = {"include_usage": True}
    if request.max_output_tokens is not None:
        body[dialect.limit_field] = request.max_output_tokens
    if request.tools:
        body["tools"] = openai_tools(request.tools)
    if dialect.cache_key:
        body["prompt_cache_key"] = _cache_key(request.conversation)
    set_by_user = {name: value for name, value in request.parameters.items() if name not in _RESERVED}
    return body | {name: value for name, value in set_by_user.items() if value is not None}


def _cache_key(conversation: str) -> str:
    return conversation if len(conversation) <= _LONGEST_CACHE_KEY else digest_text(conversation)


def _refuses_field(words: str, name: str) -> bool:
    """Whether the field is not known, as against too large a value in it."""
    if name not in words:
        return False
    complaints = (
        "unsupported",
        "not supported",
        "unrecognized",
        "unknown",
        "extra",
        "not permitted",
        "unexpected",
    )
    return any(complaint in words.lower() for complaint in complaints)
