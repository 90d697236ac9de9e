"""Tracks what one slot of a llama.cpp server holds, from requests and answers, to forecast cache hits.

The server keeps one sequence of tokens: the last prompt, and the answer without its last token, which was never fed
back. A new prompt reuses the common prefix, and at least its own last token is always computed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_ID = 2**31 - 1


def are_ids(found: Sequence[object]) -> bool:
    """Whether these are plausible token ids."""
    return all(type(one) is int and 0 <= one <= MOST_ID for one in found)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its id, and its bytes; empty if unknown."""

    id: int
    piece: bytes


@dataclass(frozen=True, slots=True)
class _Piece:
    """A chunk of the answer: several tokens if a character needs several."""

    written: bytes
    tokens: int


class LlamaSlot:
    """The one token sequence that the server keeps.

    The stream does not give the ids of generated tokens, only their text and number; tokens of a new prompt that have
    the same text in the same number are taken as equal.

    Attributes:
        answering: whether an answer is being read now.
    """

    def __init__(self) -> None:
        self._run = 0
        self._prompt: tuple[Token, ...] = ()
        self._answer: list[_Piece] = []
        self._generated = 0
        self._ended = True
        self._limit: int | None = None
        self.answering = False

    @property
    def tokens(self) -> int:
        """Number of cached tokens; the last one of a finished answer was never computed."""
        held = len(self._prompt) + max(0, self._generated - self._ended)
        return held if self._limit is None else min(held, self._limit)

    @property
    def stopped(self) -> bool:
        """Whether an answer was stopped early: the server may hold less than was sent, or slightly more."""
        return not self._ended and not self.answering

    def cut(self, held_tokens: int) -> None:
        """Truncate to what the server reports to hold."""
        self._limit = held_tokens

    def begin(self, run: int, prompt: Sequence[Token]) -> None:
        """A request is sent to this run of the server."""
        self._run, self._prompt = run, tuple(prompt)
        self._answer, self._generated, self._ended = [], 0, False
        self._limit = None
        self.answering = True

    def left(self) -> None:
        """The answer is no longer read, complete or not."""
        self.answering = False

    def grew(self, text: str, generated_tokens: int) -> None:
        """More of the answer arrived; the count is that of the whole answer so far."""
        self._answer.append(_Piece(text.encode("utf-8", "surrogatepass"), generated_tokens - self._generated))
        self._generated = generated_tokens

    def ended(self, generated_tokens: int) -> None:
        """The answer is complete, with this many tokens, perhaps including an end token."""
        self._generated, self._ended = generated_tokens, True

    def forget(self) -> None:
        """Reset: the request never reached the model, or the counts differ from the forecast."""
        self._run, self._prompt, self._answer, self._generated, self._ended = 0, (), [], 0, True
        self._limit = None

    def shared_tokens(self, run: int, prompt: Sequence[Token], held_tokens: int | None = None) -> int:
        """Tokens of the prompt that are served from cache; `held_tokens` is what the server reports to hold."""
        if run != self._run or not prompt:
            return 0
        shared = self.common(prompt)
        if held_tokens is not None:
            shared = min(shared, held_tokens)
        return min(shared, len(prompt) - 1)

    def common(self, prompt: Sequence[Token]) -> int:
        """Length of the common prefix of a prompt and the slot, the last token included."""
        shared = _common(self._prompt, prompt)
        if shared == len(self._prompt):
            shared = self._through_answer(prompt, shared)
        return min(shared, self.tokens) if self._ended or self._limit is not None else shared

    def is_within(self, other: LlamaSlot) -> bool:
        """Whether this slot's content is a prefix of the other's."""
        return self.common(other._prompt) == self.tokens or (
            self._prompt == other._prompt and self._answer == other._answer[: len(self._answer)]
        )

    def _through_answer(self, prompt: Sequence[Token], at: int) -> int:
        for piece in self._answer:
            same = _same(piece, [token.piece for token in prompt[at : at + piece.tokens]])
            at += same
            if same < piece.tokens:
                break
        return at


def _common(left: Sequence[Token], right: Sequence[Token]) -> int:
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one.id != other.id:
            return index
    return min(len(left), len(right))


def _same(piece: _Piece, tokens: Sequence[bytes]) -> int:
    """How many of the tokens match the piece: all, or perhaps the first if a character needs several."""
    if len(tokens) == piece.tokens and b"".join(tokens) == piece.written:
        return piece.tokens
    for number in range(min(len(tokens), piece.tokens - 1), 0, -1):
        begun = b"".join(tokens[:number])
        # Each of the tokens that are left wrote something too.
        if (
            begun
            and piece.written.startswith(begun)
            and len(begun) + piece.tokens - number <= len(piece.written)
        ):
            return number
    return 0
