"""What a view tells a delegate."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from workbench.ui.widgets.items.item import item_option

State = QStyle.StateFlag


def option(state: QStyle.StateFlag) -> QStyleOptionViewItem:
    made = QStyleOptionViewItem()
    made.rect = QRect(1, 2, 30, 40)  # type: ignore[attr-defined]
    made.state = state  # type: ignore[attr-defined]
    return made


def test_place_and_state_are_read(qapp):
    seen = item_option(option(State.State_Selected))
    assert seen.box == QRectF(1, 2, 30, 40)
    assert (seen.selected, seen.hovered, seen.ringed) == (True, False, False)
    assert item_option(option(State.State_MouseOver)).hovered


def test_only_a_focus_moved_by_keyboard_has_a_ring(qapp):
    assert not item_option(option(State.State_HasFocus)).ringed
    assert item_option(option(State.State_HasFocus | State.State_KeyboardFocusChange)).ringed
