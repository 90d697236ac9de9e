"""The document answers every wish for a resource itself, so that Qt never reads a file or asks the network."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QUrl
from PySide6.QtGui import QImage, QTextDocument

from workbench.ui.chat.text.safe_browser import SafeDocument

IMAGE = QTextDocument.ResourceType.ImageResource.value


@pytest.fixture
def picture(tmp_path: Path, qapp: object) -> Path:
    path = tmp_path / "picture.png"
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(0)
    assert image.save(str(path))
    return path


def test_a_picture_on_the_disk_is_not_read(picture: Path):
    """A stock document would show it: and with /dev/zero it would never come back."""
    stock = QTextDocument().resource(IMAGE, QUrl.fromLocalFile(str(picture)))
    assert stock is not None
    found = SafeDocument().resource(IMAGE, QUrl.fromLocalFile(str(picture)))
    assert isinstance(found, QImage)
    assert (found.width(), found.pixelColor(0, 0).alpha()) == (1, 0)


@pytest.mark.parametrize(
    "name",
    ["file:///etc/passwd", "http://127.0.0.1:9/x", "qrc:/x", ":/x", "x.css", "\\\\server\\share\\x", ""],
)
def test_every_other_wish_is_answered_with_nothing(qapp: object, name: str):
    for kind in QTextDocument.ResourceType:
        answer = SafeDocument().loadResource(kind.value, QUrl(name))
        assert isinstance(answer, QImage | QByteArray)
        if isinstance(answer, QByteArray):
            assert answer.isEmpty()


def test_markup_that_names_a_picture_loads_none(picture: Path):
    document = SafeDocument()
    document.setHtml(f"<img src='{QUrl.fromLocalFile(str(picture)).toString()}'>")
    document.setTextWidth(200)
    assert document.size().height() < 30
