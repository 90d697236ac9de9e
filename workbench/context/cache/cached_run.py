"""The part of a request that a cache is expected to serve, given out along the wire: one run from the start."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.domain.shown.envelope_view import CacheMark


class CachedRun:
    """Walks along a request; what is cached lies before one place, and nothing behind it.

    Attributes:
        read_tokens: how many tokens of the whole request are cached; None where nobody can say.
        at: how many of its tokens are behind.
        began: in a log, where what was taken last stands; None by layers, where rows follow each other.
    """

    def __init__(self, read_tokens: int | None, at: int = 0) -> None:
        self.read_tokens = read_tokens
        self.at = at
        self.began: int | None = None

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

    def take_more(self, tokens: int) -> tuple[CacheMark, int]:
        """The next tokens of the same segment."""
        return CachedRun.take(self, tokens)

    def take_each(self, parts: Sequence[int]) -> tuple[CacheMark, int]:
        """The same for several pieces, one behind the other."""
        return self.take(sum(parts))

    def elsewhere(self, at: int) -> CachedRun:
        """A walk along the same request that begins at another place."""
        return CachedRun(self.read_tokens, at)

    def key(self, tokens: int) -> object:
        """Everything that what is taken depends on, for so many tokens."""
        # One token further: a row without tokens is cached, too, where the run goes on behind it.
        return self.ahead(tokens + 1)


class LogRun(CachedRun):
    """Walks along one layer of a log, whose segments stand apart; `starts` are their places, in order."""

    def __init__(self, read_tokens: int | None, starts: Sequence[int]) -> None:
        super().__init__(read_tokens)
        self._starts, self._next = tuple(starts), 0

    def take(self, tokens: int) -> tuple[CacheMark, int]:
        """The next segment: whether it is cached, and how many of its tokens."""
        self.at = self.began = self._starts[self._next]
        self._next += 1
        return super().take(tokens)

    def take_each(self, parts: Sequence[int]) -> tuple[CacheMark, int]:
        """The next segments: whether all of them are cached, or some, and how many tokens."""
        first = self._starts[self._next] if parts else None
        taken = [self.take(tokens) for tokens in parts]
        self.began = first
        marks = {mark for mark, _ in taken}
        mark: CacheMark = marks.pop() if len(marks) == 1 else "part"
        return mark if taken else "none", sum(cached for _, cached in taken)

    def take_more(self, tokens: int) -> tuple[CacheMark, int]:
        """The next tokens of the same segment."""
        self.began = self.at
        return super().take_more(tokens)

    def elsewhere(self, at: int) -> CachedRun:
        """Wherever a segment stands, its place is known."""
        return self

    def key(self, tokens: int) -> object:
        """Everything that what is taken depends on."""
        return self.read_tokens, self._starts
