"""What one place of a llama.cpp server holds, told from what went in and what came out; so hits can be foretold.

The server keeps one sequence of tokens: the last prompt, and the answer but for its last token, which was never fed
back. A new prompt reuses what it has in common with that from the start, and at least its own last token is always read
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_ID = 2**31 - 1


def are_ids(found: Sequence[object]) -> bool:
    """Whether these can be the numbers of tokens: no vocabulary is longer than that."""
    return all(type(one) is int and 0 <= one <= MOST_ID for one in found)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its number in the vocabulary, and the bytes it stands for; none where nobody told them."""

    id: int
    piece: bytes


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the answer as it arrived: several tokens where a character needs several."""

    written: bytes
    tokens: int


class LlamaSlot:
    """The one sequence that the server keeps.

    The stream does not tell the numbers of generated tokens, only what they wrote and how many they were; a new
    prompt's tokens that write the same in the same number are the same.

    Attributes:
        answering: whether an answer is being read just now.
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
        """How many are held; of an answer that is over, the last one was never fed back."""
        held = len(self._prompt) + max(0, self._generated - self._ended)
        return held if self._limit is None else min(held, self._limit)

    @property
    def stopped(self) -> bool:
        """Whether an answer was left before its end: the server may hold less than was sent, or a little more."""
        return not self._ended and not self.answering

    def cut(self, held_tokens: int) -> None:
        """The server says that it holds no more than this."""
        self._limit = held_tokens

    def begin(self, run: int, prompt: Sequence[Token]) -> None:
        """A request is on its way to this run of the server."""
        self._run, self._prompt = run, tuple(prompt)
        self._answer, self._generated, self._ended = [], 0, False
        self._limit = None
        self.answering = True

    def left(self) -> None:
        """Nobody reads the answer any more, be it over or not."""
        self.answering = False

    def grew(self, text: str, generated_tokens: int) -> None:
        """More of the answer came; the count is that of the whole answer so far."""
        self._answer.append(_Piece(text.encode("utf-8", "surrogatepass"), generated_tokens - self._generated))
        self._generated = generated_tokens

    def ended(self, generated_tokens: int) -> None:
        """The answer is over, with this many tokens, one of which may have said just that."""
        self._generated, self._ended = generated_tokens, True

    def forget(self) -> None:
        """The request never reached the server's model, or counts otherwise than foretold."""
        self._run, self._prompt, self._answer, self._generated, self._ended = 0, (), [], 0, True
        self._limit = None

    def shared_tokens(self, run: int, prompt: Sequence[Token], held_tokens: int | None = None) -> int:
        """How many tokens of the prompt the server will not read again; `held_tokens` is what it says it holds."""
        if run != self._run or not prompt:
            return 0
        shared = self.common(prompt)
        if held_tokens is not None:
            shared = min(shared, held_tokens)
        return min(shared, len(prompt) - 1)

    def common(self, prompt: Sequence[Token]) -> int:
        """How many tokens a prompt begins with that are held, its last one included."""
        shared = _common(self._prompt, prompt)
        if shared == len(self._prompt):
            shared = self._through_answer(prompt, shared)
        return min(shared, self.tokens) if self._ended or self._limit is not None else shared

    def is_within(self, other: LlamaSlot) -> bool:
        """Whether all that is held here is the beginning of what is held there."""
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
    """How many of the tokens are those of the piece: all, or, where a character needs several, perhaps the first."""
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
