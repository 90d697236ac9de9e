"""Menus in the program's look, and the choice of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from workbench.ui.look.compositing import round_corners
from workbench.ui.look.style_parts import RADIUS
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown


def menu(parent: QWidget) -> QMenu:
    """An empty menu, deleted when it is closed; a submenu is deleted with its menu."""
    made = QMenu(parent)
    made.setWindowFlags(
        made.windowFlags() | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
    )
    round_corners(made, 0, RADIUS)
    made.setToolTipsVisible(True)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, not isinstance(parent, QMenu))
    return made


def add_action(
    made: QMenu, words: str, do: Callable[[], object], data: object = None, checked: bool | None = None
) -> QAction:
    """Add an action; it is checkable unless `checked` is None."""
    action = made.addAction(words)
    action.triggered.connect(lambda: do())  # noqa: PLW0108 (a partial would be given `checked`)
    action.setData(data)
    if checked is not None:
        action.setCheckable(True)
        action.setChecked(checked)
    return action


def popup_below(made: QMenu, widget: QWidget, gap: int = 0) -> None:
    """Open a menu below a widget, aligned with its left edge, `gap` pixels lower."""
    made.popup(widget.mapToGlobal(widget.rect().bottomLeft() + QPoint(0, gap)))


def fill_place_choice(
    made: QMenu, places: Mapping[str, str], there: Collection[str], pick: Callable[[str], None]
) -> None:
    """Add all workspaces and "No workspace" to a menu, then a separator; `there` is checked if it is only one."""
    group = QActionGroup(made)
    nowhere = tr("No workspace")
    for key, name in (*places.items(), ("", nowhere)):
        words = shown(name, 60).replace("&", "&&")
        group.addAction(add_action(made, words, partial(pick, key), checked=set(there) == {key}))
    made.addSeparator()
