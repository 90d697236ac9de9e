"""Popups: small windows with round corners that go away when one clicks elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from workbench.ui.look.compositing import round_corners
from workbench.ui.look.space import rows
from workbench.ui.look.theme import theme_of
from workbench.ui.widgets.scrim import Scrim
from workbench.ui.widgets.shadow import MARGIN, paint_floating
from workbench.ui.widgets.sheet import Sheet, within

__all__ = ["Popup", "Scrim", "Sheet"]

RADIUS = 10


class Popup(QFrame):
    """A small window with round corners and a shadow, which goes away when one clicks elsewhere; fill `body`."""

    def __init__(self, parent: QWidget, margins: tuple[int, int, int, int] = (8, 8, 8, 8)) -> None:
        flags = Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
        super().__init__(parent, flags)
        round_corners(self, MARGIN, RADIUS)
        outer = rows(self, (MARGIN, MARGIN, MARGIN, MARGIN))
        self.body: QVBoxLayout = rows(outer, margins)

    def open_under(self, anchor: QWidget, gap: int = 4) -> None:
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(-MARGIN, anchor.height() + gap - MARGIN))
        self.move(within(anchor.screen().availableGeometry(), corner, self.size()))
        self.show()

    def open_over(self, anchor: QWidget, gap: int = 4) -> None:
        """Open above a widget, with their ends in one line."""
        self.adjustSize()
        x = anchor.width() - self.width() + MARGIN
        corner = anchor.mapToGlobal(QPoint(x, -self.height() - gap + MARGIN))
        self.move(within(anchor.screen().availableGeometry(), corner, self.size()))
        self.show()

    def fit(self) -> None:
        """Be as high as what is in it at this width; a popup does not follow by itself."""
        self.body.activate()
        layout = self.layout()
        layout.activate()
        high = layout.totalHeightForWidth(self.width()) if layout.hasHeightForWidth() else -1
        self.resize(self.width(), high if high > 0 else self.sizeHint().height())

    def fit_soon(self) -> None:
        """The same, now and once what was hidden in it is out of its layouts."""
        self.fit()
        QTimer.singleShot(0, self, self.fit)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        paint_floating(self, theme.raised, theme.line2 if theme.dark else theme.line, RADIUS)
