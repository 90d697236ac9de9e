"""A folder that is looked through, as far as it is known; and folders that are followed, with what is new in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.domain.files.folder import FileCount, FolderEntry, FolderRules


@dataclass(frozen=True, slots=True)
class FolderView:
    """A look through a folder. Both lists only grow: who has drawn some of them goes on from there.

    Attributes:
        number: which look it is; another one begins its lists anew.
        path: the folder as it was named.
        to_count: how many files are to be counted, as far as they are listed; counted: how many of them are.
        at: the file that is being counted.
        listed: whether everything in it is listed; over: whether nothing more will come.
        problem: why it could not be looked through.
    """

    number: int
    path: str
    rules: FolderRules = field(default_factory=FolderRules)
    entries: tuple[FolderEntry, ...] = ()
    counts: tuple[FileCount, ...] = ()
    to_count: int = 0
    counted: int = 0
    at: str = ""
    listed: bool = False
    over: bool = False
    stopped: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FollowedRow:
    """A folder that is followed.

    Attributes:
        new: files that came since, by their paths in it; gone: how many of the known ones went.
        there: whether it can be read.
    """

    path: str
    new: tuple[str, ...] = ()
    gone: int = 0
    there: bool = True
