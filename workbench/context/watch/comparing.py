"""A request beside the one before it: whether it goes on from it, where it first differs, and what the causes are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.context.text.edits import common_length, common_tail
from workbench.context.watch.documents import parsed
from workbench.context.watch.measuring import shared_pieces
from workbench.context.watch.prefix import BILLING, telling_parameters
from workbench.context.watch.why import why_history, why_parameters, why_system, why_tools
from workbench.domain.watch.request import (
    AgainstBefore,
    Cause,
    FirstDifference,
    WatchedPiece,
    WatchedRequest,
)

FIRST = AgainstBefore("first")
_AROUND, _LONGEST = 24, 120


@dataclass(frozen=True, slots=True)
class Why:
    """A cause and its sentence."""

    cause: Cause
    words: str


def compared(before: WatchedRequest, after: WatchedRequest, server: str = "") -> AgainstBefore:
    """What became of the prefix; both requests are counted."""
    old, new = _read(before, server), _read(after, server)
    shared = shared_pieces(old, new)
    told = telling_parameters(before) == telling_parameters(after)
    whole = before.model == after.model and told
    if whole and shared == len(old):
        return AgainstBefore("identical" if len(new) == shared else "extended")
    whys = _causes(before, after, (old, new, shared))
    return AgainstBefore(
        "changed",
        _first_difference(before, after, (old, new, shared)),
        tuple(dict.fromkeys(one.cause for one in whys)),
        _lost_tokens(before, after, (old, new, shared)),
        tuple(one.words for one in whys),
    )


Pair = tuple[Sequence[WatchedPiece], Sequence[WatchedPiece], int]


def _read(request: WatchedRequest, server: str) -> tuple[WatchedPiece, ...]:
    """The pieces without what the server takes out itself."""
    if server != "anthropic":
        return request.pieces
    pieces = request.pieces
    head = next((n for n, one in enumerate(pieces) if one.layer != "L1_SYSTEM"), len(pieces))
    read = [one for one in pieces[:head] if not (one.kind == "system" and one.text.startswith(BILLING))]
    return pieces if len(read) == head else (*read, *pieces[head:])


def _lost_tokens(before: WatchedRequest, after: WatchedRequest, pair: Pair) -> int:
    """What stands behind the first difference; nothing where the request only ends earlier."""
    old, new, shared = pair
    if before.model != after.model:
        return before.tokens
    if telling_parameters(before) != telling_parameters(after):
        shared = min(
            shared, sum(one.layer == "L1_SYSTEM" for one in old) if after.format == "anthropic" else 0
        )
    elif shared == len(new):
        return 0
    return sum(one.tokens for one in old[shared:])


def _causes(before: WatchedRequest, after: WatchedRequest, pair: Pair) -> list[Why]:
    old, new, _ = pair
    found = []
    if before.model != after.model:
        found.append(Why("model", f"The model changed from {before.model} to {after.model}."))
    found += [Why("tools", words) for words in why_tools(_tools(old), _tools(new))]
    found += [Why("system", words) for words in why_system(_system(old), _system(new))]
    found += [Why("history", words) for words in why_history(_talk(old), _talk(new))]
    if before.model != after.model:
        return found  # its parameters go with a model
    changed = why_parameters(telling_parameters(before), telling_parameters(after))
    return found + [Why("parameters", words) for words in changed]


def _tools(pieces: Sequence[WatchedPiece]) -> list[WatchedPiece]:
    return [one for one in pieces if one.kind == "tool"]


def _system(pieces: Sequence[WatchedPiece]) -> list[WatchedPiece]:
    return [one for one in pieces if one.layer == "L1_SYSTEM" and one.kind != "tool"]


def _talk(pieces: Sequence[WatchedPiece]) -> list[WatchedPiece]:
    return [one for one in pieces if one.layer != "L1_SYSTEM"]


# The first difference.


def _first_difference(before: WatchedRequest, after: WatchedRequest, pair: Pair) -> FirstDifference:
    old, new, shared = pair
    if before.model != after.model:
        return FirstDifference("model", before.model, after.model)
    was, now = (pieces[shared] if shared < len(pieces) else None for pieces in (old, new))
    if was is None:
        name, left, right = _changed_parameter(before, after)
        return FirstDifference(name, *differing(left, right))
    if now is None:
        return FirstDifference(was.path, *differing(was.text, ""))
    if was.kind == now.kind == "tool":
        return _tool_difference(was, now)
    if was.text == now.text:
        return FirstDifference(now.path, _shown(was), _shown(now))
    return FirstDifference(now.path, *differing(was.text, now.text))


def _changed_parameter(before: WatchedRequest, after: WatchedRequest) -> tuple[str, str, str]:
    left, right = dict(telling_parameters(before)), dict(telling_parameters(after))
    name = next(name for name in {**left, **right} if left.get(name) != right.get(name))
    return name, left.get(name, ""), right.get(name, "")


def _shown(piece: WatchedPiece) -> str:
    """What two pieces with equal texts may differ in."""
    named = " ".join(part for part in (piece.role, piece.name, piece.call) if part)
    return f"{named}, picture {piece.image.digest[:12]}" if piece.image is not None else named


def _tool_difference(was: WatchedPiece, now: WatchedPiece) -> FirstDifference:
    """Where in a definition, or which other tool stands there."""
    if was.name != now.name:
        return FirstDifference(now.path, was.name, now.name)
    left, right, path = parsed(was.text), parsed(now.text), now.path
    while isinstance(left, dict) and isinstance(right, dict):
        name = next((name for name in {**left, **right} if left.get(name) != right.get(name)), None)
        if name is None:
            break
        left, right, path = left.get(name), right.get(name), f"{path}.{name}"
    if isinstance(left, str) and isinstance(right, str):
        return FirstDifference(path, *differing(left, right))
    return FirstDifference(path, *differing(was.text, now.text))


def differing(was: str, now: str) -> tuple[str, str]:
    """Two texts cut to where they differ, with a little around it."""
    head = common_length(was, now)
    tail = common_tail(was, now, min(len(was), len(now)) - head)
    return _cut(was, head, tail), _cut(now, head, tail)


def _cut(text: str, head: int, tail: int) -> str:
    start, end = max(0, head - _AROUND), min(len(text), len(text) - tail + _AROUND)
    shown = text[start : min(end, start + _LONGEST)]
    after = "…" if start + len(shown) < len(text) else ""
    return f"{'…' if start else ''}{shown}{after}"


def with_cause(against: AgainstBefore, why: Why, lost_tokens: int) -> AgainstBefore:
    """The comparison with a cause more, which is not in the texts."""
    return replace(
        against,
        causes=(*against.causes, why.cause),
        words=(*against.words, why.words),
        lost_tokens=max(against.lost_tokens, lost_tokens),
    )
