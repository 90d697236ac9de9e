"""Makes a whole window a place to drop things on: shows where they go, and hands them on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.pasting import can_take, is_long, is_page
from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import dashed_pen, fill_rounded, set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.drop import take_copy
from workbench.ui.widgets.plain import shown

# What lies over the chat while something is dragged over it: where it may be dropped, and what then
# happens.

INSET, RADIUS = 12, 12
VEIL_ALPHA = 0.92


class DropOverlay(QWidget):
    """Covers its parent between `begin` and `end`; it takes no events, so that the parent gets the drop."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._title = self._line = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        parent.installEventFilter(self)
        self.hide()

    def begin(self, mime: QMimeData) -> None:
        self._title, self._line = self._words(mime)
        self.setAccessibleName(self._title)
        self.setGeometry(self.parentWidget().rect())
        self.show()
        self.raise_()

    def end(self) -> None:
        self.hide()

    def title(self) -> str:
        return self._title

    def _words(self, mime: QMimeData) -> tuple[str, str]:
        files = sum(url.isLocalFile() for url in mime.urls())
        if files == 1:
            name = next(url.fileName() for url in mime.urls() if url.isLocalFile())
            return self.tr("Drop to attach {name}").format(name=shown(name, 60)), self._files_line()
        if files:
            return self.tr("Drop to attach {n} files").format(n=files), self._files_line()
        if is_page(mime.text()):
            return self.tr("Drop the address here"), self.tr(
                "It is put into the message; its page is fetched only if you ask for it."
            )
        if mime.hasText() and not is_long(mime.text()):
            return self.tr("Drop the text here"), self.tr("It is put into the message.")
        return self.tr("Drop to attach"), self.tr("It counts in the next request at once.")

    def _files_line(self) -> str:
        return self.tr("Files, folders and pictures; their text is kept as it is now.")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parent() and self.isVisible():
            self.setGeometry(self.parentWidget().rect())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        box = QRectF(self.rect())
        veil = QColor(theme.surface)
        veil.setAlphaF(VEIL_ALPHA)
        painter.fillRect(box, veil)
        target = box.adjusted(INSET, INSET, -INSET, -INSET)
        tint = QColor(theme.accent_tint)
        tint.setAlphaF(0.6)
        fill_rounded(painter, target, QBrush(tint), RADIUS)
        stroke_rounded(painter, target, dashed_pen(theme.accent, 2, 8, 6), RADIUS)
        middle = target.center().y()
        paint_icon(painter, QRectF(target.left(), middle - 46, target.width(), 24), "clip", "accent_text", 24)
        set_text_style(painter, font("title"), colour("t1", theme))
        self._centred(painter, target, middle - 12, self._title)
        set_text_style(painter, font("small"), colour("t2", theme))
        self._centred(painter, target, middle + 10, self._line)

    def _centred(self, painter: QPainter, target: QRectF, top: float, words: str) -> None:
        room = target.adjusted(16, 0, -16, 0)
        fitting = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, int(room.width()))
        painter.drawText(QRectF(room.left(), top, room.width(), 22), Qt.AlignmentFlag.AlignCenter, fitting)


class DropTarget(QObject):
    """Watches a widget for drops; `dropped` has what was dropped, and only while it is being told.

    What is below the pointer may take a drop itself; everything else comes here. The overlay lies over `shown_on`,
    the part of the window in which things arrive.
    """

    dropped = Signal(QMimeData)

    def __init__(self, widget: QWidget, shown_on: QWidget | None = None) -> None:
        super().__init__(widget)
        self.overlay = DropOverlay(shown_on or widget)
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.DragEnter if isinstance(event, QDragEnterEvent):
                return self._enter(event)
            case QEvent.Type.DragMove if isinstance(event, QDragMoveEvent):
                take_copy(event)
                return True
            case QEvent.Type.DragLeave:
                self.overlay.end()
                return True
            case QEvent.Type.Drop if isinstance(event, QDropEvent):
                self.overlay.end()
                take_copy(event)
                self.dropped.emit(event.mimeData())
                return True
            case _:
                return False

    def _enter(self, event: QDragEnterEvent) -> bool:
        if not can_take(event.mimeData()):
            return False
        take_copy(event)
        self.overlay.begin(event.mimeData())
        return True
