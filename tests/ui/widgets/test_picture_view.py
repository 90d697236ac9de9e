"""Pictures are read beside the loop, upright, and never where they would fill the memory."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.widgets.picture_view import THUMB, PictureReader, PictureView, decoded

ORIENTATION = 0x0112


def photograph(width: int = 200, height: int = 100) -> bytes:
    """Held upright: red on the left as it is stored, on top as it is looked at."""
    picture = Image.new("RGB", (width, height), "blue")
    picture.paste("red", (0, 0, width // 2, height))
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    written = io.BytesIO()
    picture.save(written, "JPEG", exif=exif, quality=95)
    return written.getvalue()


def claims(width: int, height: int) -> bytes:
    """A small PNG that says it is so large."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 64)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


def test_a_photograph_is_shown_upright():
    shown = decoded(photograph())
    assert (shown.width(), shown.height()) == (100, 200)
    assert shown.pixelColor(50, 10).red() > 200


def test_a_hostile_size_and_what_is_no_picture_are_not_read():
    for content in (claims(60_000, 60_000), claims(2**31 - 1, 4), b"not a picture", b""):
        assert decoded(content).isNull()


def test_a_thumbnail_comes_when_it_was_read_and_is_small(qtbot: QtBot):
    reader = PictureReader()
    content = photograph(2_000, 1_000)
    assert reader.thumbnail("digest", content) is None
    with qtbot.waitSignal(reader.ready, timeout=5_000):
        pass
    small = reader.thumbnail("digest", content)
    assert small is not None
    assert max(small.width(), small.height()) == THUMB


def test_a_picture_that_cannot_be_read_leaves_its_icon(qtbot: QtBot):
    reader = PictureReader()
    with qtbot.waitSignal(reader.ready, timeout=5_000):
        assert reader.thumbnail("bad", b"no picture") is None
    assert reader.thumbnail("bad", b"no picture") is None


def test_it_fits_and_is_zoomed_by_keys_and_wheel(qtbot: QtBot):
    view = PictureView()
    qtbot.addWidget(view)
    view.resize(200, 200)
    view.show()
    view.show_picture(QImage(800, 400, QImage.Format.Format_RGB32))
    fitting = view.zoom()
    assert fitting == view.viewport().width() / 800
    QTest.keyClick(view, Qt.Key.Key_1)
    assert view.zoom() == 1.0
    assert view.horizontalScrollBar().maximum() == 800 - view.viewport().width()
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert view.zoom() == 1.25
    QTest.keyClick(view, Qt.Key.Key_0)
    assert view.zoom() == fitting
    wheel = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    view.wheelEvent(wheel)
    assert view.zoom() > fitting
