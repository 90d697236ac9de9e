"""What Qt's views tell models and delegates about an item."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


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
    def opened(self) -> bool:
        """Whether what is below it is seen."""
        return bool(self.state & QStyle.StateFlag.State_Open)

    @property
    def ringed(self) -> bool:
        """Whether it has the focus, and the focus was moved by keyboard."""
        wanted = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_KeyboardFocusChange
        return self.state & wanted == wanted


def item_option(option: QStyleOptionViewItem) -> ItemOption:
    """Read an option; Qt's stubs leave these fields out."""
    return ItemOption(QRectF(option.rect), option.state)  # type: ignore[attr-defined]
