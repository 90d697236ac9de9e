"""Tracks what a vLLM server has cached of our requests, by blocks if it reports them, and if others use it."""

from __future__ import annotations

import hashlib
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from workbench.providers.served.meter import Held

# What a vLLM server's cache holds: a pool of blocks, each known by all tokens up to its end, the oldest used first.
#
# A block of the pool is taken when tokens are read or written into it and stays known when its request is over, until
# it is needed for others. The blocks of a request are given back from its end, so that beginnings live longest; one
# that never was full is the first to be used again.


_MANY_BLOCKS = 65_536
"""The assumed pool size where it is unknown: practically unlimited, but bounded in memory."""


class BlockCache:
    """Model of one server's block pool. `pool_blocks` is its usable size; None if unknown."""

    def __init__(self, block_tokens: int, pool_blocks: int | None = None) -> None:
        self.block_tokens = block_tokens
        self._pool_blocks = _MANY_BLOCKS if pool_blocks is None else pool_blocks
        self._made = 0
        self._empty: list[int] = []  # given back without being full
        self._free: dict[int, None] = {}  # in the order in which they were given back
        self._users: dict[int, int] = {}
        self._known: dict[int, bytes] = {}
        self._places: dict[bytes, dict[int, None]] = {}

    def held_tokens(self, tokens: Sequence[int], salt: str = "") -> int:
        """Tokens of a prompt that would be served from cache; the last one is always computed."""
        return len(self._hits(tokens, salt)) * self.block_tokens

    def begin(self, tokens: Sequence[int], salt: str = "") -> RunningBlocks:
        """A prompt is processed: shared blocks are reused, the rest is written to new ones."""
        hits = self._hits(tokens, salt)
        for block in hits:
            self._free.pop(block, None)
            self._users[block] = self._users.get(block, 0) + 1
        running = RunningBlocks(self, tokens, salt, hits)
        running.fill(len(tokens))
        return running

    def take(self) -> int:
        """A block to write to: an empty one, or the one released first, whose content is evicted."""
        if self._empty:
            block = self._empty.pop()
        elif self._made < self._pool_blocks or not self._free:
            self._made += 1
            block = self._made
        else:
            block = next(iter(self._free))
            del self._free[block]
            self._forget(block)
        self._users[block] = 1
        return block

    def know(self, block: int, digest: bytes) -> None:
        """Index a full block by its digest."""
        self._known[block] = digest
        self._places.setdefault(digest, {})[block] = None

    def give_back(self, blocks: Sequence[int]) -> None:
        """Release the blocks of a finished request, its last one first."""
        for block in reversed(blocks):
            self._users[block] -= 1
            if not self._users[block]:
                del self._users[block]
                if block in self._known:
                    self._free[block] = None
                else:
                    self._empty.append(block)

    def _hits(self, tokens: Sequence[int], salt: str) -> list[int]:
        hits: list[int] = []
        for digest in digests(tokens[: len(tokens) - 1], self.block_tokens, salt):
            places = self._places.get(digest)
            if not places:
                break
            hits.append(next(iter(places)))
        return hits

    def _forget(self, block: int) -> None:
        digest = self._known.pop(block, None)
        if digest is not None:
            self._places[digest].pop(block, None)
            if not self._places[digest]:
                del self._places[digest]


class RunningBlocks:
    """The blocks of one request, from its prompt to the end of its answer."""

    def __init__(self, cache: BlockCache, tokens: Sequence[int], salt: str, blocks: list[int]) -> None:
        self._cache, self._blocks, self._salt = cache, blocks, salt
        self._tokens = array("i", tokens)
        self._full = len(blocks)

    def end(self, generated: Sequence[int]) -> None:
        """The answer is complete; its last token was never computed."""
        self._tokens.extend(generated)
        self.fill(len(self._tokens) - bool(generated))
        self._cache.give_back(self._blocks)

    def fill(self, computed_tokens: int) -> None:
        """Writes tokens to blocks until `computed_tokens` of them are in blocks."""
        size = self._cache.block_tokens
        while len(self._blocks) * size < computed_tokens:
            self._blocks.append(self._cache.take())
        full = computed_tokens // size
        if full > self._full:
            for number, digest in enumerate(digests(self._tokens[: full * size], size, self._salt)):
                if number >= self._full:
                    self._cache.know(self._blocks[number], digest)
            self._full = full


def digests(tokens: Sequence[int], block_tokens: int, salt: str) -> Iterator[bytes]:
    """Digest of each full block: over its own tokens and all before it."""
    before = salt.encode()
    for start in range(0, len(tokens) - block_tokens + 1, block_tokens):
        block = array("i", tokens[start : start + block_tokens]).tobytes()
        before = hashlib.blake2b(before + block, digest_size=16).digest()
        yield before


