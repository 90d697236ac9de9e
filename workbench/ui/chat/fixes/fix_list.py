"""Ways to make a request fit, one below the other, each with its result and a button that applies it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.engine.state import Fix
from workbench.ui.chat.fixes.fix_words import fix_words
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import paint_elided, set_text_style
from workbench.ui.look.space import S2, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import Button, button
from workbench.ui.widgets.labels import ElidedLabel

MOST = 4
ROW_HEIGHT = 44


class FixList(QWidget):
    """At most four fixes; the first that fits is the one that stands out."""

    applied = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._fixes: tuple[Fix, ...] = ()
        self._rows: list[FixRow] = []
        self._down = rows(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_fixes(self, fixes: tuple[Fix, ...]) -> None:
        if fixes is self._fixes or fixes == self._fixes:
            return
        self._fixes = fixes
        for row in self._rows:
            row.hide()
            self._down.removeWidget(row)
            row.deleteLater()
        best = next((fix for fix in fixes[:MOST] if fix.fits), None)
        self._rows = [FixRow(fix, fix is best) for fix in fixes[:MOST]]
        for row in self._rows:
            row.applied.connect(self.applied)
            self._down.addWidget(row)

    def fix_rows(self) -> tuple[FixRow, ...]:
        return tuple(self._rows)

    def best(self) -> Button | None:
        return next((row.apply for row in self._rows if row.apply.kind == "primary"), None)


class FixRow(QWidget):
    """One fix: what it does, its effect, its result, and the button."""

    applied = Signal(object)

    def __init__(self, fix: Fix, best: bool) -> None:
        super().__init__()
        self.fix = fix
        words = fix_words(fix)
        self._icon = words.icon
        self.setFixedHeight(ROW_HEIGHT)
        self.title = ElidedLabel(words.title, "ui")
        self.effect = ElidedLabel(words.effect, "small", "t3")
        self.result = Result(words.result, fix.fits)
        self.apply = button(self.tr("Apply"), "primary" if best else "secondary", size="small")
        self.apply.setMinimumWidth(64)
        self.apply.setAccessibleName(self.tr("Apply: {what}").format(what=words.title))
        self.apply.setAccessibleDescription(f"{words.effect}; {words.result}")
        self.apply.clicked.connect(lambda: self.applied.emit(self.fix))
        across = columns(self)
        across.addSpacing(34)
        texts = fill(rows(None, (0, 5, 0, 5)), self.title, self.effect)
        fill(across, (texts, 1), S2, self.result, S2, self.apply, S2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        spot = QRectF(10, 0, 16, ROW_HEIGHT - 1)
        paint_icon(painter, spot, self._icon, "t2", 16)
        painter.fillRect(QRectF(0, ROW_HEIGHT - 1, self.width(), 1), colour("line", theme_of(self)))


class Result(QWidget):
    """Whether a request then fits: a sign and a word, so that colour does not stand alone."""

    def __init__(self, words: str, fits: bool) -> None:
        super().__init__()
        self._words, self._fits = words, fits
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def words(self) -> str:
        return self._words

    def sizeHint(self) -> QSize:
        return QSize(int(18 + metrics("small").horizontalAdvance(self._words) + 0.999), 18)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        token = "ok" if self._fits else "err"
        spot = QRectF(0, 0, 14, self.height())
        paint_icon(painter, spot, "check" if self._fits else "x", token, 14)
        set_text_style(painter, font("small"), colour(token, theme_of(self)))
        text = QRectF(self.rect())
        paint_elided(painter, text.adjusted(18, 0, 0, 0), self._words)
