"""The order of the Tab key: through the panes as they are arranged, regardless of the order of creation.

Qt follows the order of creation, in which every message and chip that is added later would come last.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from workbench.ui.look.focus_ring import focus_chain

AS_MADE, AS_THEY_LIE = False, True
Group = tuple[QWidget, bool]
"""A part of the window, and whether its widgets are visited by position or in the order of creation."""


def tab_stops(window: QWidget, groups: Sequence[Group]) -> list[QWidget]:
    """The widgets that Tab stops at, group after group; those in no group come last."""
    found: list[list[QWidget]] = [[] for _ in range(len(groups) + 1)]
    for widget in focus_chain(window):
        if _takes_focus(widget, window):
            found[_group_index(widget, groups)].append(widget)
    for (_, lying), stops in zip(groups, found, strict=False):
        if lying:
            stops.sort(key=lambda one: _top_left(one, window))
    return [widget for stops in found for widget in stops]


def step(stops: Sequence[QWidget], held: QWidget | None, forward: bool) -> bool:
    """Focus the stop after or before the one that has the focus; return False if none of them has it."""
    if held not in stops:
        return False
    after = stops[(stops.index(held) + (1 if forward else -1)) % len(stops)]
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    after.setFocus(reason)
    return True


def _takes_focus(widget: QWidget, window: QWidget) -> bool:
    wanted = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
    return wanted and widget.isEnabled() and widget.isVisibleTo(window) and widget.window() is window


def _group_index(widget: QWidget, groups: Sequence[Group]) -> int:
    inside = (
        place for place, (group, _) in enumerate(groups) if group is widget or group.isAncestorOf(widget)
    )
    return next(inside, len(groups))


def _top_left(widget: QWidget, window: QWidget) -> tuple[float, float]:
    at = widget.mapTo(window, QPoint(0, 0))
    return float(at.y()), float(at.x())
