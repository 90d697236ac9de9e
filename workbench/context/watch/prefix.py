"""Chained digests of every prefix of a watched request, by which a cache recognises it."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, count
from operator import ne
from typing import Any, Generic, TypeVar

from workbench.domain.reading.loose_json import strings_in
from workbench.domain.text import digest_text
from workbench.domain.watch.exchange import WatchedFormat
from workbench.domain.watch.request import WatchedPiece, WatchedRequest

BILLING = "x-anthropic-billing-header:"
"""A line that Claude Code writes into its system prompt and that Anthropic's own server takes out again."""

# Parameters that change what a model reads, so that a cache begins again: before everything, or before the messages.
_BEFORE_ALL: dict[WatchedFormat, tuple[str, ...]] = {
    "openai": ("response_format", "reasoning_effort"),
    "responses": ("text", "reasoning"),
    "anthropic": ("speed",),
    "ollama": ("template", "raw", "think"),
    "gemini": ("cachedContent",),
}
_BEFORE_MESSAGES: dict[WatchedFormat, tuple[str, ...]] = {
    "anthropic": ("tool_choice", "thinking", "output_config"),
}


@dataclass(frozen=True, slots=True)
class Beginnings:
    """The digest chain of a request: `after[n]` is the digest of everything up to piece n.

    Attributes:
        talk: of the parameters before the messages. talks_at: the first piece of those.
    """

    seed: str
    after: tuple[str, ...]
    talk: str = ""
    talks_at: int = 0


def telling_parameters(request: WatchedRequest) -> tuple[tuple[str, str], ...]:
    """The parameters that affect the cache."""
    names = (*_BEFORE_ALL.get(request.format, ()), *_BEFORE_MESSAGES.get(request.format, ()))
    return tuple((name, value) for name, value in request.parameters if name in names)


def beginnings(
    request: WatchedRequest, server: str, before: Beginnings | None = None, begun: int = 0
) -> Beginnings:
    """The digest chain of a request at a server; `before` is that of a request with the same first `begun` pieces."""
    told = dict(request.parameters)
    first = [told.get(name, "") for name in _BEFORE_ALL.get(request.format, ())]
    later = [told.get(name, "") for name in _BEFORE_MESSAGES.get(request.format, ())]
    seed = digest_text("\0".join((server, request.model, *first)))
    talk = digest_text("\0".join(later)) if any(later) else ""
    pieces = request.pieces
    talks_at = next((n for n, one in enumerate(pieces) if one.layer != "L1_SYSTEM"), len(pieces))
    chain = _reusable_chain(before, begun, Beginnings(seed, (), talk, talks_at))
    at = chain[-1] if chain else seed
    for place in range(len(chain), len(pieces)):
        if talk and place == talks_at:
            at = digest_text(at + talk)
        piece = pieces[place]
        at = at if _is_unread(piece, server) else digest_text(at + piece.digest)
        chain.append(at)
    return Beginnings(seed, tuple(chain), talk, talks_at)


def _reusable_chain(before: Beginnings | None, begun: int, now: Beginnings) -> list[str]:
    """The part of the previous chain that also holds for a request with the same beginning."""
    if before is None or before.seed != now.seed:
        return []
    if (before.talk, before.talks_at) != (now.talk, now.talks_at):
        begun = min(begun, before.talks_at, now.talks_at)
    return list(before.after[:begun])


def reread_tokens(lost: int, kept: int, total: int) -> int:
    """Tokens of a lost prefix that are read again: at most what the later request has after the common prefix."""
    return min(lost, max(0, total - kept))


def extend_chain(chain: Beginnings, pieces: Sequence[WatchedPiece]) -> tuple[str, ...]:
    """The chain extended by the pieces of an answer."""
    at = chain.after[-1] if chain.after else chain.seed
    found = []
    for piece in pieces:
        at = digest_text(at + piece.digest)
        found.append(at)
    return tuple(found)


def _is_unread(piece: WatchedPiece, server: str) -> bool:
    """Whether the server removes a piece before the model reads it."""
    return server == "anthropic" and piece.kind == "system" and piece.text.startswith(BILLING)


# Messages that were read before: a request that goes on repeats all of them, and only what is new is read.


T = TypeVar("T")
_MOST_RUNS = 8
"""The most conversations that may alternate before one is parsed from its start again."""
_IN_FULL = 2
"""The version of `marshal` that writes every value in full: equal bytes are equal values, types and order included."""


@dataclass(slots=True, eq=False)
class Run(Generic[T]):
    """Parsed messages of a request from the first on, and the pieces found in them.

    Attributes:
        ends: how much was found up to the end of each message.
        odd, calls: the number of a message with what was odd in it, and with the id and the name of a call.
        exact: messages of which something was put together: 1 equals 1.0, and objects are equal in any order, but
            not as JSON.
    """

    values: list[object] = field(default_factory=list)
    found: list[T] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    odd: list[tuple[int, str]] = field(default_factory=list)
    calls: list[tuple[int, str, str]] = field(default_factory=list)
    exact: dict[int, bytes] = field(default_factory=dict)

    def tools(self) -> Mapping[str, str]:
        """The names of the called tools, by call id."""
        return {call: name for _, call, name in self.calls}

    def add(self, value: object, found: Sequence[T], texts: Iterable[str]) -> None:
        """Append a message, the pieces found in it, and their texts."""
        if not _is_verbatim(value, texts):
            self.exact[len(self.values)] = _marshalled(value)
        self.values.append(value)
        self.found += found
        self.ends.append(len(self.found))

    def shared(self, values: Sequence[object]) -> int:
        """How many leading messages are the same."""
        end = min(len(self.values), len(values))
        try:
            end = next(compress(count(), map(ne, self.values, values)), end)
        except RecursionError:
            return 0
        others = (
            n for n, known in self.exact.items() if n < end and (not known or _marshalled(values[n]) != known)
        )
        return min(others, default=end)

    def cut(self, end: int) -> Run[T]:
        """A run of only the first messages."""
        if end == len(self.values):
            return self
        return Run(
            self.values[:end],
            self.found[: self.ends[end - 1] if end else 0],
            self.ends[:end],
            [one for one in self.odd if one[0] < end],
            [one for one in self.calls if one[0] < end],
            {n: known for n, known in self.exact.items() if n < end},
        )


class ReadBefore(Generic[T]):
    """The most recent runs of parsed messages, the newest first."""

    def __init__(self) -> None:
        self._runs: list[Run[T]] = []

    def begun(self, values: Sequence[object]) -> Run[T]:
        """A run of the leading messages that are known already; what is added to it is known the next time."""
        best, most = None, 0
        for run in self._runs:
            if (shared := run.shared(values)) > most:
                best, most = run, shared
        if best is None:
            found = Run[T]()
        else:
            found = best.cut(most)
            if 2 * most >= len(best.values):  # else it is another conversation that begins alike
                self._runs.remove(best)
        self._runs = [found, *self._runs[: _MOST_RUNS - 1]]
        return found


def _is_verbatim(value: object, texts: Iterable[str]) -> bool:
    """Whether all texts occur as strings in a value, rather than being composed from it."""
    try:
        strings = {text: text for text in strings_in(value)}
    except RecursionError:
        return False
    return all(strings.get(text) is text for text in texts)


def _marshalled(value: Any) -> bytes:
    try:
        return marshal.dumps(value, _IN_FULL)
    except ValueError:  # nested so deeply that nobody can say whether it is the same
        return b""
