"""Session files of other programs on this computer, and the state of the watch."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.watch.switch import SessionKind


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session on disk.

    Attributes:
        file: its name below the folder of its kind. used_utc: when it was last written. bytes: how large it is.
        folder: of the project; asked: the first question; each empty where its beginning does not say.
        problem: what of its beginning cannot be read.
    """

    kind: SessionKind
    file: str
    used_utc: str
    bytes: int
    folder: str = ""
    asked: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SessionsView:
    """The sessions on this computer, once requested.

    Attributes:
        more: how many older ones are not listed. reading: whether they are still being looked for.
        opening: the file that is being read. opened: the chat of the one that was read last.
        problem: why nothing could be listed or read. notes: what of the last one could not be used.
    """

    lines: tuple[SessionLine, ...] = ()
    more: int = 0
    reading: bool = False
    opening: str = ""
    opened: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()


# Watching as it is shown: whether it is on, where programs are to be pointed, and what is arriving.


@dataclass(frozen=True, slots=True)
class HeldView:
    """A request that waits for a person.

    Attributes:
        n: its number in this watch. program: who sent it. since_utc: since when it waits.
        gives_up_s: after how many seconds its program stops waiting; None where unknown.
        body: as it would be sent.
    """

    n: int
    program: str
    since_utc: str
    gives_up_s: float | None
    body: str


@dataclass(frozen=True, slots=True)
class WatchView:
    """The watch of this window.

    Attributes:
        address: where it listens; empty while it is off.
        lines: what programs read their address from, and its value here, the best known one first.
        paused: requests pass on and are not kept.
        arriving: how many requests wait for the end of their answer.
        problem: why it is not on although the user wanted it.
        binned: how many conversations are in the bin because they were too old.
        waiting: how many seem too old by a clock that may be wrong.
        holding: whether requests wait until a person sends them; held: those that do, the oldest first.
    """

    address: str = ""
    lines: tuple[tuple[str, str], ...] = ()
    paused: bool = False
    arriving: int = 0
    problem: str = ""
    binned: int = 0
    waiting: int = 0
    holding: bool = False
    held: tuple[HeldView, ...] = ()

    @property
    def on(self) -> bool:
        return bool(self.address)
