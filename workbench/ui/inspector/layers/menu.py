"""The menu of a row: everything that can be done with it, each with its key and its price."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from workbench.domain.attachment import (
    PRIORITY_ESSENTIAL,
    PRIORITY_HIGH,
    PRIORITY_LOW,
    PRIORITY_MEDIUM,
)
from workbench.domain.shown.envelope_view import EnvelopeView, SegmentRow
from workbench.ui.inspector.layers.tips import act_words
from workbench.ui.inspector.rows.row_acts import Act, can, can_prioritise
from workbench.ui.look.icons import icon
from workbench.ui.widgets.menu import menu


class RowDeeds(NamedTuple):
    """What the menu calls: do an act, give a priority, show the row's bytes."""

    do: Callable[[SegmentRow, Act], None]
    prioritise: Callable[[SegmentRow, int], None]
    show_bytes: Callable[[SegmentRow], None]


def row_menu(parent: QWidget, view: EnvelopeView, row: SegmentRow, deeds: RowDeeds) -> QMenu:
    """A menu for a row; what cannot be done with it is not in it."""
    made = menu(parent)
    if can(row, "pin"):
        pin = made.addAction(icon("pin"), f"{act_words(view, row, 'pin')}\t{_tr('Space')}")
        pin.triggered.connect(lambda: deeds.do(row, "pin"))
    if can_prioritise(row):
        _add_priorities(made, row, deeds)
    if can(row, "leave_out"):
        drop = made.addAction(icon("eye-off"), f"{act_words(view, row, 'leave_out')}\t{_tr('Del')}")
        drop.triggered.connect(lambda: deeds.do(row, "leave_out"))
    if not made.isEmpty():
        made.addSeparator()
    show = made.addAction(icon("file"), f"{_tr('Show in the payload')}\t{_tr('Enter')}")
    show.triggered.connect(lambda: deeds.show_bytes(row))
    copy = made.addAction(icon("copy"), _tr("Copy digest"))
    copy.setEnabled(bool(row.digest))
    copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(row.digest))
    return made


def _add_priorities(made: QMenu, row: SegmentRow, deeds: RowDeeds) -> None:
    below = menu(made)
    below.setTitle(_tr("Priority"))
    below.setIcon(icon("sliders"))
    named = {
        PRIORITY_ESSENTIAL: _tr("0, falls last"),
        PRIORITY_HIGH: _tr("3, falls late"),
        PRIORITY_MEDIUM: _tr("5, as usual"),
        PRIORITY_LOW: _tr("10, falls first"),
    }
    for priority, words in named.items():
        action = below.addAction(words)
        action.setCheckable(True)
        action.setChecked(row.priority == priority)
        action.triggered.connect(lambda _checked, wanted=priority: deeds.prioritise(row, wanted))
    made.addMenu(below)


def _tr(words: str) -> str:
    return QCoreApplication.translate("RowMenu", words)
