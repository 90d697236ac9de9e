"""Watching other programs: what listens for their requests, and what makes sense of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn


class CopiedRequest(Protocol):
    """A request that is over, and the copies of its bodies, which are not read yet."""

    def exchange(self) -> Exchange:
        """Read them; may take a while."""


class Listening(NamedTuple):
    """Where it listens, and what programs read their address from with its value here, the best known one first."""

    address: str
    lines: tuple[tuple[str, str], ...]


class ProgramWatch(Protocol):
    """Listens on this computer, passes requests on and tells of them."""

    async def start(self, heard: Callable[[CopiedRequest], None], began: Callable[[], None]) -> Listening:
        """Begin to listen; `heard` is called for each request that is over, `began` where one begins to pass.

        Both on the loop. `WorkbenchError` says why it cannot listen.
        """

    def understand(self, exchange: Exchange) -> WatchedTurn | None:
        """What a request was; None where no model was asked. Called in a thread, one after the other."""

    async def close(self) -> None:
        """Listen no longer."""
