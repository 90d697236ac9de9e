"""Watching as it is shown: whether it is on, where programs are to be pointed, and what is arriving."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WatchView:
    """The watch of this window.

    Attributes:
        address: where it listens; empty while it is off.
        lines: what programs read their address from, and its value here, the best known one first.
        paused: requests pass on and are not kept.
        arriving: how many requests wait for the end of their answer.
        problem: why it is not on although somebody wanted it.
        binned: how many conversations are in the bin because they were too old.
        waiting: how many seem too old by a clock that may be wrong.
    """

    address: str = ""
    lines: tuple[tuple[str, str], ...] = ()
    paused: bool = False
    arriving: int = 0
    problem: str = ""
    binned: int = 0
    waiting: int = 0

    @property
    def on(self) -> bool:
        return bool(self.address)
