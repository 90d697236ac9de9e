"""Room in a painted line."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from workbench.ui.look.line_room import take, take_end


def test_pieces_are_taken_from_both_ends():
    room = QRectF(10, 0, 100, 20)
    assert take(room, 14, 6) == QRectF(10, 0, 14, 20)
    assert take_end(room, 30, 8) == QRectF(80, 0, 30, 20)
    assert room == QRectF(30, 0, 42, 20)
