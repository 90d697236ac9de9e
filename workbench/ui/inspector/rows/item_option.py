"""What a view tells a delegate about an item; the stubs of Qt's options leave these fields out."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem


class ItemOption(NamedTuple):
    """Where an item is painted, and in which state it is."""

    box: QRectF
    state: QStyle.StateFlag

    @property
    def selected(self) -> bool:
        """Whether it is chosen."""
        return bool(self.state & QStyle.StateFlag.State_Selected)

    @property
    def hovered(self) -> bool:
        """Whether the pointer is over it."""
        return bool(self.state & QStyle.StateFlag.State_MouseOver)

    @property
    def ringed(self) -> bool:
        """Whether it has the focus, and the focus was moved by keyboard."""
        wanted = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_KeyboardFocusChange
        return self.state & wanted == wanted


def item_option(option: QStyleOptionViewItem) -> ItemOption:
    """Read an option."""
    return ItemOption(QRectF(option.rect), option.state)  # type: ignore[attr-defined]
