"""The rows of the palette as a list model, and how they are painted."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.ui.dialogs.palette_match import Match, grouped
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import elided, fill_rounded
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.widgets.labels import key_cap_width, paint_key_cap

ROW, HEADING = 32, 28
Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class PaletteRow(NamedTuple):
    """A heading, or a command that was found."""

    heading: str = ""
    match: Match | None = None


class PaletteModel(QAbstractListModel):
    """Headings and what stands under them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[PaletteRow] = []

    def show_matches(self, found: list[Match]) -> None:
        """Show other matches."""
        self.beginResetModel()
        self.rows = []
        for heading, group in grouped(found):
            self.rows.append(PaletteRow(heading))
            self.rows.extend(PaletteRow(match=match) for match in group)
        self.endResetModel()

    def first(self) -> int:
        """The first row that can be run; -1 where there is none."""
        return self.beside(-1, 1)

    def beside(self, row: int, step: int) -> int:
        """The next row in a direction that can be run; the same where there is none."""
        place = row + step
        while 0 <= place < len(self.rows):
            if self.rows[place].match is not None:
                return place
            place += step
        return row

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.heading or (row.match.command.title if row.match else "")
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and self.rows[index.row()].match is not None:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return Qt.ItemFlag.NoItemFlags


class PaletteDelegate(QStyledItemDelegate):
    """Paints headings, titles with their typed letters marked, and key caps."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, ROW if _row(index).match is not None else HEADING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = theme_of(), _row(index)
        box = QRectF(option.rect)  # type: ignore[attr-defined]  # Qt's stub leaves out the inherited field
        painter.save()
        if row.match is None:
            painter.setFont(font("meta_strong"))
            painter.setPen(colour(theme.t3))
            painter.drawText(box.adjusted(14, 6, -14, 0), _flags(), row.heading)
        else:
            chosen = bool(option.state & QStyle.StateFlag.State_Selected)  # type: ignore[attr-defined]
            self._paint_match(painter, box, row.match, (theme, chosen))
        painter.restore()

    def _paint_match(self, painter: QPainter, box: QRectF, match: Match, look: tuple[Theme, bool]) -> None:
        theme, chosen = look
        if chosen:
            fill_rounded(painter, box.adjusted(6, 0, -6, 0), theme.sel, 8)
        command = match.command
        paint_icon(
            painter, QRectF(box.left() + 14, box.top(), 16, box.height()), command.icon or "chevron-right"
        )
        right = box.right() - 14
        if command.shortcut:
            width = key_cap_width(command.shortcut)
            cap = QRectF(right - width, box.center().y() - 9, width, 18)
            paint_key_cap(painter, cap, command.shortcut, theme.t2, theme.btnline)
            right -= width + 12
        left = _paint_title(
            painter, QRectF(box.left() + 40, box.top(), right - box.left() - 40, box.height()), match
        )
        if command.line:
            rest = QRectF(left + 10, box.top(), right - left - 10, box.height())
            painter.setFont(font("small"))
            painter.setPen(colour(theme.t3))
            painter.drawText(rest, _flags(), elided(font("small"), command.line, rest.width()))


def _paint_title(painter: QPainter, box: QRectF, match: Match) -> float:
    """The title with the letters that were typed in accent; where it ends."""
    theme, left = theme_of(), box.left()
    marks = set(match.marks)
    plain = font("ui"), colour(theme.t1), metrics("ui")
    strong = font("ui_heading"), colour(theme.accent_text), metrics("ui_heading")
    flags, held = _flags(), None
    for place, letter in enumerate(elided(plain[0], match.command.title, box.width())):
        face, ink, measure = look = strong if place in marks else plain
        if look is not held:
            held = look
            painter.setFont(face)
            painter.setPen(ink)
        width = measure.horizontalAdvance(letter)
        painter.drawText(QRectF(left, box.top(), width + 4, box.height()), flags, letter)
        left += width
    return left


def _row(index: Index) -> PaletteRow:
    model = index.model()
    assert isinstance(model, PaletteModel)
    return model.rows[index.row()]


def _flags() -> int:
    return int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine)
