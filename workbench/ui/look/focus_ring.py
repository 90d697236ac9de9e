"""The ring round what has the focus, shown only to those who move it by keyboard."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QFocusFrame,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

from workbench.ui.look.painting import stroke_rounded
from workbench.ui.look.theme import theme_of

WIDTH, GAP = 2, 1
REACH = WIDTH + GAP
RING = "ring"
"""A widget's property: False where it shows its focus itself."""
RADIUS = "ring_radius"
"""A widget's property: the radius of its own corners, 6 unless told."""

SHOW_IT_THEMSELVES = (QAbstractItemView, QAbstractSpinBox, QLineEdit, QPlainTextEdit, QTextEdit)


class FocusFollower(QObject):
    """Puts the ring round the widget that has the focus, where it came there by keyboard."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._ring = FocusRing()
        app.focusChanged.connect(self.follow)

    def follow(self, _old: QWidget | None, new: QWidget | None) -> None:
        if isinstance(new, QAbstractItemView) and came_by_keyboard(new) and new.currentIndex().isValid():
            new.scrollTo(new.currentIndex())  # no key is for a row that is not in sight
        if new is None or not came_by_keyboard(new) or not wants_ring(new):
            if isValid(self._ring):
                self._ring.setWidget(None)  # type: ignore[arg-type]  # the stub does not know that it may be None
            return
        # The ring is a child of the window it was last in, and gone with it.
        if not isValid(self._ring):
            self._ring = FocusRing()
        self._ring.setWidget(new)

    def ringed(self) -> QWidget | None:
        return self._ring.widget() if isValid(self._ring) else None


class FocusRing(QFocusFrame):
    """Lies over the window, so that no widget needs a margin for it and none cuts it."""

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, _event: QPaintEvent) -> None:
        radius = self.widget().property(RADIUS) or 6
        painter = QPainter(self)
        stroke_rounded(painter, QRectF(self.rect()), theme_of(self).accent, float(radius) + REACH - 1, WIDTH)


def focus_chain(start: QWidget) -> Iterator[QWidget]:
    """The widgets after one, as Qt's Tab goes through them, until it comes round."""
    widget = start
    while True:
        widget = widget.nextInFocusChain()
        # WORKAROUND(PySide 6.8): it takes the next one for this one's child, and would not free it once this one went
        # first. Qt has nothing to do here, since it is its parent already.
        QWidget.setParent(widget, widget.parentWidget())
        if widget is start:
            return
        yield widget


def came_by_keyboard(widget: QWidget) -> bool:
    """Whether the focus was last moved by keyboard; a click takes that back."""
    window = widget.window()
    if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
        window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange, False)
    return window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)


def wants_ring(widget: QWidget) -> bool:
    """Whether a widget leaves it to the ring to show its focus."""
    told = widget.property(RING)
    if told is not None:
        return bool(told)
    return not isinstance(widget, SHOW_IT_THEMSELVES) and not widget.isWindow()
