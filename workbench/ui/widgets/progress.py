"""Progress: a thin line, and a row with words, an amount and a way to stop."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import LeadingIcon, Panel
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.motion import is_still

HEIGHT = 4
RUNNER_PX = 34
ICON_ROOM = 32
TICK_MS, STEP_PX = 33, 4.0


class ProgressLine(QWidget):
    """How much is done; a runner where nobody knows how much there is."""

    def __init__(self) -> None:
        super().__init__()
        self._fraction: float | None = 0.0
        self._offset = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._step)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Progress"))

    def set_fraction(self, fraction: float | None) -> None:
        """Show a part from 0 to 1; None where it is unknown."""
        self._fraction = None if fraction is None else min(max(fraction, 0.0), 1.0)
        words = tr("under way") if self._fraction is None else f"{round(self._fraction * 100)} %"
        self.setAccessibleDescription(words)
        self._run()
        self.update()

    def fraction(self) -> float | None:
        return self._fraction

    def sizeHint(self) -> QSize:
        return QSize(120, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(RUNNER_PX, HEIGHT)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._run()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        painter = QPainter(self)
        box = QRectF(0, (self.height() - HEIGHT) / 2, self.width(), HEIGHT)
        fill_rounded(painter, box, theme.track, 2)
        painter.setClipRect(box)
        part = self._part(box)
        if part.width() > 0:
            fill_rounded(painter, part, theme.accent, 2)

    def _part(self, box: QRectF) -> QRectF:
        if self._fraction is not None:
            return QRectF(box.left(), box.top(), box.width() * self._fraction, HEIGHT)
        start = (box.width() - RUNNER_PX) / 2 if is_still(self) else self._offset - RUNNER_PX
        return QRectF(box.left() + start, box.top(), RUNNER_PX, HEIGHT)

    def _run(self) -> None:
        if self._fraction is None and self.isVisible() and not is_still(self):
            self._timer.start()
        else:
            self._timer.stop()

    def _step(self) -> None:
        self._offset = (self._offset + STEP_PX) % (self.width() + RUNNER_PX)
        self.update()


class ProgressRow(Panel):
    """Something that takes long: what it is, how far it is, and a way to stop it."""

    cancelled = Signal()

    def __init__(self, icon: str, words: str, amount: str = "", cancel: str = "") -> None:
        super().__init__()
        self.leading = LeadingIcon(icon, box=(12, 0, 18, 0))
        self.words = ElidedLabel(words)
        self.amount = label(amount, "small", "t3")
        self.bar = ProgressLine()
        self.cancel = on_click(button(cancel or tr("Cancel"), size="small"), self.cancelled)
        self.cancel.setAccessibleName(tr("Cancel: %1").replace("%1", words))
        self.setFixedHeight(52)
        across = columns(self, (12, 0, 12, 0), 12)
        across.addSpacing(ICON_ROOM)
        down = rows(across, spacing=6)
        down.addStretch(1)
        fill(columns(down, spacing=8), (self.words, 1), self.amount)
        fill(down, self.bar, STRETCH)
        across.setStretchFactor(down, 1)
        across.addWidget(self.cancel, 0, Qt.AlignmentFlag.AlignVCenter)

    def show_progress(self, fraction: float | None, amount: str = "") -> None:
        self.bar.set_fraction(fraction)
        set_text(self.amount, amount)
