"""One digest for every beginning of a request, by which a cache knows it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    """The chain of a request: `after[n]` is the digest of everything up to its piece n.

    Attributes:
        talk: of the parameters before the messages. talks_at: the first piece of those.
    """

    seed: str
    after: tuple[str, ...]
    talk: str = ""
    talks_at: int = 0


def telling_parameters(request: WatchedRequest) -> tuple[tuple[str, str], ...]:
    """The parameters that a cache goes by."""
    names = (*_BEFORE_ALL.get(request.format, ()), *_BEFORE_MESSAGES.get(request.format, ()))
    return tuple((name, value) for name, value in request.parameters if name in names)


def beginnings(
    request: WatchedRequest, server: str, before: Beginnings | None = None, begun: int = 0
) -> Beginnings:
    """The chain of a request at a server; `before` is the one of a request with the same first `begun` pieces."""
    told = dict(request.parameters)
    first = [told.get(name, "") for name in _BEFORE_ALL.get(request.format, ())]
    later = [told.get(name, "") for name in _BEFORE_MESSAGES.get(request.format, ())]
    seed = digest_text("\0".join((server, request.model, *first)))
    talk = digest_text("\0".join(later)) if any(later) else ""
    pieces = request.pieces
    talks_at = next((n for n, one in enumerate(pieces) if one.layer != "L1_SYSTEM"), len(pieces))
    chain = _known(before, begun, Beginnings(seed, (), talk, talks_at))
    at = chain[-1] if chain else seed
    for place in range(len(chain), len(pieces)):
        if talk and place == talks_at:
            at = digest_text(at + talk)
        piece = pieces[place]
        at = at if _is_unread(piece, server) else digest_text(at + piece.digest)
        chain.append(at)
    return Beginnings(seed, tuple(chain), talk, talks_at)


def _known(before: Beginnings | None, begun: int, now: Beginnings) -> list[str]:
    """As much of the chain before as holds for a request that begins alike."""
    if before is None or before.seed != now.seed:
        return []
    if (before.talk, before.talks_at) != (now.talk, now.talks_at):
        begun = min(begun, before.talks_at, now.talks_at)
    return list(before.after[:begun])


def reread_tokens(lost: int, kept: int, total: int) -> int:
    """What of a lost prefix is read again: no more than the later request has behind what both begin with."""
    return min(lost, max(0, total - kept))


def gone_on(chain: Beginnings, pieces: Sequence[WatchedPiece]) -> tuple[str, ...]:
    """The chain continued by an answer."""
    at = chain.after[-1] if chain.after else chain.seed
    found = []
    for piece in pieces:
        at = digest_text(at + piece.digest)
        found.append(at)
    return tuple(found)


def _is_unread(piece: WatchedPiece, server: str) -> bool:
    """Whether the server takes a piece out before the model reads it."""
    return server == "anthropic" and piece.kind == "system" and piece.text.startswith(BILLING)
