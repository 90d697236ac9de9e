"""Sessions that other programs left on this computer, as they are listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SessionKind = Literal["claude", "codex"]


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
    """The sessions on this computer, once somebody asked.

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
