"""What lies over the window: dialogs with a head, body and foot, popups, their shadow, and the veil behind."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.ui.look.compositing import round_corners
from workbench.ui.look.focus_ring import focus_chain
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Panel, PanelLook
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown

RADIUS = 10
HEAD_HEIGHT, FOOT_HEIGHT = 44, 52
ROOM = 24
"""What is left free round a dialog on a small screen."""
_BY_KEYBOARD = Qt.WidgetAttribute.WA_KeyboardFocusChange
MARGIN = 24
_KEEP_PIXELS = ("xcb", "windows", "offscreen")
"""Platforms on which a window's painted pixels stay until they are painted over; others may give it empty ones."""


class Sheet(PanelLook, QDialog):
    """Put widgets into `body`, buttons into `foot`, and open it with `open()`; width and height are of what is seen.

    Without a height it is as high as what is in it, also where that grows.
    """

    ground, border, radius, shadow_margin = "surface", "line2", RADIUS, MARGIN

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
        self.close_button = on_click(tool_button("x", tr("Close"), tr("Close (Esc)")), self.reject)
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

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and not self._asked.height() and self.isVisible():
            high = self._high(self.width())
            if high > self.height():
                self._place(self.pos())
        return done

    def _high(self, width: int) -> int:
        """What it takes at a width, where words are broken into lines."""
        layout = self.layout()
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else self.sizeHint().height()

    def setVisible(self, visible: bool) -> None:
        """Have its size before it is shown: Qt would lay it out as large as it likes to be, and then once more."""
        if visible and not self.isVisible():
            self.ensurePolished()
            self._place()
        super().setVisible(visible)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()
        if self._scrim is not None:
            self._scrim.cover()
            by_keyboard = self._scrim.window().testAttribute(_BY_KEYBOARD)
            self.setAttribute(_BY_KEYBOARD, by_keyboard)
        if self.focusWidget() in (None, self.close_button):
            self._focus_first()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._scrim is not None:
            self._scrim.hide()

    def _place(self, corner: QPoint | None = None) -> None:
        """Over its window, on that window's screen, and never larger than that or beyond its edge.

        With a corner it stays there, and grows down: who is about to press something in it finds it where it was.
        """
        parent: QWidget | None = self.parentWidget()
        over = self if parent is None else parent.window()
        screen = over.screen().availableGeometry()
        room = screen.size() - QSize(2 * ROOM, 2 * ROOM)
        width = self._asked.width() or self.sizeHint().width() - 2 * MARGIN
        high = self._asked.height() or self._high(width + 2 * MARGIN) - 2 * MARGIN
        wanted = QSize(width, high)
        self.resize(wanted.boundedTo(room) + QSize(2 * MARGIN, 2 * MARGIN))
        middle = screen.center() if parent is None else over.mapToGlobal(over.rect().center())
        centred = middle - QPoint(self.width() // 2, self.height() // 2)
        self.move(within(screen, centred if corner is None else corner, self.size()))

    def _focus_first(self) -> None:
        for widget in focus_chain(self):
            fits = widget.isVisibleTo(self) and widget.isEnabled() and widget is not self.close_button
            if fits and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and self.isAncestorOf(widget):
                widget.setFocus(Qt.FocusReason.ActiveWindowFocusReason)
                return


class NotedSheet(Sheet):
    """A dialog that says what was done in a line of its own, with a way back: it lies over where the window says it."""

    def add_note(self, take_back: Callable[[], None]) -> None:
        self.said = label("", "small", "t2", wrap=True)
        self.undo = on_click(button(tr("Undo"), "link", size="small"), take_back)
        self.undo.hide()
        fill(columns(self.body, spacing=8), (self.said, 1), self.undo)

    def say(self, words: str) -> None:
        set_text(self.said, shown(words, 400))
        self.undo.hide()


def within(screen: QRect, corner: QPoint, size: QSize) -> QPoint:
    """The nearest corner at which something is seen whole; its margin, where its shadow is, may lie outside."""
    free = screen.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
    x = min(corner.x(), free.right() + 1 - size.width())
    y = min(corner.y(), free.bottom() + 1 - size.height())
    return QPoint(max(x, free.left()), max(y, free.top()))


class Band(Panel):
    """The head or foot of a dialog, with a hairline towards its middle; the head moves the dialog."""

    line_inset = 1

    def __init__(self, layout: QHBoxLayout, height: int, line_below: bool) -> None:
        super().__init__()
        self.line_above, self.line_below = not line_below, line_below
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setLayout(layout)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        handle = self.window().windowHandle()
        if self.line_below and event.button() == Qt.MouseButton.LeftButton and handle is not None:
            handle.startSystemMove()


class Veil(Panel):
    """Dims what is below it, hidden at first; `pressed` when it is clicked."""

    ground = "scrim"

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.pressed.emit()


class Scrim(Veil):
    """A veil over a whole widget while something else has to be answered."""

    def cover(self) -> None:
        """Show it, without painting the window below again where its pixels are still there to be dimmed."""
        window, opaque = self.window(), Qt.WidgetAttribute.WA_OpaquePaintEvent
        translucent = window.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        keeps = QGuiApplication.platformName() in _KEEP_PIXELS and window.isVisible() and not translucent
        if keeps:
            # What waits to be painted would count as hidden by it.
            QApplication.sendPostedEvents(window, QEvent.Type.UpdateRequest.value)
        self.setAttribute(opaque, keeps)
        self._follow()
        self.raise_()
        self.show()
        if keeps:
            # Once: Qt paints what was shown again a moment later, which would dim it twice.
            QApplication.removePostedEvents(self, QEvent.Type.UpdateLater.value)
            self.repaint()
            self.setAttribute(opaque, False)  # from now on what changes below it is seen

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parent():
            self._follow()
        return False

    def showEvent(self, event: QShowEvent) -> None:
        """Cover the parent; it is watched only now, since a filter is asked about every event."""
        super().showEvent(event)
        self.parent().installEventFilter(self)
        self._follow()
        self.raise_()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.parent().removeEventFilter(self)

    def _follow(self) -> None:
        self.setGeometry(self.parentWidget().rect())


class Popup(Panel):
    """A small window with round corners and a shadow, which goes away when one clicks elsewhere; fill `body`."""

    ground, radius, shadow_margin = "raised", RADIUS, MARGIN

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

    def update_look(self) -> None:
        self.border = "line2" if theme_of(self).dark else "line"
