"""What a person wants of files that are attached: to see and choose their parts, to have them read otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.domain.files.document import Reading
from workbench.domain.files.folder import FolderRules, FollowedFolder
from workbench.domain.secrets import Secret


@dataclass(frozen=True, slots=True)
class ShowParts:
    """Show what an attached file is made of, to choose from; without a key, that ends."""

    chat: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class CompareFile:
    """Show how an attached file differs from what lies on the disk now; without a key, that ends."""

    chat: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class ChooseParts:
    """Attach these parts of a file and no others; none of them, and not `whole`, takes the file off.

    What is attached already keeps its place, priority and pin.
    """

    chat: str
    file: str
    anchors: tuple[str, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class ReadOtherwise:
    """Read an attached file as another kind, or in another encoding; from the copy that was kept."""

    chat: str
    key: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class FreezeArtifacts:
    """Go on with the copies of files that have changed on the disk, until they change again.

    Of files that were read anew already, `earlier` puts the copies from before back.
    """

    chat: str
    keys: tuple[str, ...]
    earlier: bool = False


@dataclass(frozen=True, slots=True)
class AttachPages:
    """Attach pages of a PDF as pictures, for a model that sees them; a password opens it, and is not kept."""

    chat: str
    path: str
    first: int = 1
    last: int = 1
    password: Secret | None = None


@dataclass(frozen=True, slots=True)
class AttachNamed:
    """Attach what names behind an @ mean, at once and without writing them: files, parts of them, other chats."""

    chat: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Complete:
    """Say what a name could become that is being typed behind an @; where none is, nothing is offered any more.

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
    """End what is being attached to a chat; what was read before stays."""

    chat: str


PartsChange = ChooseParts | ReadOtherwise | AttachPages | AttachNamed


# What a person wants of a folder: look through it before something is attached, follow it afterwards.


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
