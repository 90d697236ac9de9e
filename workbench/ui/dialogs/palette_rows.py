"""The rows of the palette as a list model, and how they are painted."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from workbench.ui.dialogs.palette_match import Match, grouped
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import elided, fill_rounded, set_text_style
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.widgets.items.delegate import RowDelegate
from workbench.ui.widgets.items.item import Index, ItemOption
from workbench.ui.widgets.items.list_model import ITEM, ListModel
from workbench.ui.widgets.labels import key_cap_width, paint_key_cap

ROW, HEADING = 32, 28


class PaletteRow(NamedTuple):
    """A heading, or a command that was found."""

    heading: str = ""
    match: Match | None = None


class PaletteModel(ListModel[PaletteRow]):
    """Headings and what stands under them."""

    def show_matches(self, found: list[Match]) -> None:
        rows: list[PaletteRow] = []
        for heading, group in grouped(found):
            rows.append(PaletteRow(heading))
            rows.extend(PaletteRow(match=match) for match in group)
        self.reset_items(rows)

    def first(self) -> int:
        """The first row that can be run; -1 where there is none."""
        return self.beside(-1, 1)

    def beside(self, row: int, step: int) -> int:
        """The next row in a direction that can be run; the same where there is none."""
        place = row + step
        while 0 <= place < len(self.items):
            if self.items[place].match is not None:
                return place
            place += step
        return row

    def text_of(self, row: PaletteRow) -> str:
        """A heading, or the title of a command."""
        return row.heading or (row.match.command.title if row.match else "")

    def can_choose(self, row: PaletteRow) -> bool:
        """Only a command can be run."""
        return row.match is not None


class PaletteDelegate(RowDelegate):
    """Paints headings, titles with their typed letters marked, and key caps."""

    def row_height(self, index: Index) -> int:
        return ROW if index.data(ITEM).match is not None else HEADING

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        theme, shown = theme_of(), index.data(ITEM)
        if shown.match is None:
            set_text_style(painter, font("meta_strong"), colour(theme.t3))
            painter.drawText(row.box.adjusted(14, 6, -14, 0), _flags(), shown.heading)
        else:
            self._paint_match(painter, row.box, shown.match, (theme, row.selected))

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
            set_text_style(painter, font("small"), colour(theme.t3))
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
            set_text_style(painter, face, ink)
        width = measure.horizontalAdvance(letter)
        painter.drawText(QRectF(left, box.top(), width + 4, box.height()), flags, letter)
        left += width
    return left


def _flags() -> int:
    return int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine)
