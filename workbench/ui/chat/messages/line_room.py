"""Room in a painted line, taken piece by piece from where the line begins."""

from __future__ import annotations

from PySide6.QtCore import QRectF


def take(room: QRectF, width: float, gap: float, mirrored: bool) -> QRectF:
    """Take a piece off the beginning of a line, and the gap behind it; a mirrored line begins at its right end."""
    if mirrored:
        piece = QRectF(room.right() - width, room.top(), width, room.height())
        room.setRight(room.right() - width - gap)
    else:
        piece = QRectF(room.left(), room.top(), width, room.height())
        room.setLeft(room.left() + width + gap)
    return piece
