"""The workspaces as a menu: one of them is where something is, another one where it may go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from workbench.ui.widgets.menu import add_action
from workbench.ui.widgets.plain import shown


def fill_place_choice(
    made: QMenu, places: Mapping[str, str], there: Collection[str], pick: Callable[[str], None]
) -> None:
    """Every workspace by its name, and none; `there` is checked where it is only one. Ends with a separator."""
    group = QActionGroup(made)
    nowhere = QCoreApplication.translate("PlaceMenu", "No workspace")
    for key, name in (*places.items(), ("", nowhere)):
        words = shown(name, 60).replace("&", "&&")
        group.addAction(add_action(made, words, partial(pick, key), checked=set(there) == {key}))
    made.addSeparator()
