"""What a vLLM server's cache holds: a pool of blocks, each known by all tokens up to its end, the oldest used first.

A block of the pool is taken when tokens are read or written into it and stays known when its request is over, until it
is needed for others. The blocks of a request are given back from its end, so that beginnings live longest; one that
never was full is the first to be used again.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence

_MANY_BLOCKS = 65_536
"""Where nobody says how large the pool is: as good as endless, and not endless in memory."""


class BlockCache:
    """The pool of one server. `pool_blocks` is how many it can use; None where that is not known."""

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
        """How many tokens of a prompt would be served; its last one is always read again."""
        return len(self._hits(tokens, salt)) * self.block_tokens

    def begin(self, tokens: Sequence[int], salt: str = "") -> RunningBlocks:
        """A prompt is read: what it shares is used again, the rest is written into blocks of its own."""
        hits = self._hits(tokens, salt)
        for block in hits:
            self._free.pop(block, None)
            self._users[block] = self._users.get(block, 0) + 1
        running = RunningBlocks(self, tokens, salt, hits)
        running.fill(len(tokens))
        return running

    def take(self) -> int:
        """A block to write into: an empty one, or the one that was given back first, which is then forgotten."""
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
        """A block is full, and can be found by what it holds."""
        self._known[block] = digest
        self._places.setdefault(digest, {})[block] = None

    def give_back(self, blocks: Sequence[int]) -> None:
        """A request is over: its blocks may be used for others, its last one first."""
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
        """The answer is over; its last token was never fed back."""
        self._tokens.extend(generated)
        self.fill(len(self._tokens) - bool(generated))
        self._cache.give_back(self._blocks)

    def fill(self, computed_tokens: int) -> None:
        """So many of its tokens are in blocks by now."""
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
    """What each full block is known by: its own tokens and all before it."""
    before = salt.encode()
    for start in range(0, len(tokens) - block_tokens + 1, block_tokens):
        block = array("i", tokens[start : start + block_tokens]).tobytes()
        before = hashlib.blake2b(before + block, digest_size=16).digest()
        yield before
