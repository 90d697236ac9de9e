"""What becomes of what is pasted or dropped."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from workbench.engine.intents import AttachFiles, AttachPicture, AttachText
from workbench.ui.chat.pasting import (
    LONG_CHARS,
    LONG_LINES,
    DropTarget,
    can_take,
    is_long,
    is_page,
    mime_intents,
    picture_bytes,
    read_offer,
    text_intent,
)

WHERE = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)


def text_mime(text: str) -> QMimeData:
    mime = QMimeData()
    mime.setText(text)
    return mime


def files_mime(*paths: str) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return mime


def picture_mime() -> QMimeData:
    image = QImage(3, 2, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    mime = QMimeData()
    mime.setImageData(image)
    return mime


def test_files_and_folders_are_attached_by_their_paths(qapp: object):
    assert mime_intents(files_mime("/tmp/a b.py", "/tmp/src"), "c") == (
        AttachFiles("c", ("/tmp/a b.py", "/tmp/src")),
    )


def test_a_picture_is_attached_as_png(qapp: object):
    (intent,) = mime_intents(picture_mime(), "c")
    assert isinstance(intent, AttachPicture)
    assert intent.content.startswith(b"\x89PNG")
    assert QImage.fromData(intent.content).size().toTuple() == (3, 2)


def test_a_png_is_taken_as_it_is(qapp: object):
    """Made anew, its bytes and so its digest would be others."""
    mime = QMimeData()
    mime.setData("image/png", b"\x89PNG as it is")
    assert picture_bytes(mime) == b"\x89PNG as it is"


def test_words_come_before_the_picture_of_them(qapp: object):
    mime = picture_mime()
    mime.setText("a table")
    assert read_offer(mime, "c").text == "a table"
    assert read_offer(mime, "c").intents == ()


def test_short_text_is_typed(qapp: object):
    offer = read_offer(text_mime("two\r\nlines"), "c")
    assert (offer.intents, offer.text, offer.page) == ((), "two\nlines", False)


def test_long_text_is_attached(qapp: object):
    text = "Traceback (most recent call last):\n" + "line\n" * LONG_LINES
    offer = read_offer(text_mime(text), "c")
    assert offer.intents == (AttachText("c", text, "Traceback (most recent call last):"),)
    assert (offer.text, offer.long_text) == ("", text)


@pytest.mark.parametrize(
    ("text", "long"),
    [
        ("x" * LONG_CHARS, False),
        ("x" * (LONG_CHARS + 1), True),
        ("x\n" * (LONG_LINES - 1), False),
        ("x\n" * LONG_LINES, True),
    ],
)
def test_what_is_long(text: str, long: bool):
    assert is_long(text) is long


def test_a_title_is_the_first_line_that_says_something():
    assert text_intent("\n\n  first \nsecond", "c").title == "first"
    assert len(text_intent("x" * 500, "c").title) <= 40


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("https://example.org/a?b=c", True),
        (" http://example.org ", True),
        ("see https://example.org", False),
        ("ftp://example.org", False),
        ("https://a.org https://b.org", False),
    ],
)
def test_an_address_alone_is_a_page(text: str, page: bool):
    assert is_page(text) is page


def test_a_link_from_a_browser_is_text_and_nothing_is_fetched(qapp: object):
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/doc")])
    offer = read_offer(mime, "c")
    assert (offer.intents, offer.text, offer.page) == ((), "https://example.org/doc", True)


def test_markup_is_taken_as_its_plain_text(qapp: object):
    mime = text_mime("plain")
    mime.setHtml("<b>rich</b>")
    assert read_offer(mime, "c").text == "plain"


def test_what_holds_nothing_gives_nothing(qapp: object):
    assert read_offer(QMimeData(), "c") == read_offer(text_mime("  "), "c")
    assert not can_take(QMimeData())
    assert can_take(text_mime("x"))


def test_a_null_character_does_not_get_into_the_message(qapp: object):
    assert "\0" not in read_offer(text_mime("a\0b"), "c").text


def test_a_clipboard_that_cannot_be_read_has_nothing_on_it():
    assert mime_intents(None, "talk") == ()


def files() -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/tmp/a.py")])
    return mime


def target_of(qtbot: QtBot) -> tuple[QWidget, QWidget, DropTarget]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(600, 400)
    pane = QWidget(window)
    pane.setGeometry(200, 0, 400, 400)
    window.show()
    return window, pane, DropTarget(window, pane)


def enter(window: QWidget, mime: QMimeData) -> bool:
    event = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, mime, *WHERE)
    event.ignore()
    QApplication.sendEvent(window, event)
    return event.isAccepted()


def test_a_drag_shows_the_overlay_until_it_leaves(qtbot: QtBot):
    window, pane, target = target_of(qtbot)
    assert enter(window, files())
    assert target.overlay.isVisible()
    assert target.overlay.parentWidget() is pane
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not target.overlay.isVisible()


def test_a_drop_is_handed_on(qtbot: QtBot):
    window, _, target = target_of(qtbot)
    taken: list[list[str]] = []
    target.dropped.connect(lambda mime: taken.append([url.toLocalFile() for url in mime.urls()]))
    mime = files()
    enter(window, mime)
    move = QDragMoveEvent(QPoint(20, 20), Qt.DropAction.CopyAction, mime, *WHERE)
    QApplication.sendEvent(window, move)
    event = QDropEvent(QPointF(20, 20), Qt.DropAction.CopyAction, mime, *WHERE)
    QApplication.sendEvent(window, event)
    assert move.isAccepted()
    assert taken == [["/tmp/a.py"]]
    assert not target.overlay.isVisible()


def test_what_nobody_can_use_is_refused(qtbot: QtBot):
    window, _, target = target_of(qtbot)
    assert not enter(window, QMimeData())
    assert not target.overlay.isVisible()
