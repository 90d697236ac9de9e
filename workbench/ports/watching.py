"""Watching other programs: what listens for their requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from workbench.domain.watch.exchange import Exchange


class Listening(NamedTuple):
    """Where it listens, and what programs read their address from with its value here, the best known one first."""

    address: str
    lines: tuple[tuple[str, str], ...]


class ProgramWatch(Protocol):
    """Listens on this computer, passes requests on and tells of them."""

    async def start(self, heard: Callable[[Exchange], None], began: Callable[[], None]) -> Listening:
        """Begin to listen; `heard` is called for each request that is over, `began` where one begins to pass.

        Both on the loop. `WorkbenchError` says why it cannot listen.
        """

    async def close(self) -> None:
        """Listen no longer."""
