"""How a server's router is told which chat a request belongs to, so that it keeps to the replica with its cache."""

from __future__ import annotations

import re

from workbench.domain.text import digest_text

SESSION_FIELDS = ("prompt_cache_key", "user")
"""Fields of a request's body that routers go by; anything else is the name of a header."""

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
_OPAQUE = re.compile(r"[A-Za-z0-9._-]{1,64}")
# These say who asks, what is asked, or how it is carried: nobody's session.
_TAKEN = frozenset({
    "api-key", "authorization", "cache-control", "connection", "cookie", "cookie2", "date", "expect", "forwarded",
    "from", "host", "http2-settings", "keep-alive", "openai-organization", "openai-project", "origin", "range",
    "referer", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via", "x-api-key",
    "x-goog-api-key", "x-http-method-override",
})  # fmt: skip
_TAKEN_BEGINNINGS = (
    "accept",
    "access-control-",
    "anthropic-",
    "content-",
    "if-",
    "proxy-",
    "sec-",
    "x-forwarded-",
)


def session_problem(way: str) -> str:
    """Why a session cannot be told in this way; empty where it can."""
    name = way.lower()
    if way in SESSION_FIELDS:
        return ""
    if not _TOKEN.fullmatch(way):
        return "expected the name of a header (letters, digits and dashes), prompt_cache_key or user"
    if name in _TAKEN or name.startswith(_TAKEN_BEGINNINGS):
        return "this header has a meaning of its own; take one of the router's, such as X-Session-ID"
    return ""


def session_value(conversation: str) -> str:
    """The name of a chat for those who route its requests: nothing but its random id, in characters for a header."""
    return conversation if _OPAQUE.fullmatch(conversation) else digest_text(conversation)


def session_headers(way: str, conversation: str) -> dict[str, str]:
    """The header that tells the session; none where a field of the body does, or nothing."""
    return {} if not way or way in SESSION_FIELDS else {way.lower(): session_value(conversation)}
