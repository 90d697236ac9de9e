"""Attachments as they are listed: cost, form, and whether the file has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from workbench.domain.files.attachment import ArtifactKind, artifact_kind
from workbench.domain.files.document import ReadAs
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.folder import FileCount, FolderEntry, FolderRules
from workbench.domain.folder_index import FolderProgress
from workbench.domain.secrets import FoundSecret
from workbench.domain.shown.envelope_view import EnvelopeView, RowState

DiskState = Literal["same", "changed", "renewed", "gone", "unreadable", "frozen", "unknown"]
"""What became of the file since it was attached.

renewed: it changed, and was refreshed for the next request; frozen: it changed, and the user kept the copy.
"""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of the file behind an attachment.

    Attributes:
        read_as: what kind it was read as, and what of it is not in the text.
        sha256, size_bytes: of the file's own bytes.
        anchor: which part of it is attached; empty for all of it.
        read_utc: when it was read, or its page fetched.
    """

    read_as: ReadAs
    sha256: str = ""
    size_bytes: int = 0
    anchor: str = ""
    read_utc: str = ""


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture as it is sent: its bytes, digest and size in pixels."""

    content: bytes = field(repr=False)
    digest: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class AttachmentRow:
    """One attachment.

    Attributes:
        tokens: what it costs in the next request; what it would cost where it is not sent.
        full_tokens: what it would cost whole, where it is sent shortened; can_be_read: whether the request holds a tool
            with which the model can have the rest.
        text: as the model gets it; empty where it is not sent. `content` is the whole text.
        changed_utc: when the file changed on the disk.
        refresh_tokens: cached tokens that a refresh would have re-read; None where that is unknown.
        refresh_usd: what that would cost.
        most_tokens: the length that the user chose; can_shorten: whether that could be less than all of it.
        secrets: what in it looks like a key or a password and would be sent.
        by_relevance: the user chose its outline, with those of its sections that match the question.
        unread: what of its file is not in the text because its reader takes no more of it.
        held: it is shortened for the sake of a cache alone, and would have room whole.
        detached: it is no longer attached, and remains in a log until that is rebuilt.
    """

    key: str
    kind: ArtifactKind
    name: str
    tokens: int
    priority: int
    pinned: bool
    state: RowState
    content: str = ""
    text: str = ""
    disk: DiskState = "unknown"
    changed_utc: str = ""
    refresh_tokens: int | None = None
    refresh_usd: float | None = None
    secrets: tuple[FoundSecret, ...] = ()
    most_tokens: int | None = None
    can_shorten: bool = False
    by_relevance: bool = False
    full_tokens: int | None = None
    can_be_read: bool = False
    unread: tuple[str, ...] = ()
    held: bool = False
    detached: bool = False


def left_in_log(view: EnvelopeView | None, attached: Iterable[AttachmentRow]) -> tuple[AttachmentRow, ...]:
    """Detached files that are still sent because a log holds them, one row for all copies of each."""
    if view is None or view.layout != "append_only" or view.rebuilt is not None:
        return ()
    held, found = {row.key for row in attached}, dict[str, AttachmentRow]()
    for row in (row for layer in view.layers if layer.name == "L2_PREVIOUS" for row in layer.rows):
        key, kind = row.members[0], artifact_kind(row.kind)
        if kind is None or not row.counted or key in held:
            continue
        tokens = row.tokens + (found[key].tokens if key in found else 0)
        found[key] = AttachmentRow(key, kind, row.name, tokens, 0, False, "sent", detached=True)
    return tuple(found.values())


PARTED_KINDS: frozenset[ArtifactKind] = frozenset({"file", "pdf", "url"})


def anchor_of(row: AttachmentRow, files: Mapping[str, FileFacts]) -> str:
    """Which part of its file a row is; empty for all of it. A file may have a # in its own name."""
    known = files.get(row.key)
    if known is not None:
        return known.anchor
    return split_anchor(row.key)[1] if row.kind in PARTED_KINDS else ""


def file_key(row: AttachmentRow, files: Mapping[str, FileFacts]) -> str:
    """The key of the whole file that a row is, or is a part of."""
    anchor = anchor_of(row, files)
    return row.key[: -len(anchor) - 1] if anchor else row.key


# A folder that is looked through, as far as it is known; and folders that are followed, with what is new in them.


@dataclass(frozen=True, slots=True)
class FolderView:
    """A scan of a folder. Both lists only grow, so that a view can continue from what it has drawn.

    Attributes:
        number: of the scan; another scan starts with empty lists.
        path: the folder as it was named.
        to_count: how many files are to be counted, as far as they are listed; counted: how many of them are.
        at: the file that is being counted.
        listed: whether everything in it is listed; over: whether nothing more will come.
        problem: why it could not be scanned.
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
    """A folder that is watched for new files, or searched for every question.

    Attributes:
        new: files that came since, by their paths in it; gone: how many of the known ones went.
        there: whether it can be read.
        searched: whether it is searched; progress: how far its index is, where that is known.
    """

    path: str
    new: tuple[str, ...] = ()
    gone: int = 0
    there: bool = True
    searched: bool = False
    progress: FolderProgress | None = None


# How well what is attached fits the question that is being written, and the priorities that this suggests.


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested priority for an attachment; nothing changes before the user accepts it."""

    key: str
    now: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """The model's opinion on priorities: requested, given, or failed.

    `tokens` and `cost_usd` are what asking costs; no cost where no price is known.
    """

    stage: Literal["offered", "asking", "done", "failed"]
    model: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Relevance:
    """The relevance of attachments to the question being written.

    Attributes:
        shares: by attachment from 0 to 1, against the one that fits best; what has no words is not in it.
        open: whether suggestions are shown: until they are all accepted, or dismissed.
        opinion: what was asked of the model; None where nothing was.
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    suggestions: tuple[Suggestion, ...] = ()
    open: bool = False
    opinion: Opinion | None = None
