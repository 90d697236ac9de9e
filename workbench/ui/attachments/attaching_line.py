"""How files get here: a dashed box that says it, and a line that says how far attaching is that takes a while."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.files.attached import AttachProgress
from workbench.engine.attaching_intents import StopAttaching
from workbench.ui import formatting
from workbench.ui.look.painting import dashed_pen, stroke_rounded
from workbench.ui.look.space import S1, S2, S3, STRETCH, columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.labels import ElidedLabel, KeyCap, label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressLine
from workbench.ui.wishes import Wishes

ROOM = 44


class AttachingLine(QWidget):
    """Seen only while something is being attached."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._chat = ""
        self._progress: AttachProgress | None = None
        self.words = ElidedLabel("", "small", "t2")
        self.bar = ProgressLine()
        self.cancel = on_click(button(self.tr("Cancel"), "link", size="small"), self._stop)
        self.setFixedHeight(ROOM)
        down = rows(self, (S3, 0, S2, S1), 2)
        fill(columns(down, spacing=S2), (self.words, 1), self.cancel)
        down.addWidget(self.bar)
        self.hide()

    def show_progress(self, chat: str, progress: AttachProgress | None) -> bool:
        """Show how far it is; whether the line came or went."""
        if chat == self._chat and progress == self._progress:
            return False
        before, self._chat, self._progress = self._progress, chat, progress
        if progress is not None:
            words = self.tr("{done} of {total}, reading {name}").format(
                done=formatting.tokens(progress.done),
                total=formatting.tokens(progress.total),
                name=shown(progress.name, 80),
            )
            set_text(self.words, words)
            self.bar.set_fraction(progress.done / progress.total if progress.total else None)
        self.setVisible(progress is not None)
        return (before is None) != (progress is None)

    def room(self) -> int:
        """How high it is; nothing where it is not seen."""
        return ROOM if self._progress is not None else 0

    def _stop(self) -> None:
        self.wishes.send(StopAttaching(self._chat))


HINT_HEIGHT = 56


class DropHint(QWidget):
    """A dashed box with two short lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Drop files or a folder anywhere, or press Ctrl+O"))
        down = rows(self, (S2, S1, S2, S1), 2)
        first = label(self.tr("Drop files or a folder anywhere"), "small", "t3")
        first.setAlignment(Qt.AlignmentFlag.AlignCenter)
        first.setMinimumWidth(1)
        fill(down, STRETCH, first)
        second = columns(down, spacing=S1)
        fill(second, STRETCH, label(self.tr("or press"), "small", "t3"), KeyCap(self.tr("Ctrl+O")), STRETCH)
        down.addStretch(1)

    def sizeHint(self) -> QSize:
        return QSize(160, HINT_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        line = dashed_pen(theme_of(self).line2, 1, 4, 3)
        stroke_rounded(QPainter(self), QRectF(self.rect()), line, 8)
