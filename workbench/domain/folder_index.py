"""What is kept of a folder that is searched: its files, how far its index is, and what a search found there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MOST_FILES = 20_000
"""Of a larger folder the first so many are indexed, and that is said."""

IndexState = Literal["up to date", "indexing", "paused", "not found", "waiting"]


@dataclass(frozen=True, slots=True)
class SearchedFolder:
    """A folder with an index.

    Attributes:
        path: where it lies, absolute.
        paused: whether its index is not brought up to date for now.
        whole: whether it was read to its end once. over: how many of its files are more than the limit.
    """

    path: str
    paused: bool = False
    whole: bool = False
    over: int = 0


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file of a searched folder, by its path there.

    Attributes:
        digest: of its text. stamp, size: as they were when it was read.
        segment: the part of the index that holds it, as file `number`; None where it could not be read.
        reason: why it could not.
    """

    path: str
    digest: bytes = b""
    stamp: int = 0
    size: int = 0
    segment: int | None = None
    number: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QuotedFile:
    """A file that was quoted from, and the quote's lines.

    Attributes:
        text: what stands around them, as it is indexed, from line `begins` on; empty where the file is gone.
    """

    path: str
    text: str
    first_line: int
    last_line: int
    begins: int = 1


@dataclass(frozen=True, slots=True)
class FolderProgress:
    """How far the index of a folder is.

    Attributes:
        files, sections: that can be found. unread: files that could not be read.
        done, wanted: of those that are being read. over: files beyond the limit.
        embedded: sections with vectors; words_only: why words alone are searched, where more was wanted.
    """

    path: str
    state: IndexState
    files: int = 0
    sections: int = 0
    unread: tuple[IndexedFile, ...] = ()
    done: int = 0
    wanted: int = 0
    over: int = 0
    embedded: int = 0
    words_only: str = ""
