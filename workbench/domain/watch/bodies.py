"""Bodies of requests without keys: what a program sends along for somebody else's server is not kept."""

from __future__ import annotations

import re

HIDDEN = "…"
# A field of a tool server that the provider calls by itself, or a header for it. In a text within the body the quotes
# around it are escaped, so that what somebody writes about keys stays as it is.
_KEY = re.compile(
    rb'(?<!\\)"(authorization|authorization_token|(?:x-)?(?:goog-)?api[_-]?key|access_token|refresh_token|client_secret'
    rb'|bearer_token|x-auth-token|cookie)"(\s*:\s*)"(?:[^"\\]|\\.)+"',
    re.IGNORECASE,
)


def without_keys(body: bytes) -> bytes:
    """The body with a mark in the place of every key; the same body where it has none."""
    return _KEY.sub(rb'"\1"\2"' + HIDDEN.encode() + b'"', body)
