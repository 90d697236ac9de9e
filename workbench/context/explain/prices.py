"""The part of a request that a cache is expected to serve, given out along the wire: one run from the start."""

from __future__ import annotations

from workbench.domain.shown.envelope_view import CacheMark


class CachedRun:
    """Walks along a request; what is cached lies before one place, and nothing behind it.

    Attributes:
        read_tokens: how many tokens of the whole request are cached; None where nobody can say.
        at: how many of its tokens are behind.
    """

    def __init__(self, read_tokens: int | None, at: int = 0) -> None:
        self.read_tokens = read_tokens
        self.at = at

    def ahead(self, tokens: int) -> int | None:
        """How many of the next tokens are cached; None where nobody can say."""
        return None if self.read_tokens is None else max(0, min(tokens, self.read_tokens - self.at))

    def take(self, tokens: int) -> tuple[CacheMark, int]:
        """Go on by some tokens: whether they are cached, and how many of them."""
        cached, start = self.ahead(tokens), self.at
        self.at += tokens
        if cached is None or self.read_tokens is None:
            return "none", 0
        if start >= self.read_tokens:
            return "new", 0
        return ("hit" if cached == tokens else "part"), cached

    def elsewhere(self, at: int) -> CachedRun:
        """A walk along the same request that begins at another place."""
        return CachedRun(self.read_tokens, at)
