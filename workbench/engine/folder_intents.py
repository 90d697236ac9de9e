"""What a person wants of a folder: look through it before something is attached, follow it afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.domain.files.folder import FolderRules, FollowedFolder


@dataclass(frozen=True, slots=True)
class ScanFolder:
    """Look through a folder: list what is in it, then count the tokens of its texts for a chat's model.

    A look that goes on already ends with it.
    """

    chat: str
    path: str
    rules: FolderRules = field(default_factory=FolderRules)


@dataclass(frozen=True, slots=True)
class CountFiles:
    """Count files of the folder that is looked through, which are documents: they are read only when chosen."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StopScan:
    """End the look; what was found and counted stays."""


@dataclass(frozen=True, slots=True)
class LeaveFolder:
    """Nobody looks through a folder any more."""


@dataclass(frozen=True, slots=True)
class FollowFolder:
    """Offer new files of a folder from now on; kept with the chat."""

    chat: str
    folder: FollowedFolder


@dataclass(frozen=True, slots=True)
class StopFollowing:
    """Do not offer files of a folder any more."""

    chat: str
    path: str


@dataclass(frozen=True, slots=True)
class SettleNewFiles:
    """The new files of a followed folder are attached, where that is wanted, or passed over; they are no news then."""

    chat: str
    path: str
    attach: bool = False


Following = FollowFolder | StopFollowing | SettleNewFiles
FolderIntent = ScanFolder | CountFiles | StopScan | LeaveFolder | Following
