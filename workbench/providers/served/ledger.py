"""What a vLLM server was asked by us, and so holds: with its blocks where it tells them, and whether others ask too."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from workbench.providers.served.blocks import BlockCache, RunningBlocks
from workbench.providers.served.meter import Held

_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """What a server's open figures say about its cache.

    Attributes:
        pool_blocks: how many blocks it can use for requests.
        caching: whether it keeps prompts at all.
        queried_tokens: how many tokens of prompts it has looked up since it was started.
        started_s: when that was; 0 where it does not say.
        engines: how many caches there are behind the address; what goes to which, nobody tells.
    """

    block_tokens: int
    pool_blocks: int | None
    caching: bool
    queried_tokens: int
    started_s: float = 0.0
    engines: int = 1


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that is over, kept for the day on which the size of blocks is known."""

    prompt: array[int]
    generated: array[int]
    salt: str


class VllmLedger:
    """The books on one server, for all chats and models there.

    Where it shows no figures, the size of its blocks follows from what it reported to have served: every such count is
    a multiple of it. Before that there is no forecast, and after it an estimate.

    Attributes:
        awaited: how many of our own requests the server has taken without a word of them yet.
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
        """What the server's figures say now; None where it shows none."""
        before, self._figures = self._figures, figures
        if figures is None:
            self._alone = False
            return
        if before is None or _other_life(before, figures):
            self._cache = BlockCache(figures.block_tokens, figures.pool_blocks)
            self._past.clear()
            # A server that has read nothing yet holds nothing: from here on everything is known.
            self._alone, self._expected_tokens = figures.queried_tokens == 0, figures.queried_tokens
        elif figures.queried_tokens != self._expected_tokens and not self.awaited:
            self._alone, self._expected_tokens = False, figures.queried_tokens

    def held(self, tokens: Sequence[int], salt: str = "") -> Held:
        """How much of a prompt will be served."""
        figures = self._figures
        if figures is not None and not figures.caching:
            return Held(0, sure=True)
        if self._cache is None:
            return Held(None, sure=False)
        sure = self._alone and figures is not None and figures.engines == 1
        return Held(self._cache.held_tokens(tokens, salt), sure, self._cache.block_tokens)

    def begin(self, tokens: Sequence[int], salt: str = "") -> RunningRequest:
        """A request's prompt is read by the server."""
        self._expected_tokens += len(tokens)
        return RunningRequest(self, tokens, salt, self._cache)

    def over(self, asked: RunningRequest) -> None:
        """A request is over: with what it reported, the size of blocks may be known."""
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
    """One request while it is answered.

    Attributes:
        generated: the tokens of the answer so far.
        foretold_tokens: what was known to be held when it began; None where nobody could say.
        reported_tokens: what the server says it has served; None where it does not say.
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
        """The answer is over; one that was left in the middle had its last token fed back already."""
        if self._blocks is not None:
            # One more token was under way when nobody listened any more; which one does not matter.
            self._blocks.end([*self.generated, -1] if stopped else self.generated)
        self._ledger.over(self)


def _other_life(before: CacheFigures, now: CacheFigures) -> bool:
    """Whether the server was started anew in between."""
    return (
        now.queried_tokens < before.queried_tokens
        or now.started_s != before.started_s
        or (now.block_tokens, now.pool_blocks) != (before.block_tokens, before.pool_blocks)
    )
