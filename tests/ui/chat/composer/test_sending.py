"""What is dropped or pasted is still there when Qt has let go of its own."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QUrl

from workbench.ui.chat.pasting import kept_copy


def test_what_was_dropped_outlives_the_drop(qapp):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/tmp/a.txt")])
    copy = kept_copy(mime)
    mime.clear()
    assert copy.urls() == [QUrl.fromLocalFile("/tmp/a.txt")]
