"""Values for attaching files: what goes into the request, limits, refusals, and snapshots to notice changes by."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import Document, ReadAs
from workbench.domain.reading.constraints import Between
from workbench.domain.translation import tr

_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class AttachLimits:
    """Limits on attaching: per file, in total, and the number of files above which the user is asked."""

    file_mb: Annotated[int, Between(1, 1_000)] = 25
    total_mb: Annotated[int, Between(1, 10_000)] = 500
    ask_files: Annotated[int, Between(1, 100_000)] = 100

    @property
    def file_bytes(self) -> int:
        """The largest file, in bytes."""
        return self.file_mb * _MB

    @property
    def total_bytes(self) -> int:
        """The most bytes attached at once."""
        return self.total_mb * _MB


# One number for whatever is attached, wherever it comes from: a file that can be imported again must not be one that
# could not have been attached.
MOST_ATTACHED_BYTES = AttachLimits().file_bytes


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was not attached, why, and what can be done about it where that is known.

    Attributes:
        stays: it was to be refreshed, and the previous copy is still attached.
        pages: how many could be attached as pictures instead.
        place: where the file lies, of what can be attached in another way.
        covered: it is attached as a part of something.
        refused: it was wanted and cannot be read, unlike what the rules of a folder leave out.
        locked: a password opens it.
    """

    path: str
    reason: str
    advice: str = ""
    stays: bool = False
    pages: int = 0
    place: str = ""
    covered: bool = False
    refused: bool = False
    locked: bool = False

    def as_pages(self, pages: int, place: str) -> LeftOut:
        """The same with the number of pages that could be attached as pictures."""
        return replace(self, pages=pages, place=place)

    def __str__(self) -> str:
        return tr("{path} ({reason})", path=self.path, reason=self.reason)


class CannotAttach(WorkbenchError):
    """The error for a path that cannot be attached; says what it is instead."""

    def __init__(self, path: str, reason: str, advice: str) -> None:
        super().__init__(
            tr("{path} was not attached: {reason}. {advice}", path=path, reason=reason, advice=advice)
        )
        self.path, self.reason, self.advice = path, reason, advice
        self.left_out: tuple[LeftOut, ...] = (LeftOut(path, reason, advice, refused=True),)


class Locked(CannotAttach):
    """The error for a document that needs a password; `place` is where it lies."""

    def __init__(self, path: str, reason: str, advice: str, place: str = "") -> None:
        super().__init__(path, reason, advice)
        self.left_out = tuple(replace(one, locked=True, place=place) for one in self.left_out)


@dataclass(frozen=True, slots=True)
class AttachedPicture:
    """What is known about a picture without decoding it."""

    media_type: str
    width: int
    height: int

    @property
    def described(self) -> str:
        """The caption used where only text is possible."""
        return f"A picture: {self.media_type}, {self.width} × {self.height} pixels."


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file named by a path: its name, location, bytes, and the part that is meant."""

    name: str
    place: str
    content: bytes
    modified_utc: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A fetched page: its final address, its bytes, and the media type its server declares."""

    url: str
    content: bytes
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Attached:
    """A file as it was when it was attached.

    Attributes:
        artifact: its text under its path; of a picture, a line that describes it.
        content: the file's own bytes, and `sha256` their digest.
        modified_utc: when the file was last written, as it said itself.
        picture: for pictures only.
        place: where the file lies, whichever folder the program is started in next time.
        names: what a model may be told it is called, the shortest first; none where its key says nothing it should not.
        read_as: what kind of file it is, in which encoding, and what of it is not in the text.
        document: all of the file, where only a part is attached or an outline was made.
        sendable: of a picture that providers would refuse, or that lies on its side: the bytes that are sent instead.
        bound: the folder that it was found in by a name or a pattern: it is never read from outside of that.
    """

    artifact: Artifact
    content: bytes
    sha256: str
    modified_utc: str
    picture: AttachedPicture | None = None
    place: str = ""
    names: tuple[str, ...] = ()
    read_as: ReadAs = field(default_factory=ReadAs)
    document: Document | None = None
    sendable: bytes = b""
    bound: str = ""


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """The files of a folder that can be attached, by relative path; `left_out` names the rest, with reasons.

    `pattern`: only files that match a pattern were wanted.
    """

    folder: str
    paths: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()
    pattern: bool = False

    def nothing(self, path: str) -> CannotAttach:
        """The error for a folder or a pattern without any file to attach."""
        if not self.pattern:
            return CannotAttach(path, tr("there is no text file in it"), tr("Attach another folder."))
        what = tr("no text file") if self.left_out else tr("no file")
        return CannotAttach(path, tr("{what} fits this pattern", what=what), tr("Check the pattern."))


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of a folder by relative path; an unchanged size and stamp mean unchanged content."""

    path: str
    size_bytes: int = 0
    stamp: int = 0


@dataclass(frozen=True, slots=True)
class FolderList:
    """The files in a folder and below, top levels first; `more` where there are more than were wanted."""

    folder: str
    files: tuple[ListedFile, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class AttachProgress:
    """Progress of attaching: files done, files in total, and the one being read."""

    done: int
    total: int
    name: str


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """What is known of a stored copy of a file, without its bytes.

    Attributes:
        key: its path as it was given; text_digest: that of the text it was attached as.
        size_bytes, sha256: of the file itself.
        place, refused: as its snapshot says.
        name: the name that the model was given for it.
        read_as: how it was read. taken_utc: when.
        bound: the folder that it must lie in, as its snapshot says.
    """

    key: str
    text_digest: str
    size_bytes: int
    sha256: str
    place: str = ""
    refused: str = ""
    name: str = ""
    read_as: ReadAs = field(default_factory=ReadAs)
    taken_utc: str = ""
    bound: str = ""


@dataclass(frozen=True, slots=True)
class FileSight:
    """The result of checking a file against its stored copy.

    Attributes:
        changed_utc: when a file that differs was written, as it says itself.
        stamp: what another look compares: as long as it is the same, nothing was written since.
        sha256: of its bytes; empty for one that is too large to be attached.
    """

    state: Literal["same", "changed", "gone", "unreadable"]
    changed_utc: str = ""
    stamp: tuple[int, ...] = ()
    sha256: str = ""
