"""Room in a line: taken from where the line begins."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from workbench.ui.chat.messages.line_room import take


def test_pieces_are_taken_from_the_left_or_where_lines_are_mirrored_from_the_right():
    room = QRectF(0, 0, 100, 20)
    assert take(room, 30, 5, False) == QRectF(0, 0, 30, 20)
    assert room == QRectF(35, 0, 65, 20)
    assert take(room, 10, 5, True) == QRectF(90, 0, 10, 20)
    assert room == QRectF(35, 0, 50, 20)
