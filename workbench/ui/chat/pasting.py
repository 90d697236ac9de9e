"""What becomes of what is pasted or dropped: files, pictures and long text are attached, the rest is typed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData
from PySide6.QtGui import QImage

from workbench.engine.intents import AttachFiles, AttachPicture, AttachText
from workbench.ui.widgets.plain import shown

Attaching = AttachFiles | AttachPicture | AttachText

LONG_CHARS, LONG_LINES = 2_000, 40
LONGEST_TITLE = 40
PNG = "image/png"
_PAGE = re.compile(r"https?://\S+\Z")


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
    """Whether anything of it can be used."""
    return mime.hasUrls() or mime.hasText() or mime.hasImage()


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
