"""Intents about attached files: show and choose their parts, read them differently, scan and follow folders."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.domain.files.document import Reading
from workbench.domain.files.folder import FolderRules, FollowedFolder
from workbench.domain.secrets import Secret


@dataclass(frozen=True, slots=True)
class ShowParts:
    """Show the parts of an attached file to choose from; without a key, end that."""

    chat: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class CompareFile:
    """Show how an attached file differs from the disk; without a key, end that."""

    chat: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class ChooseParts:
    """Attach exactly these parts of a file; none of them, and not `whole`, detaches the file.

    What is attached already keeps its place, priority and pin.
    """

    chat: str
    file: str
    anchors: tuple[str, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class ReadOtherwise:
    """Read an attached file as another kind or in another encoding, from its stored copy."""

    chat: str
    key: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class FreezeArtifacts:
    """Keep using the copies of files that changed on disk, until they change again.

    Of files that were read anew already, `earlier` puts the copies from before back.
    """

    chat: str
    keys: tuple[str, ...]
    earlier: bool = False


@dataclass(frozen=True, slots=True)
class AttachPages:
    """Attach pages of a PDF as pictures, for a model with vision; the password is not stored."""

    chat: str
    path: str
    first: int = 1
    last: int = 1
    password: Secret | None = None


@dataclass(frozen=True, slots=True)
class AttachNamed:
    """Attach what @names mean, without writing them: files, parts, other chats."""

    chat: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Complete:
    """Offer completions for the @name being typed; if there is none, nothing is offered.

    Attributes:
        before, after: the message, before and behind the cursor.
        first: the first of the offers that is in sight: what is in sight is counted.
    """

    chat: str
    before: str = ""
    after: str = ""
    first: int = 0


@dataclass(frozen=True, slots=True)
class StopAttaching:
    """Stop attaching to a chat; what was read before stays."""

    chat: str


@dataclass(frozen=True, slots=True)
class SearchWeb:
    """Search the web for pages to choose from; nothing is fetched. Without words, end that."""

    chat: str
    words: str = ""


PartsChange = ChooseParts | ReadOtherwise | AttachPages | AttachNamed


# What a person wants of a folder: look through it before something is attached, follow it afterwards.


@dataclass(frozen=True, slots=True)
class ScanFolder:
    """Scan a folder: list its files, then count the tokens of its texts for a chat's model.

    A look that goes on already ends with it.
    """

    chat: str
    path: str
    rules: FolderRules = field(default_factory=FolderRules)


@dataclass(frozen=True, slots=True)
class CountFiles:
    """Count documents of the scanned folder, which are read only when chosen."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StopScan:
    """Stop the scan; what was found and counted stays."""


@dataclass(frozen=True, slots=True)
class LeaveFolder:
    """Close the folder scan."""


@dataclass(frozen=True, slots=True)
class FollowFolder:
    """Offer new files of a folder from now on; stored with the chat."""

    chat: str
    folder: FollowedFolder


@dataclass(frozen=True, slots=True)
class StopFollowing:
    """Stop offering files of a folder."""

    chat: str
    path: str


@dataclass(frozen=True, slots=True)
class SettleNewFiles:
    """Attach the new files of a followed folder, or dismiss them; they are no longer new."""

    chat: str
    path: str
    attach: bool = False


@dataclass(frozen=True, slots=True)
class PauseIndexing:
    """Pause the index of a searched folder, or go on with it."""

    chat: str
    path: str
    paused: bool = True


Following = FollowFolder | StopFollowing | SettleNewFiles | PauseIndexing
FolderIntent = ScanFolder | CountFiles | StopScan | LeaveFolder | Following
