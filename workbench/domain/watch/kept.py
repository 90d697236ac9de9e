"""What is kept of watching: the mark of a watched chat, and the body of a request as it passed through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from workbench.domain.reading.constraints import Between


@dataclass(frozen=True, slots=True)
class Watched:
    """Says that a chat is another program's, seen from outside; it can be read, and not be written in.

    Attributes:
        client: as the program names itself ("claude-cli/2.1.197").
        address: where it was watched; empty where it was read from a file.
        parent: the chat of which this one is a sub-agent's; empty where it is nobody's. call: its call that began this.
        requests: how many of them are kept.
        imported_utc: when it was read from a file, whenever that was written; empty where it was watched.
        kept_utc: when somebody chose to keep it although it was old. binned_utc: when the limits put it into the bin;
            it counts while the chat is deleted since that very moment.
    """

    client: str = ""
    address: str = ""
    parent: str = ""
    requests: int = 0
    call: str = ""
    imported_utc: str = ""
    kept_utc: str = ""
    binned_utc: str = ""

    def since(self, used_utc: str) -> str:
        """From when on the limits count: what somebody imports or chooses to keep is as new as that."""
        return max(used_utc, self.imported_utc, self.kept_utc)


@dataclass(frozen=True, slots=True)
class WatchedSize:
    """A watched conversation as the limits see it: when it was last used, and about how much it takes.

    Attributes:
        bytes: a text that several conversations share counts for the newest of them alone.
        running: one of its requests has no answer yet. binned_utc: since when it is in the bin; empty where it is not.
    """

    chat: str
    used_utc: str
    bytes: int = 0
    running: bool = False
    binned_utc: str = ""


@dataclass(frozen=True, slots=True)
class WatchLimits:
    """For how many days watched conversations are kept before they go to the bin, and in how much room."""

    days: Annotated[int, Between(1, 3650)] = 30
    megabytes: Annotated[int, Between(1, 100_000)] = 500


@dataclass(frozen=True, slots=True)
class Passed:
    """A watched request beside its envelope: its body byte for byte, without what the segments hold already.

    Attributes:
        lines: what stands between the texts of the body, in short pieces, with a mark in the place of each text.
        texts: long strings of the body that no segment holds.
        path: where it was sent, with its query, from which keys were taken; headers: what of them is kept.
        names: of the segments, in wire order; marked: which of them end with a cache mark.
        called: the tools that were called in this conversation so far.
    """

    lines: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    path: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()
    marked: tuple[int, ...] = ()
    called: tuple[str, ...] = ()
