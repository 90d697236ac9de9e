"""Which attachments stand as chips in the composer, how each looks, and how many of them fit into one row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.ui import formatting
from workbench.ui.widgets.chip import ChipLook

STRENGTH: tuple[ChipLook, ...] = ("plain", "pinned", "stale", "out")
"""Looks from the quietest to the one that most wants to be seen."""

_IN_LIBRARY = ("compacted", "reference")


class ChipWords(NamedTuple):
    """What a chip says."""

    look: ChipLook
    figure: str
    word: str


def chips_of(rows: Iterable[AttachmentRow]) -> tuple[AttachmentRow, ...]:
    """What this message brings, then what has changed of the rest; what stands quietly in the library is no news."""
    brought = [row for row in rows if row.state not in _IN_LIBRARY]
    changed = [
        row for row in rows if row.state in _IN_LIBRARY and row.disk in ("changed", "gone", "unreadable")
    ]
    return (*brought, *changed)


def chip_words(row: AttachmentRow) -> ChipWords:
    """How an attachment looks as a chip."""
    figure = formatting.tokens(row.tokens)
    if row.state == "unreadable" or row.disk == "unreadable":
        return ChipWords("out", figure, _tr("unreadable"))
    if row.state == "dropped":
        return ChipWords("out", figure, _tr("left out"))
    if row.state == "excluded":
        return ChipWords("out", figure, _tr("left out by you"))
    if row.disk == "changed" or row.state == "stale":
        return ChipWords("stale", figure, _tr("changed"))
    if row.disk == "gone":
        return ChipWords("stale", figure, _tr("gone"))
    return ChipWords("pinned" if row.pinned else "plain", figure, "")


def strongest(looks: Iterable[ChipLook]) -> ChipLook:
    """The look that most wants to be seen."""
    return max(looks, key=STRENGTH.index, default="plain")


def how_many_fit(widths: Sequence[float], more_width: float, room: float, gap: float) -> int:
    """How many chips fit into one row, with one that counts the others where not all do."""
    if sum(widths) + gap * max(0, len(widths) - 1) <= room:
        return len(widths)
    used, fitting = more_width, 0
    for width in widths:
        used += width + gap
        if used > room:
            break
        fitting += 1
    return fitting


def _tr(words: str) -> str:
    return QCoreApplication.translate("Composer", words)