_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """Figures of a server's metrics about its cache.

    Attributes:
        pool_blocks: how many blocks it can use for requests.
        caching: whether it caches prompts at all.
        queried_tokens: how many prompt tokens it has looked up since it was started.
        started_s: when it was started; 0 where it does not say.
        engines: how many caches there are behind the address; which one gets a request is unknown.
    """

    block_tokens: int
    pool_blocks: int | None
    caching: bool
    queried_tokens: int
    started_s: float = 0.0
    engines: int = 1


@dataclass(frozen=True, slots=True)
class _Asked:
    """A finished request, kept until the block size is known."""

    prompt: array[int]
    generated: array[int]
    salt: str


class VllmLedger:
    """Tracks the cache of one vLLM server, for all chats and models there.

    Without metrics, the block size follows from the cache hits it reported, each a multiple of it. Before that there is
    no forecast, and after it an estimate.

    Attributes:
        awaited: how many of our requests the server has accepted without having answered anything yet.
    """

    def __init__(self) -> None:
        self._cache: BlockCache | None = None
        self._figures: CacheFigures | None = None
        self._expected_tokens = 0
        self._alone = False
        self._step = 0
        self.awaited = 0
        self._past: deque[_Asked] = deque(maxlen=_REMEMBERED)

    def look(self, figures: CacheFigures | None) -> None:
        """Update from the server's metrics; None if it has none."""
        before, self._figures = self._figures, figures
        if figures is None:
            self._alone = False
            return
        if before is None or _was_restarted(before, figures):
            self._cache = BlockCache(figures.block_tokens, figures.pool_blocks)
            self._past.clear()
            # A server that has read nothing yet holds nothing: from here on everything is known.
            self._alone, self._expected_tokens = figures.queried_tokens == 0, figures.queried_tokens
        elif figures.queried_tokens != self._expected_tokens and not self.awaited:
            self._alone, self._expected_tokens = False, figures.queried_tokens

    def held(self, tokens: Sequence[int], salt: str = "") -> Held:
        """How much of a prompt will be served from cache."""
        figures = self._figures
        if figures is not None and not figures.caching:
            return Held(0, sure=True)
        if self._cache is None:
            return Held(None, sure=False)
        sure = self._alone and figures is not None and figures.engines == 1
        return Held(self._cache.held_tokens(tokens, salt), sure, self._cache.block_tokens)

    def begin(self, tokens: Sequence[int], salt: str = "") -> RunningRequest:
        """A request was sent: track it."""
        self._expected_tokens += len(tokens)
        return RunningRequest(self, tokens, salt, self._cache)

    def over(self, asked: RunningRequest) -> None:
        """A request ended: its report may reveal the block size."""
        served = asked.reported_tokens
        if served is not None and served == asked.foretold_tokens and self._figures is not None:
            self._alone = True  # whoever else was there has changed nothing for us
        if self._figures is not None:
            return
        self._past.append(_Asked(asked.prompt, asked.generated, asked.salt))
        step = gcd(self._step, served or 0)
        if step > 1 and step != self._step:
            self._step, self._cache = step, BlockCache(step)
            for one in self._past:
                self._cache.begin(one.prompt, one.salt).end(one.generated)


class RunningRequest:
    """One request in progress.

    Attributes:
        generated: the tokens of the answer so far.
        foretold_tokens: how many tokens were known to be cached when it started; None where unknown.
        reported_tokens: how many the server reports as served from cache; None where it does not say.
    """

    def __init__(
        self, ledger: VllmLedger, tokens: Sequence[int], salt: str, cache: BlockCache | None
    ) -> None:
        # Of a long chat they are many, and of up to so many chats as are remembered: numbers, no objects.
        self.prompt, self.salt = array("i", tokens), salt
        self.generated = array("i")
        self.reported_tokens: int | None = None
        self.foretold_tokens = None if cache is None else cache.held_tokens(tokens, salt)
        self._ledger = ledger
        self._blocks: RunningBlocks | None = None if cache is None else cache.begin(tokens, salt)

    def end(self, *, stopped: bool) -> None:
        """The answer ended; if stopped halfway, its last token was computed already."""
        if self._blocks is not None:
            # One more token was under way when nobody listened any more; which one does not matter.
            self._blocks.end([*self.generated, -1] if stopped else self.generated)
        self._ledger.over(self)


def _was_restarted(before: CacheFigures, now: CacheFigures) -> bool:
    """Whether the server was restarted in between."""
    return (
        now.queried_tokens < before.queried_tokens
        or now.started_s != before.started_s
        or (now.block_tokens, now.pool_blocks) != (before.block_tokens, before.pool_blocks)
    )
