"""What the user can do to a row of the next request: the keys for it, and the steps that do it."""

from __future__ import annotations

from typing import Literal, assert_never

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.shown.envelope_view import SegmentRow
from workbench.engine.state import ChatState
from workbench.ui import formatting, steps
from workbench.ui.look.space import columns, fill
from workbench.ui.steps import Step, set_recall, toggle_always
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import on_click, tool_button
from workbench.ui.widgets.labels import label, set_text

Act = Literal["pin", "earlier", "later", "leave_out", "whole", "more"]
"""Toggle the pin, drop earlier (a higher number) or later, leave out or put back, send whole, quote what comes next."""
EDITABLE = ("persona", "system", "project", "memory")
"""Ids of the rows in the System layer whose text the user writes."""
_KEYS: dict[int, Act] = {
    Qt.Key.Key_Space: "pin",
    Qt.Key.Key_Plus: "earlier",
    Qt.Key.Key_Minus: "later",
    Qt.Key.Key_Delete: "leave_out",
    Qt.Key.Key_A: "whole",
    Qt.Key.Key_M: "more",
}
# By what is typed as well: where + stands on a key differs from keyboard to keyboard.
_SIGNS: dict[str, Act] = {"+": "earlier", "-": "later", "−": "later"}
_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


def can_edit(row: SegmentRow) -> bool:
    """Whether the user can edit the row's text."""
    return row.key.layer == "L1_SYSTEM" and row.key.id in EDITABLE


def can_prioritise(row: SegmentRow) -> bool:
    """Whether its priority can be changed; that of turns can't, since they are trimmed by age."""
    return row.tunable and row.priority is not None and row.key.layer != "L4_STRIP"


def can(row: SegmentRow, act: Act) -> bool:
    """Whether an act is possible on a row; on a quote, `pin` means recall always, `leave_out` recall never."""
    if row.found is not None:
        return act in ("pin", "leave_out") or (act == "more" and bool(row.found.after))
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
        case "more":
            return False  # only quotes have more
        case _:
            assert_never(act)


def step_for(chat: ChatState, row: SegmentRow, act: Act) -> Step | None:
    """The step that does an act; None if it is impossible or changes nothing."""
    if not can(row, act):
        return None
    if row.found is not None:
        if act == "leave_out":
            return set_recall(chat, row.members, "never")
        return toggle_always(chat, row.found.after if act == "more" else row.members)
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
        case "more":
            return None
        case _:
            assert_never(act)


def priority_step(chat: ChatState, row: SegmentRow, priority: int) -> Step | None:
    """The step that gives a row this priority."""
    return steps.set_priority(chat, row.members, priority) if can_prioritise(row) else None


def act_of(event: QKeyEvent) -> Act | None:
    """The act that a key does on a row; None if it does none."""
    if event.modifiers() & _COMMANDS:
        return None
    return _SIGNS.get(event.text()) or _KEYS.get(event.key())


def digit_of(event: QKeyEvent) -> int | None:
    """The digit that was typed; None for any other key."""
    plain = not event.modifiers() & _COMMANDS and event.text().isascii()
    return int(event.text()) if plain and event.text().isdecimal() else None


# One of several, with a step back and a step on: ‹ 9 of 10 ›.


SIDE = 22


class Stepper(QWidget):
    """A step back and a step forward with the position between them: ‹ 9 of 10 ›.

    Signals:
        stepped: -1 for back, 1 for forward.
    """

    stepped = Signal(int)

    def __init__(self, before: str, after: str) -> None:
        super().__init__()
        self._words = label("", "small", "t2")
        self.before = on_click(tool_button("chevron-left", before, side=SIDE), self._step_back)
        self.after = on_click(tool_button("chevron-right", after, side=SIDE), self._step_forward)
        fill(columns(self, spacing=2), self.before, self._words, self.after)

    def show_place(self, number: int, count: int) -> None:
        """Show the position `number` of `count`; with 0 only the count."""
        self.before.setEnabled(number != 1 and count > 0)
        self.after.setEnabled(number < count)
        words = tr("{n} of {count}").format(n=formatting.tokens(number), count=formatting.tokens(count))
        set_text(
            self._words, words if number else tr("{count} in all").format(count=formatting.tokens(count))
        )

    def words(self) -> str:
        return self._words.text()

    def _step_back(self) -> None:
        self.stepped.emit(-1)

    def _step_forward(self) -> None:
        self.stepped.emit(1)
