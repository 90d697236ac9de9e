"""What assistive programs are told of widgets that we paint ourselves: Qt would call each of them a filler."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QScrollArea, QWidget

from workbench.ui.translation import translator

_tr = translator("Spoken")
ROLE = "spoken_role"
"""The attribute by which a class of widgets says what it is."""


def or_none(words: str) -> str:
    """A cell's words; an empty one is said to be empty."""
    return words or _tr("none")


def tell_roles() -> None:
    """Have every widget that says what it is spoken of as that; asked for only while something listens."""
    QAccessible.installFactory(_interface)


def _interface(_kind: str, thing: QObject) -> QAccessibleInterface | None:
    if not isinstance(thing, QWidget):
        return None
    pane = QAccessible.Role.Pane if isinstance(thing, QScrollArea) else None
    role = getattr(type(thing), ROLE, pane)
    return None if role is None else QAccessibleWidget(thing, role)
