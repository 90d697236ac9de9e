"""The frame that all dialogs share: a head with the title, a body, and a foot for buttons."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QHideEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.ui.look.compositing import round_corners
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import on_click, tool_button
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.scrim import Scrim
from workbench.ui.widgets.shadow import MARGIN, paint_floating

RADIUS = 10
HEAD_HEIGHT, FOOT_HEIGHT = 44, 52
ROOM = 24
"""What is left free round a dialog on a small screen."""

_BY_KEYBOARD = Qt.WidgetAttribute.WA_KeyboardFocusChange


class Sheet(QDialog):
    """Put widgets into `body`, buttons into `foot`, and open it with `open()`; width and height are of what is seen."""

    def __init__(self, title: str, width: int = 560, height: int = 0, parent: QWidget | None = None) -> None:
        flags = (
            Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
        )
        super().__init__(parent, flags)
        round_corners(self, MARGIN, RADIUS)
        self.setWindowTitle(title)
        self.setModal(True)
        self._asked = QSize(width, height)
        self._scrim = Scrim(parent.window()) if parent is not None else None
        self.title = label(title, "title")
        self.close_button = on_click(tool_button("x", self.tr("Close"), self.tr("Close (Esc)")), self.reject)
        self.head: QHBoxLayout = columns(None, (16, 0, 8, 0), 8)
        self.head.addWidget(self.title, 1)
        self.head.addWidget(self.close_button)
        self.body: QVBoxLayout = rows(None, (16, 16, 16, 16), 12)
        self.foot: QHBoxLayout = columns(None, (16, 0, 16, 0), 8)
        self.head_band = Band(self.head, HEAD_HEIGHT, line_below=True)
        self.foot_band = Band(self.foot, FOOT_HEIGHT, line_below=False)
        fill(rows(self, (MARGIN, MARGIN, MARGIN, MARGIN)), self.head_band, (self.body, 1), self.foot_band)

    def set_title(self, title: str) -> None:
        self.setWindowTitle(title)
        self.title.setText(title)

    def showEvent(self, event: QShowEvent) -> None:
        """Take the size and place, veil the window behind, and put the focus into the body."""
        super().showEvent(event)
        self._place()
        if self._scrim is not None:
            self._scrim.show()
            by_keyboard = self._scrim.window().testAttribute(_BY_KEYBOARD)
            self.setAttribute(_BY_KEYBOARD, by_keyboard)
        if self.focusWidget() in (None, self.close_button):
            self._focus_first()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._scrim is not None:
            self._scrim.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_floating(self, theme_of(self).surface, theme_of(self).line2, RADIUS)

    def _place(self) -> None:
        """Over its window, on that window's screen, and never larger than that or beyond its edge."""
        parent: QWidget | None = self.parentWidget()
        over = self if parent is None else parent.window()
        screen = over.screen().availableGeometry()
        room = screen.size() - QSize(2 * ROOM, 2 * ROOM)
        hint = self.sizeHint() - QSize(2 * MARGIN, 2 * MARGIN)
        wanted = QSize(self._asked.width() or hint.width(), self._asked.height() or hint.height())
        self.resize(wanted.boundedTo(room) + QSize(2 * MARGIN, 2 * MARGIN))
        middle = screen.center() if parent is None else over.mapToGlobal(over.rect().center())
        self.move(within(screen, middle - QPoint(self.width() // 2, self.height() // 2), self.size()))

    def _focus_first(self) -> None:
        widget = self.nextInFocusChain()
        while widget is not self:
            fits = widget.isVisibleTo(self) and widget.isEnabled() and widget is not self.close_button
            if fits and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and self.isAncestorOf(widget):
                widget.setFocus(Qt.FocusReason.ActiveWindowFocusReason)
                return
            widget = widget.nextInFocusChain()


def within(screen: QRect, corner: QPoint, size: QSize) -> QPoint:
    """The nearest corner at which something is seen whole; its margin, where its shadow is, may lie outside."""
    free = screen.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
    x = min(corner.x(), free.right() + 1 - size.width())
    y = min(corner.y(), free.bottom() + 1 - size.height())
    return QPoint(max(x, free.left()), max(y, free.top()))


class Band(QWidget):
    """The head or foot of a dialog, with a hairline towards its middle; the head moves the dialog."""

    def __init__(self, layout: QHBoxLayout, height: int, line_below: bool) -> None:
        super().__init__()
        self._line_below = line_below
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setLayout(layout)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        handle = self.window().windowHandle()
        if self._line_below and event.button() == Qt.MouseButton.LeftButton and handle is not None:
            handle.startSystemMove()

    def paintEvent(self, _event: QPaintEvent) -> None:
        y = self.height() - 1 if self._line_below else 0
        QPainter(self).fillRect(QRectF(1, y, self.width() - 2, 1), colour("line", theme_of(self)))
