"""Paints the rows of a folder's tree: icon and name, two figures, and a note."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from workbench.ui.dialogs.folder.model import Column, FolderModel
from workbench.ui.dialogs.folder.nodes import Node
from workbench.ui.dialogs.folder.words import Note
from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    BADGE_HEIGHT,
    after,
    badge_width,
    elided,
    fill_rounded,
    paint_badge,
    paint_elided,
    paint_figure,
    placed,
)
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.widgets.plain import shown

ICON_LEAD, NAME_LEAD, ICON = 54, 75, 15
NOTE_LEAD, NOTE_ICON, LINE = 20, 14, 60


def paint_node(
    painter: QPainter, model: FolderModel, node: Node, cells: Sequence[QRectF], shift: int
) -> None:
    """Paint a row, each column into its cell; the name stands in by `shift`."""
    theme = theme_of()
    _paint_name(painter, cells[Column.NAME], node, shift)
    for column, weight in ((Column.TOKENS, None), (Column.CHOSEN, 600)):
        if words := model.text(node, column):
            painter.setFont(font("row", weight))
            painter.setPen(colour("t1" if weight or node.choosable else "t3", theme))
            paint_figure(painter, cells[column], words)
    note = model.note(node)
    if note.words or note.badge:
        _paint_note(painter, cells[Column.NOTE], note)


def _paint_name(painter: QPainter, rect: QRectF, node: Node, shift: int) -> None:
    usable = node.standing == "open" and not node.attached
    icon = "folder" if node.folder else _ICONS.get(node.standing, _KINDS.get(node.kind or "", "file"))
    spot = placed(rect, ICON_LEAD + shift, ICON)
    paint_icon(painter, spot, icon, "t2" if usable else "t3", ICON)
    painter.setFont(font("row", 600 if node.folder and usable else None))
    painter.setPen(colour("t1" if usable else "t3", theme_of()))
    room = after(rect, NAME_LEAD + shift, 8)
    name = elided(painter.font(), shown(node.name), room.width(), Qt.TextElideMode.ElideMiddle)
    paint_elided(painter, room, name)


def _paint_note(painter: QPainter, rect: QRectF, note: Note) -> None:
    theme, lead = theme_of(), float(NOTE_LEAD)
    if note.badge:
        width = badge_width(note.icon, note.badge)
        spot = placed(rect, lead, width)
        spot.setTop(rect.center().y() - BADGE_HEIGHT / 2)
        spot.setHeight(BADGE_HEIGHT)
        paint_badge(painter, spot, note.tone, note.icon, note.badge)
        lead += width + 6
    elif note.icon:
        paint_icon(painter, placed(rect, lead, NOTE_ICON), note.icon, "t3", NOTE_ICON)
        lead += NOTE_ICON + 5
    elif note.part is not None:
        _paint_part(painter, placed(rect, lead, LINE), note.part, theme)
        lead += LINE + 8
    painter.setFont(font("row_small"))
    painter.setPen(colour("t2" if note.badge or note.part is not None else "t3", theme))
    room = after(rect, lead, 10)
    paint_elided(painter, room, note.words)


def _paint_part(painter: QPainter, spot: QRectF, part: float, theme: Theme) -> None:
    line = QRectF(spot.left(), spot.center().y() - 2, spot.width(), 4)
    fill_rounded(painter, line, theme.track, 2)
    done = QRectF(line)
    done.setWidth(max(3.0, line.width() * part))
    fill_rounded(painter, done, theme.accent, 2)


_ICONS = {"refused": "link", "binary": "file-x", "large": "file-x"}
_KINDS = {"picture": "image", "document": "book"}
