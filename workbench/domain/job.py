"""Long-running work that the user can watch and cancel: an export, an import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

JobKind = Literal["export", "import"]
JobState = Literal["running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of long-running work.

    Attributes:
        subject: the format or the file it is about.
        done, total: how many chats are done; `total` is 0 while unknown.
        note: why it failed, or what could not be taken over, in sentences for the user.
        place: the file or folder it wrote; chats: the ids it brought in, or that have grown by it.
        there: how many chats were there already; source: what an import is taken back by; undone: whether it was.
    """

    id: str
    kind: JobKind
    subject: str
    state: JobState = "running"
    done: int = 0
    total: int = 0
    written_bytes: int = 0
    note: str = ""
    place: str = ""
    chats: tuple[str, ...] = ()
    there: int = 0
    source: str = ""
    undone: bool = False
