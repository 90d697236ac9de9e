"""What becomes of what is pasted or dropped, and the window as a place to drop things on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QMimeData, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QImage,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QWidget

from workbench.engine.intents import AttachFiles, AttachPicture, AttachText
from workbench.ui.filing import CHATS
from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import dashed_pen, fill_rounded, set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.file_chooser import take_copy
from workbench.ui.widgets.plain import shown

Attaching = AttachFiles | AttachPicture | AttachText
LONG_CHARS, LONG_LINES = 2_000, 40
LONGEST_TITLE = 40
PNG = "image/png"
_PAGE = re.compile(r"https?://\S+\Z")
INSET, RADIUS = 12, 12
VEIL_ALPHA = 0.92


@dataclass(frozen=True, slots=True)
class Offer:
    """What was pasted or dropped.

    Attributes:
        intents: what is to be attached.
        text: what is to be typed; empty where everything is attached.
        page: whether the text is the address of a page, which is fetched only where somebody asks.
        long_text: the text that is attached because it is long.
    """

    intents: tuple[Attaching, ...] = ()
    text: str = ""
    page: bool = False
    long_text: str = ""


def can_take(mime: QMimeData) -> bool:
    """Whether anything of it can be used; chats of the list are filed, not attached."""
    return (mime.hasUrls() or mime.hasText() or mime.hasImage()) and not mime.hasFormat(CHATS)


def mime_intents(mime: QMimeData | None, chat: str) -> tuple[Attaching, ...]:
    """What is to be attached of something dropped; nothing of a short text, which belongs into the message.

    A clipboard that cannot be read gives None.
    """
    return () if mime is None else read_offer(mime, chat).intents


def read_offer(mime: QMimeData, chat: str) -> Offer:
    """What is to be done with something pasted or dropped.

    Files come before everything else; words come before a picture of them, which office programs offer along.
    """
    paths = tuple(url.toLocalFile() for url in mime.urls() if url.isLocalFile())
    if paths:
        return Offer((AttachFiles(chat, paths),))
    text = _text(mime)
    if is_long(text):
        return Offer((text_intent(text, chat),), long_text=text)
    if text.strip():
        return Offer(text=text, page=is_page(text))
    picture = picture_bytes(mime)
    return Offer((AttachPicture(chat, picture),)) if picture else Offer()


def text_intent(text: str, chat: str) -> AttachText:
    """Attach a text, shown as its first words."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return AttachText(chat, text, shown(first, LONGEST_TITLE))


def is_long(text: str) -> bool:
    """Whether a text is better attached than typed."""
    return len(text) > LONG_CHARS or text.count("\n") >= LONG_LINES


def is_page(text: str) -> bool:
    """Whether a text is nothing but the address of a page."""
    return bool(_PAGE.match(text.strip()))


def picture_bytes(mime: QMimeData) -> bytes:
    """The picture as a PNG; empty where there is none."""
    if mime.hasFormat(PNG):
        return bytes(mime.data(PNG).data())
    image = QImage(mime.imageData()) if mime.hasImage() else QImage()
    if image.isNull():
        return b""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub wants the format as bytes, Qt takes neither
    return bytes(content.data())


def _text(mime: QMimeData) -> str:
    if mime.hasText():
        return mime.text().replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return "\n".join(url.toString() for url in mime.urls())


def kept_copy(mime: QMimeData) -> QMimeData:
    """What was dropped or pasted, as it will still be there when Qt has let go of its own."""
    copy = QMimeData()
    if mime.hasUrls():
        copy.setUrls(mime.urls())
    if mime.hasText() and not mime.hasUrls():
        copy.setText(mime.text())
    if mime.hasImage():
        copy.setImageData(mime.imageData())
    return copy


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
            return tr("Drop to attach {name}").format(name=shown(name, 60)), self._files_line()
        if files:
            return tr("Drop to attach {n} files").format(n=files), self._files_line()
        if is_page(mime.text()):
            return tr("Drop the address here"), tr(
                "It’s added to the message; the page is fetched only if you ask for it."
            )
        if mime.hasText() and not is_long(mime.text()):
            return tr("Drop the text here"), tr("It is put into the message.")
        return tr("Drop to attach"), tr("It counts in the next request at once.")

    def _files_line(self) -> str:
        return tr("Files, folders and pictures; their text is kept as it is now.")

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
