"""Joins the tokens that a server reports with the text it streams: a character may be split over several tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, prod
from typing import Any

from workbench.domain.answer import TokenLikely
from workbench.domain.probability import CANDIDATES, Candidate, LikelyToken
from workbench.domain.reading.loose_json import tables_in, text_in

_MOST_WAITING = 16
"""No character is longer than this many tokens: what does not fit the text by then never will."""
_Told = tuple[bytes, Mapping[str, Any]]


class LikelyTokens:
    """Reads the reported tokens of one answer, chunk by chunk, next to its text."""

    def __init__(self) -> None:
        self._waiting: list[_Told] = []
        self._text = ""

    def take(self, text: str, told: Sequence[Mapping[str, Any]]) -> Iterator[TokenLikely]:
        """Yields the tokens of a chunk with this text, as far as they make up whole characters."""
        if not told and not self._waiting:
            return
        self._text += text
        self._waiting += [(_bytes(one), one) for one in told]
        wanted, there = self._text.encode("utf-8", "replace"), b"".join(piece for piece, _ in self._waiting)
        if not wanted and _decoded(there) is not None:
            pass  # whole characters that are no text: a thought, or a mark of the template
        elif there == wanted:
            yield from map(TokenLikely, _split(self._waiting))
        elif there.startswith(wanted) and len(self._waiting) <= _MOST_WAITING:
            return  # the rest of a character is still to come
        elif self._text:
            yield TokenLikely(LikelyToken(self._text, _together(self._waiting)))
        self._waiting, self._text = [], ""


def _split(told: Sequence[_Told]) -> Iterator[LikelyToken]:
    """The tokens one by one; those that share a character as one."""
    group: list[_Told] = []
    for one in told:
        group.append(one)
        text = _decoded(b"".join(piece for piece, _ in group))
        if text is not None:
            alone = len(group) == 1
            yield LikelyToken(text, _together(group), _candidates(one[1]) if alone else ())
            group = []


def _together(told: Sequence[_Told]) -> float:
    return prod(_share(one) for _, one in told)


def _candidates(told: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """What could have been written, the likeliest first; a part of a character cannot be shown."""
    known = ((_decoded(_bytes(one)), _share(one)) for one in tables_in(told, "top_logprobs")[:CANDIDATES])
    found = [Candidate(text, share) for text, share in known if text is not None]
    return tuple(sorted(found, key=lambda one: -one.probability))


def _bytes(told: Mapping[str, Any]) -> bytes:
    """The bytes of a token; a server that does not give them gives its text."""
    given = told.get("bytes")
    if isinstance(given, list) and all(isinstance(one, int) and 0 <= one < 256 for one in given):
        return bytes(given)
    return text_in(told, "token").encode("utf-8", "replace")


def _decoded(piece: bytes) -> str | None:
    try:
        return piece.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _share(told: Mapping[str, Any]) -> float:
    """How likely it was; a server may say that it cannot tell by an impossibly small number."""
    found = told.get("logprob")
    return min(1.0, exp(min(0.0, found))) if isinstance(found, int | float) else 0.0
