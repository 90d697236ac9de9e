"""What lies over the chat while something is dragged over it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.chat.pasting import DropOverlay
from workbench.ui.look.theme import Theme


def overlay_of(qtbot: QtBot) -> tuple[QWidget, DropOverlay]:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(400, 300)
    parent.show()
    return parent, DropOverlay(parent)


def mime_of(*urls: str, text: str = "") -> QMimeData:
    mime = QMimeData()
    if urls:
        mime.setUrls([QUrl(url) for url in urls])
    if text:
        mime.setText(text)
    return mime


@pytest.mark.parametrize(
    ("mime", "title"),
    [
        (mime_of("file:///tmp/a.py"), "Drop to attach a.py"),
        (mime_of("file:///tmp/a.py", "file:///tmp/src"), "Drop to attach 2 files"),
        (mime_of(text="https://example.org"), "Drop the address here"),
        (mime_of(text="a few words"), "Drop the text here"),
        (mime_of(text="x" * 3000), "Drop to attach"),
    ],
)
def test_it_says_what_a_drop_would_do(qtbot: QtBot, mime: QMimeData, title: str):
    _, overlay = overlay_of(qtbot)
    overlay.begin(mime)
    assert overlay.title() == title


def test_it_covers_its_parent_and_takes_no_events(qtbot: QtBot, theme: Theme):
    parent, overlay = overlay_of(qtbot)
    overlay.begin(mime_of("file:///tmp/a.py"))
    assert overlay.geometry() == parent.rect()
    assert overlay.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    parent.resize(500, 320)
    assert overlay.geometry() == parent.rect()
    overlay.grab()
    overlay.end()
    assert overlay.isHidden()
