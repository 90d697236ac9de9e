"""How likely each token of an answer was, and what its model could have written in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

PROBABILITIES = "probabilities"
"""Noted with an answer: what its server reported of its tokens."""
CANDIDATES = 5
"""How many a server is asked for."""
_MOST_TOKENS = 1_000_000


class Candidate(NamedTuple):
    """A token that could have been written, and how likely it was; the text may be empty, for the answer's end."""

    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class LikelyToken:
    """A token as it was written; the candidates are those that were reported, the likeliest first.

    Tokens that make up a character only together are one, with the probability of all of them and no candidates.
    """

    text: str
    probability: float
    candidates: tuple[Candidate, ...] = ()


def as_notes(start: int, tokens: Sequence[LikelyToken]) -> dict[str, Any]:
    """Tokens as they are kept with their answer; `start` is where in it the first of them stands."""
    rows = [
        [one.text, round(one.probability, 4), *_flat(one.candidates)]  # a row for each: there are thousands
        for one in tokens
    ]
    return {"from": start, "tokens": rows}


def _flat(candidates: Sequence[Candidate]) -> list[str | float]:
    return [part for one in candidates for part in (one.text, round(one.probability, 4))]


def from_notes(notes: Mapping[str, Any]) -> tuple[int, tuple[LikelyToken, ...]]:
    """Where in an answer its tokens begin, and the tokens; none where the notes are somebody else's or damaged."""
    kept = notes.get(PROBABILITIES)
    if not isinstance(kept, dict):
        return 0, ()
    start, rows = kept.get("from"), kept.get("tokens")
    if not isinstance(start, int) or start < 0 or not isinstance(rows, list) or len(rows) > _MOST_TOKENS:
        return 0, ()
    tokens = [_token(row) for row in rows]
    known = [one for one in tokens if one is not None]
    return (start, tuple(known)) if len(known) == len(tokens) else (0, ())


def _token(row: object) -> LikelyToken | None:
    if not isinstance(row, list) or len(row) < 2 or len(row) % 2:
        return None
    pairs = [*zip(row[::2], row[1::2], strict=True)]
    if not all(isinstance(text, str) and _is_share(share) for text, share in pairs):
        return None
    (text, share), *others = pairs
    return LikelyToken(text, share, tuple(Candidate(*one) for one in others))


def _is_share(found: object) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found <= 1


# The words of an answer by the probabilities of their tokens, and the answer begun anew from one of them.


DOUBTED_BELOW = 0.5
_WITHOUT_SPACES = "\u2e80"
"""From here on scripts are written without spaces, as far as it matters: each token is a word."""


@dataclass(frozen=True, slots=True)
class LikelyWord:
    """A word of an answer, and the token in it that was least sure.

    Attributes:
        start, end: where it stands in the answer.
        at: where its least sure token stands.
        probability: of that token. candidates: what could have stood in its place, the likeliest first.
    """

    text: str
    start: int
    end: int
    at: int
    token: str
    probability: float
    candidates: tuple[Candidate, ...]

    @property
    def is_doubted(self) -> bool:
        return self.probability < DOUBTED_BELOW

    @property
    def other_share(self) -> float:
        """How likely everything was that is not among the candidates."""
        return max(0.0, 1.0 - sum(one.probability for one in self.candidates))

    def word_with(self, candidate: Candidate) -> str:
        """The word as it would begin with a candidate; empty where the answer would end."""
        return f"{self.text[: max(0, self.at - self.start)]}{candidate.text}".strip()


def likely_words(answer: str, notes: Mapping[str, Any]) -> tuple[LikelyWord, ...]:
    """The words of an answer whose probabilities are known, in order; what is only signs is no word."""
    start, tokens = from_notes(notes)
    return tuple(_words(answer, [*_placed(answer, start, tokens)]))


def begun_with(answer: str, word: LikelyWord, candidate: Candidate) -> str:
    """The beginning of another version of an answer: all of it up to a token, and a candidate in its place."""
    return answer[: word.at] + candidate.text


def _placed(answer: str, start: int, tokens: Sequence[LikelyToken]) -> Iterator[tuple[int, LikelyToken]]:
    """The tokens that stand in the answer, each with its place; those of thoughts and of cut marks do not."""
    at = start
    for token in tokens:
        if token.text and answer.startswith(token.text, at):
            yield at, token
            at += len(token.text)


def _words(answer: str, placed: Sequence[tuple[int, LikelyToken]]) -> Iterator[LikelyWord]:
    group: list[tuple[int, LikelyToken]] = []
    for at, token in placed:
        if group and not _goes_on(answer, at, token):
            yield from _word(answer, group)
            group = []
        group.append((at, token))
    yield from _word(answer, group)


def _goes_on(answer: str, at: int, token: LikelyToken) -> bool:
    """Whether a token is part of the word before it."""
    before, first = answer[at - 1 : at], token.text[0]
    return _is_of_word(before) and _is_of_word(first) and max(before, first) < _WITHOUT_SPACES


def _is_of_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _word(answer: str, group: Sequence[tuple[int, LikelyToken]]) -> Iterator[LikelyWord]:
    if not group:
        return
    first, last = group[0][0], group[-1]
    start, end = first, last[0] + len(last[1].text)
    text = answer[start:end]
    if not any(map(_is_of_word, text)):
        return
    start += len(text) - len(text.lstrip())
    end -= len(text) - len(text.rstrip())
    at, token = min(group, key=lambda one: one[1].probability)
    yield LikelyWord(answer[start:end], start, end, at, token.text, token.probability, token.candidates)
