"""What is dropped is taken as a copy."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent

from workbench.ui.widgets.file_chooser import take_copy


def test_a_drop_that_would_rather_be_moved_is_copied(qapp):
    """Some sources delete a file after a move; then the only copy would be ours."""
    both = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    event = QDropEvent(
        QPointF(), both, QMimeData(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
    )
    event.setDropAction(Qt.DropAction.MoveAction)
    take_copy(event)
    assert (event.dropAction(), event.isAccepted()) == (Qt.DropAction.CopyAction, True)
