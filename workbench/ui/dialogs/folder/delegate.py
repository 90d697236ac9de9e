"""Paints the rows of a folder's tree: chevron, box, icon and name, two figures, and a note."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionButton, QStyleOptionViewItem, QTreeView

from workbench.ui.dialogs.folder.model import Column, FolderModel, check_state
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
    paint_figure,
    placed,
)
from workbench.ui.look.theme import Theme, colour, theme_of

Index = QModelIndex | QPersistentModelIndex
ROW, INDENT = 26, 20
CHEVRON_LEAD, CHECK_LEAD, ICON_LEAD, NAME_LEAD = 14, 33, 54, 75
CHEVRON, CHECK, ICON = 12, 15, 15
NOTE_LEAD, NOTE_ICON, LINE = 20, 14, 60
_WORDS = int(
    Qt.AlignmentFlag.AlignVCenter.value
    | Qt.AlignmentFlag.AlignLeading.value
    | Qt.TextFlag.TextSingleLine.value
)
State = QStyle.StateFlag
_ON = {
    Qt.CheckState.Checked: State.State_On,
    Qt.CheckState.PartiallyChecked: State.State_NoChange,
    Qt.CheckState.Unchecked: State.State_Off,
}


def check_box(row: QRect, depth: int) -> QRectF:
    """Where the box of a row is, a little larger than it looks."""
    return placed(QRectF(row), CHECK_LEAD + INDENT * depth, CHECK).adjusted(-3, 0, 3, 0)


def chevron_box(row: QRect, depth: int) -> QRectF:
    """Where the chevron of a row is."""
    return placed(QRectF(row), CHEVRON_LEAD + INDENT * depth, CHEVRON).adjusted(-5, 0, 4, 0)


class FolderDelegate(QStyledItemDelegate):
    """Paints whole rows, which is twice as fast as cell by cell; colours are asked for at every paint."""

    def __init__(self, view: QTreeView, model: FolderModel) -> None:
        super().__init__(view)
        self._view, self._model = view, model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """All rows are equally high."""
        return QSize(60, ROW)

    def paint_row(self, painter: QPainter, node: Node, cells: Sequence[QRectF], opened: bool) -> None:
        """Paint a row, each column into its cell."""
        theme, model = theme_of(self._view), self._model
        self._paint_name(painter, cells[Column.NAME], node, opened)
        for column, weight in ((Column.TOKENS, None), (Column.CHOSEN, 600)):
            if words := model.text(node, column):
                painter.setFont(font("row", weight))
                painter.setPen(colour("t1" if weight or node.choosable else "t3", theme))
                paint_figure(painter, cells[column], words, Qt.AlignmentFlag.AlignRight)
        note = model.note(node)
        if note.words or note.badge:
            self._paint_note(painter, cells[Column.NOTE], note)

    def _paint_name(self, painter: QPainter, rect: QRectF, node: Node, opened: bool) -> None:
        theme = theme_of(self._view)
        shift = INDENT * node.depth
        if node.shown:
            spot = placed(rect, CHEVRON_LEAD + shift, CHEVRON)
            paint_icon(painter, spot, "chevron-down" if opened else "chevron-right", "t2", CHEVRON)
        self._paint_check(painter, placed(rect, CHECK_LEAD + shift, CHECK), node)
        usable = node.standing == "open" and not node.attached
        icon = "folder" if node.folder else _ICONS.get(node.standing, _KINDS.get(node.kind or "", "file"))
        spot = placed(rect, ICON_LEAD + shift, ICON)
        paint_icon(painter, spot, icon, "t2" if usable else "t3", ICON)
        painter.setFont(font("row", 600 if node.folder and usable else None))
        painter.setPen(colour("t1" if usable else "t3", theme))
        room = after(rect, NAME_LEAD + shift, 8)
        name = self._model.text(node, Column.NAME)
        painter.drawText(
            room, _WORDS, elided(painter.font(), name, room.width(), Qt.TextElideMode.ElideMiddle)
        )

    def _paint_check(self, painter: QPainter, spot: QRectF, node: Node) -> None:
        option = QStyleOptionButton()
        option.rect = spot.toRect()  # type: ignore[attr-defined]
        state = _ON[check_state(node)]
        option.state = state | State.State_Enabled if node.choosable else state  # type: ignore[attr-defined]
        check = QStyle.PrimitiveElement.PE_IndicatorCheckBox
        self._view.style().drawPrimitive(check, option, painter, self._view)

    def _paint_note(self, painter: QPainter, rect: QRectF, note: Note) -> None:
        theme, lead = theme_of(self._view), float(NOTE_LEAD)
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
            self._paint_part(painter, placed(rect, lead, LINE), note.part, theme)
            lead += LINE + 8
        painter.setFont(font("row_small"))
        painter.setPen(colour("t2" if note.badge or note.part is not None else "t3", theme))
        room = after(rect, lead, 10)
        painter.drawText(room, _WORDS, elided(painter.font(), note.words, room.width()))

    def _paint_part(self, painter: QPainter, spot: QRectF, part: float, theme: Theme) -> None:
        line = QRectF(spot.left(), spot.center().y() - 2, spot.width(), 4)
        fill_rounded(painter, line, theme.track, 2)
        done = QRectF(line)
        done.setWidth(max(3.0, line.width() * part))
        fill_rounded(painter, done, theme.accent, 2)


_ICONS = {"refused": "link", "binary": "file-x", "large": "file-x"}
_KINDS = {"picture": "image", "document": "book"}
