"""Room in a painted line, taken piece by piece from either end."""

from __future__ import annotations

from PySide6.QtCore import QRectF


def take(room: QRectF, width: float, gap: float = 0) -> QRectF:
    """Cut a piece off the beginning of a line, and the gap behind it."""
    piece = QRectF(room.left(), room.top(), width, room.height())
    room.setLeft(room.left() + width + gap)
    return piece


def take_end(room: QRectF, width: float, gap: float = 0) -> QRectF:
    """Cut a piece off the end of a line, and the gap before it."""
    piece = QRectF(room.right() - width, room.top(), width, room.height())
    room.setRight(room.right() - width - gap)
    return piece
