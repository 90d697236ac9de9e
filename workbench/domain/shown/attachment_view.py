"""An attachment as it is listed: what it costs, how it is sent, and whether its file has changed since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.domain.attachment import ArtifactKind
from workbench.domain.found_secret import FoundSecret
from workbench.domain.shown.envelope_view import RowState

DiskState = Literal["same", "changed", "renewed", "gone", "unreadable", "frozen", "unknown"]
"""What became of the file since it was attached.

renewed: it changed, and was read anew for the next request; frozen: it changed, and the copy was chosen to stay.
"""


@dataclass(frozen=True, slots=True)
class AttachmentRow:
    """One attachment.

    Attributes:
        tokens: what it costs in the next request; what it would cost where it is not sent.
        text: as the model gets it; empty where it is not sent. `content` is the whole text.
        changed_utc: when the file changed on the disk.
        refresh_tokens: cached tokens that reading it anew would have read again; None where nobody can say.
        refresh_usd: what that would cost.
        most_tokens: how long somebody wants it to be at most; can_shorten: whether that could be less than all of it.
        secrets: what in it looks like a key or a password and would be sent.
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
