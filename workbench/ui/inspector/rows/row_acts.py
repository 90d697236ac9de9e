"""What can be done with a row of the next request by hand: its key, and the step that does it."""

from __future__ import annotations

from typing import Literal, assert_never

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from workbench.domain.shown.envelope_view import SegmentRow
from workbench.engine.state import ChatState
from workbench.ui import steps
from workbench.ui.quote_steps import toggle_always, want_back
from workbench.ui.steps import Step

Act = Literal["pin", "earlier", "later", "leave_out", "whole"]
"""Toggle the pin, let it fall earlier (a higher number) or later, leave it out or put it back, send all of it."""
EDITABLE = ("persona", "system", "project", "memory")
"""The rows of the first layer that a person writes."""
_KEYS: dict[int, Act] = {
    Qt.Key.Key_Space: "pin",
    Qt.Key.Key_Plus: "earlier",
    Qt.Key.Key_Minus: "later",
    Qt.Key.Key_Delete: "leave_out",
    Qt.Key.Key_A: "whole",
}
# By what is typed as well: where + stands on a key differs from keyboard to keyboard.
_SIGNS: dict[str, Act] = {"+": "earlier", "-": "later", "−": "later"}
_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


def can_edit(row: SegmentRow) -> bool:
    """Whether its words can be written by hand."""
    return row.key.layer == "L1_SYSTEM" and row.key.id in EDITABLE


def can_prioritise(row: SegmentRow) -> bool:
    """Whether its priority can be changed; turns have one, but trimming goes by age."""
    return row.tunable and row.priority is not None and row.key.layer != "L4_STRIP"


def can(row: SegmentRow, act: Act) -> bool:
    """Whether something can be done with a row; of a quote, a pin is "always", and what is left out "never" comes."""
    if row.found is not None:
        return act in ("pin", "leave_out")
    match act:
        case "pin":
            return row.tunable
        case "earlier":
            return can_prioritise(row) and (row.priority or 0) < steps.HIGHEST
        case "later":
            return can_prioritise(row) and (row.priority or 0) > steps.LOWEST
        case "leave_out":
            return row.excludable
        case "whole":
            return row.tunable and row.reason.code == "kept_short"
        case _:
            assert_never(act)


def step_for(chat: ChatState, row: SegmentRow, act: Act) -> Step | None:
    """The step that does it; None where it cannot be done or changes nothing."""
    if not can(row, act):
        return None
    if row.found is not None:
        back = row.members
        return toggle_always(chat, back) if act == "pin" else want_back(chat, back, "never")
    match act:
        case "pin":
            return steps.toggle_pin(chat, row)
        case "earlier":
            return steps.nudge_priority(chat, row.members, 1)
        case "later":
            return steps.nudge_priority(chat, row.members, -1)
        case "leave_out":
            return steps.leave_out(chat, row)
        case "whole":
            return steps.send_whole(chat, row.members)
        case _:
            assert_never(act)


def priority_step(chat: ChatState, row: SegmentRow, priority: int) -> Step | None:
    """The step that gives a row this priority."""
    return steps.set_priority(chat, row.members, priority) if can_prioritise(row) else None


def act_of(event: QKeyEvent) -> Act | None:
    """What a key does with a row; None where it does nothing."""
    if event.modifiers() & _COMMANDS:
        return None
    return _SIGNS.get(event.text()) or _KEYS.get(event.key())


def digit_of(event: QKeyEvent) -> int | None:
    """The digit that was typed."""
    plain = not event.modifiers() & _COMMANDS and event.text().isascii()
    return int(event.text()) if plain and event.text().isdecimal() else None
