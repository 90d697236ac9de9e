"""Providers' caches, simulated token by token from what they are sent; nothing here is shared with the forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

Token = tuple[str, object]
Tokens = list[Token]


def spelled(messages: Sequence[dict[str, Any]], open_tokens: int = 2) -> tuple[Tokens, int]:
    """A request as tokens, a message opened, said and closed, and the answer opened at the end; and how long it is.

    Words and line feeds are tokens, as the fake tokenizer has it.
    """
    found: Tokens = []
    for message in messages:
        found += _opened(message["role"], open_tokens)
        found += words(message["content"])
        found += [("close", None)]
    return [*found, *_opened("assistant", open_tokens)], len(found) + open_tokens + 1


def words(text: str) -> Tokens:
    """The tokens of a text."""
    return [("word", word) for line in text.splitlines(keepends=True) for word in _line(line)]


def _line(line: str) -> list[str]:
    found = line.rstrip("\n").split()
    return [*found, "\n"] if line.endswith("\n") else found


def _opened(role: str, number: int) -> Tokens:
    return [*(("open", place) for place in range(number)), ("role", role)]


def common(one: Sequence[Token], other: Sequence[Token]) -> int:
    """How many tokens two requests begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


@dataclass
class PrefixCache:
    """Serves what any earlier request began with, in steps from a minimum on (OpenAI, Gemini)."""

    minimum: int
    step: int = 1
    seen: list[Tokens] = field(default_factory=list)

    def ask(self, prompt: Tokens, answer: Tokens) -> int:
        """One request; how much of it is served."""
        shared = max((common(prompt, other) for other in self.seen), default=0)
        self.seen.append(prompt)
        return 0 if shared < self.minimum else shared // self.step * self.step


@dataclass
class SlotCache:
    """Holds the last request and its answer but for its last token, and reads one token anew (llama.cpp)."""

    held: Tokens = field(default_factory=list)

    def ask(self, prompt: Tokens, answer: Tokens) -> int:
        """One request; how much of it is served."""
        served = min(common(prompt, self.held), len(prompt) - 1)
        self.held = [*prompt, *answer]
        return served


@dataclass
class BlockCache:
    """Holds full blocks of everything it ever read or answered, and reads one token anew (vLLM)."""

    size: int
    held: set[int] = field(default_factory=set)

    def ask(self, prompt: Tokens, answer: Tokens) -> int:
        """One request; how much of it is served."""
        blocks = [hash(tuple(prompt[: (n + 1) * self.size])) for n in range((len(prompt) - 1) // self.size)]
        served = sum(1 for _ in takewhile(lambda block: block in self.held, blocks))
        whole = [*prompt, *answer]
        self.held |= {hash(tuple(whole[: (n + 1) * self.size])) for n in range(len(whole) // self.size)}
        return served * self.size


@dataclass
class UnitCache:
    """Serves whole units: the end of a request, of its answer, and what two requests had in common (DeepSeek)."""

    minimum: int
    seen: list[Tokens] = field(default_factory=list)
    units: list[Tokens] = field(default_factory=list)

    def ask(self, prompt: Tokens, answer: Tokens) -> int:
        """One request; how much of it is served."""
        fitting = [len(unit) for unit in self.units if prompt[: len(unit)] == unit]
        served = max((length for length in fitting if length >= self.minimum), default=0)
        self.units += [prompt[: common(prompt, other)] for other in self.seen]
        self.units += [prompt, [*prompt, *answer]]
        self.seen.append(prompt)
        return served


@dataclass
class MarkedCache:
    """Reads up to twenty blocks before a mark for a place where an earlier request had one (Anthropic).

    Of the marks of a request the last `most` are written.
    """

    minimum: int
    lookback: int = 20
    most: int = 4
    written: set[tuple[object, ...]] = field(default_factory=set)

    def ask(self, blocks: Sequence[tuple[Tokens, bool]]) -> tuple[int, int]:
        """One request as blocks, each with whether it is marked; what is read, and what is written after that."""
        ends: list[tuple[object, ...]] = []
        so_far: Tokens = []
        for tokens, _ in blocks:
            so_far = [*so_far, *tokens]
            ends.append(tuple(so_far))
        read = 0
        for place, (_, marked) in enumerate(blocks):
            if marked:
                looked_at = ends[max(0, place - self.lookback + 1) : place + 1]
                read = max([read, *(len(end) for end in looked_at if end in self.written)])
        marks = [end for end, (_, marked) in zip(ends, blocks, strict=True) if marked]
        new = [end for end in marks[-self.most :] if len(end) >= self.minimum]
        self.written |= set(new)
        return read, max([0, *(len(end) - read for end in new)])
