"""The small parts of the folder's dialog: a pill for a kind of files, a line across, and how far the scan is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from workbench.domain.shown.folder_view import FolderView
from workbench.ui.dialogs.folder.words import progress_of
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import fill_rounded, set_text_style, stroke_rounded
from workbench.ui.look.space import columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressLine

_tr = translator("FolderDialog")


class KindChip(QPushButton):
    """A kind of files, and how many there are; pressed, only such files are seen."""

    def __init__(self) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setProperty("ring_radius", 12)

    def sizeHint(self) -> QSize:
        return QSize(int(metrics("small", 500).horizontalAdvance(self.text()) + 0.999) + 20, 24)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the pill; a pressed one in the accent's tint."""
        theme, painter, box = theme_of(self), QPainter(self), QRectF(self.rect())
        on, over = self.isChecked(), self.underMouse()
        ground = theme.accent_tint if on else theme.hover if over else theme.raised
        fill_rounded(painter, box, ground, 12)
        stroke_rounded(painter, box, theme.accent if on else theme.line2, 12)
        set_text_style(painter, font("small", 500), colour("accent_text" if on else "t1", theme))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text())


class ScanLine(QWidget):
    """How far the look is, and a way to end it; gone when it is over."""

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.line.setFixedWidth(160)
        self.count = label("", "small", "t1")
        self.count.setObjectName("strong")
        self.words = label("", "small", "t2")
        self.at = ElidedLabel("", "digest", "t2", Qt.TextElideMode.ElideMiddle)
        self.now = label(_tr("What is counted can be added now."), "small", "t2")
        self.cancel = button(_tr("Cancel scan"), size="small")
        self.setFixedHeight(40)
        across = columns(self, (16, 0, 16, 0), 0)
        fill(
            across, self.line, 12, self.count, 4, self.words, 12, (self.at, 1), 12, self.now, 12, self.cancel
        )

    def show_view(self, view: FolderView | None, fed: bool) -> None:
        if view is None:
            set_text(self.count, "")
            set_text(self.words, _tr("Looking into the folder…"))
            self.line.set_fraction(None)
            self.setVisible(True)
            return
        count, words, fraction = progress_of(view)
        set_text(self.count, count)
        set_text(self.words, words)
        set_text(self.at, shown(view.at, 200))
        self.line.set_fraction(fraction)
        self.cancel.setVisible(not view.over)
        self.now.setVisible(not view.over)
        if view.stopped:
            set_text(self.at, _tr("cancelled; what was found stays"))
        # Once everything is counted and shown there is nothing to say any more.
        self.setVisible(not view.over or view.stopped or bool(view.problem) or not fed)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        painter.fillRect(QRectF(0, 0, self.width(), self.height()), colour("chrome", theme))
        painter.fillRect(QRectF(0, 0, self.width(), 1), colour("line", theme))
