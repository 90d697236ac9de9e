"""What of a request's head may be kept: who asked, in which session, with which switches; never a key."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

_KEPT = frozenset({
    "user-agent", "x-app", "originator", "x-title",
    "x-claude-code-session-id", "x-claude-code-agent-id", "session_id", "session-id", "x-session-id", "conversation_id",
    "x-conversation-id", "thread_id", "thread-id", "x-codex-turn-metadata", "x-codex-window-id",
    "x-codex-parent-thread-id", "x-openai-subagent", "x-client-request-id", "x-parent-session-id", "x-session-affinity",
    "anthropic-version", "anthropic-beta", "openai-beta", "x-stainless-lang", "x-stainless-package-version",
    "x-stainless-retry-count", "x-goog-api-client", "content-type", "content-encoding",
})  # fmt: skip
_PLAIN_QUERY = frozenset({
    "alt", "api-version", "after", "before", "beta", "include", "limit", "order", "pagesize", "stream", "timeout",
})  # fmt: skip
_LONGEST = 1000
HIDDEN = "…"


def kept_headers(headers: Iterable[tuple[bytes, bytes]]) -> tuple[tuple[str, str], ...]:
    """The headers that are kept, their names in lower case."""
    return tuple(
        (name, value.decode("utf-8", "replace")[:_LONGEST])
        for raw, value in headers
        if (name := raw.decode("latin-1").lower()) in _KEPT
    )


def kept_path(path: str) -> str:
    """A path with its query; the value of every parameter is hidden but those that hold no secret."""
    plain, mark, query = path.partition("?")
    shown = "&".join(_parameter(one) for one in query.split("&")) if query else ""
    return f"{plain}{mark}{shown}"[: 2 * _LONGEST]


def kept_address(url: str) -> str:
    """An address without a name and a password in it, and without a query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))[: 2 * _LONGEST]


def _parameter(text: str) -> str:
    name, equals, _ = text.partition("=")
    if name.lower() in _PLAIN_QUERY:
        return text
    return f"{name}={HIDDEN}" if equals else HIDDEN
