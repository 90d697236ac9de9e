"""How much of a chat's requests came from a cache, turn by turn: as they were sent, and as other layouts would have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.domain.envelope import WireLayout

LineName = Literal["sent", "append_only", "layered", "trim_last"]
"""What was sent; the same chat in a layout; and the plain way: all files, then the newest messages that fit."""


@dataclass(frozen=True, slots=True)
class ShareLine:
    """One way to lay out the requests of a chat.

    Attributes:
        layout: of what was sent: the layout of all its turns; None where they differ, or nobody noted it.
        shares: the part of each turn's tokens that a cache served or would have, 0 to 1; None where nobody can say.
        total_share: that of all turns together of which it is known; None where it is known of none.
        uncached_tokens: what was read anew in those turns.
        usd: what those requests cost, without the answers; None where no price is known or nothing is paid.
    """

    name: LineName
    shares: tuple[float | None, ...]
    total_share: float | None = None
    uncached_tokens: int = 0
    usd: float | None = None
    layout: WireLayout | None = None


@dataclass(frozen=True, slots=True)
class Saving:
    """What the layout that was sent has spared, against another one; below 0 it has cost that more."""

    against: LineName
    tokens: int
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class LayoutShares:
    """The lines of a chart over a chat's turns, what was sent first.

    Attributes:
        turns: the numbers of the turns that the lines have a point for, in order.
        waiting: how many turns more are still to be worked out; older: how many before them are left out.
    """

    turns: tuple[int, ...] = ()
    lines: tuple[ShareLine, ...] = ()
    saving: Saving | None = None
    waiting: int = 0
    older: int = 0

    @property
    def known(self) -> bool:
        """Whether anything at all is known of the cache."""
        return any(line.total_share is not None for line in self.lines)
