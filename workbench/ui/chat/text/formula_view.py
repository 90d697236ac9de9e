"""A formula that stands alone; until it is drawn, or where it cannot be, its source."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.text.blocks import Formula
from workbench.ui.chat.text.formula import Drawn, FormulaJob, picture_of
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.safe_text import safe
from workbench.ui.chat.text.selection import Part, Selection
from workbench.ui.look.fonts import font, scale
from workbench.ui.look.painting import fill_rounded, set_text_style
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.menu import menu
from workbench.ui.widgets.stack import tell_height

DISPLAY_PX = 18.0
PADDING_PX = 8
LONGEST_SHOWN = 4_000
_WRAP = Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextWrapAnywhere | Qt.AlignmentFlag.AlignLeft


class FormulaView(QWidget):
    """The picture in the middle of the column, made smaller where it is too wide."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ink = ink
        self._formula = Formula("")
        self._drawn: Drawn | None = None
        self._across: Selection | None = None
        self._selected = False
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def show_formula(self, formula: Formula) -> None:
        if formula != self._formula:
            self._formula = formula
            self.setAccessibleName(tr("Formula: {source}").format(source=formula.source))
            self._draw()

    def is_drawn(self) -> bool:
        return self._drawn is not None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if self._drawn is not None:
            return ceil(self._drawn.height * self._shrunk(width)) + 2 * PADDING_PX
        room = QRectF(0, 0, max(1, width - 2 * PADDING_PX), 100_000)
        used = QFontMetricsF(font("code")).boundingRect(room, _WRAP, self._source())
        return ceil(used.height()) + 2 * PADDING_PX

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(1, self.width())))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange) and hasattr(self, "_drawn"):
            self._draw()

    def join(self, across: Selection) -> None:
        self._across = across

    def place_at(self, spot: QPoint) -> int:
        """It is one sign: its upper half is before it, its lower half behind it."""
        return int(spot.y() >= self.height() / 2)

    def word_at(self, _place: int) -> tuple[int, int]:
        return 0, 1

    def select_part(self, part: Part | None, _seen: int | None = None) -> None:
        selected = part is not None and part.start != part.end
        if selected != self._selected:
            self._selected = selected
            self.update()

    def text_of(self, part: Part) -> str:
        return self._formula.source if part.start != part.end and part.start < 1 else ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._across is not None and event.button() == Qt.MouseButton.LeftButton:
            self._across.clear()
            place = self.place_at(event.position().toPoint())
            self._across.begin(self, (place, place))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._across is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._across.drag_to(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        if self._across is not None:
            self._across.release()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            if self._across is not None and self._across.parts():
                self._across.copy()
            else:
                self._copy()
        elif self._across is not None and event.matches(QKeySequence.StandardKey.SelectAll):
            self._across.select_all()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        made = menu(self)
        made.addAction(tr("Copy LaTeX"), self._copy)
        made.popup(event.globalPos())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        if self._selected and self._drawn is not None:
            painter.fillRect(self.rect(), colour("sel", theme))
        if self._drawn is None:
            fill_rounded(painter, QRectF(self.rect()), theme.sel if self._selected else theme.code_bg, 6)
            set_text_style(painter, font("code"), colour("t2", theme))
            inner = QRectF(self.rect()).adjusted(PADDING_PX, PADDING_PX, -PADDING_PX, -PADDING_PX)
            painter.drawText(inner, int(_WRAP), self._source())
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        factor = self._shrunk(self.width())
        width, height = self._drawn.width * factor, self._drawn.height * factor
        left = max(0, round((self.width() - width) / 2))
        painter.drawImage(QRectF(left, PADDING_PX, width, height), self._drawn.image)

    def _shrunk(self, width: int) -> float:
        return min(1.0, width / self._drawn.width) if self._drawn else 1.0

    def _source(self) -> str:
        return safe(self._formula.source[:LONGEST_SHOWN])

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._formula.source)

    def _draw(self) -> None:
        svg = self._ink.get(FormulaJob(self._formula.source, True, DISPLAY_PX * scale()), self._draw)
        ink = colour("t1", theme_of(self)).name()
        self._drawn = None if svg is None else picture_of(svg, ink, self.devicePixelRatioF())
        tell_height(self)
        self.update()
