"""A call of a tool that was answered, in one line; unfolded, what it was given and what it gave back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from workbench.domain.chunk import Command, EnvironmentChunk, command_of
from workbench.domain.message import Message, ToolCall
from workbench.domain.reading.loose_json import parsed
from workbench.domain.record import Record
from workbench.domain.tool import ToolOutcome
from workbench.ui import formatting
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.blocks import Code
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.painting import Run
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import PanelLook
from workbench.ui.widgets.code_view import DiffLine
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import Stack, StackItem

# Calls of tools in words: what a model wanted done, and what came of it.


Fate = Literal["changed", "undone", "returned", "failed", "denied", "waiting"]

LONGEST_TARGET = 80
MOST_DIFF_LINES = 400
_TARGETS = ("path", "file", "filename", "url", "query", "pattern", "command", "name")
# What the engine tells the model where a person said no; there is no other sign of it in what is kept.
_REFUSED = "The user did not allow this call"
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class CallWords(NamedTuple):
    """A call in one line: icon and colour, the tool, what it did, to what, and a quiet note."""

    icon: str
    token: str
    name: str
    verb: str
    target: str
    note: str


def target_of(call: ToolCall) -> str:
    """What a call is about: a path, a query, whatever its arguments name first."""
    arguments = parsed(call.arguments)
    if not isinstance(arguments, dict):
        return ""
    named = (arguments.get(name) for name in _TARGETS)
    return shown(next((value for value in named if isinstance(value, str) and value), ""), LONGEST_TARGET)


def fate_of_record(result: Record | None) -> Fate:
    """What came of a call, from what was kept of it."""
    if result is None:
        return "waiting"
    notes = result.metadata
    if notes.get("undone"):
        return "undone"
    if notes.get("failed"):
        return "denied" if record_text(result).startswith(_REFUSED) else "failed"
    return "changed" if notes.get("undo") is not None else "returned"


def fate_of_outcome(outcome: ToolOutcome) -> Fate:
    """What came of a call, while its turn still runs."""
    if outcome.failed:
        return "denied" if outcome.text.startswith(_REFUSED) else "failed"
    return "changed" if outcome.undo is not None else "returned"


def call_words(call: ToolCall, fate: Fate, result: str = "", at: str = "") -> CallWords:
    """A call and what came of it, in words; `result` is what it gave back, `at` when."""
    name, target = shown(call.name, 40), target_of(call)
    time = formatting.clock(at)
    match fate:
        case "changed":
            return CallWords("check", "ok", name, tr("changed"), target, _at(tr("allowed at {time}"), time))
        case "undone":
            return CallWords("undo", "t3", name, tr("changed"), target, tr("undone"))
        case "returned":
            size = formatting.counted(len(result), tr("1 character"), tr("{n} characters"))
            return CallWords("check", "ok", name, tr("returned"), target, size)
        case "failed":
            return CallWords("x", "err", name, tr("failed"), target, shown(result, 120))
        case "denied":
            return CallWords(
                "out", "err", name, tr("did nothing"), target, _at(tr("not allowed at {time}"), time)
            )
        case "waiting":
            return CallWords("clock", "t3", name, tr("was called"), target, tr("no result"))


def command_words(chunk: EnvironmentChunk) -> tuple[CallWords, str, str]:
    """A command of a question in words, what it was given, and what it gave back."""
    command = command_of(chunk) or Command(chunk.name or "", "", "", chunk.body)
    name, _, target = command.words.partition(" ")
    fate: Fate = "failed" if chunk.success is False else "returned"
    words = call_words(ToolCall(chunk.id, name, ""), fate, command.result)
    return words._replace(target=shown(target, LONGEST_TARGET)), command.arguments, command.result


def record_text(record: Record) -> str:
    """What a message says."""
    return record.entry.text if isinstance(record.entry, Message) else record.entry.body


def diff_lines(diff: str) -> tuple[DiffLine, ...]:
    """A unified diff as lines with their numbers; at most a few hundred of them."""
    lines: list[DiffLine] = []
    old = new = 0
    for text in diff.splitlines()[:MOST_DIFF_LINES]:
        hunk = _HUNK.match(text)
        if hunk:
            old, new = int(hunk.group(1)), int(hunk.group(2))
        elif text.startswith(("--- ", "+++ ")) and not lines:
            continue
        elif text.startswith("-"):
            lines.append(DiffLine(old, None, "-", text[1:]))
            old += 1
        elif text.startswith("+"):
            lines.append(DiffLine(None, new, "+", text[1:]))
            new += 1
        elif not text.startswith("\\"):
            lines.append(DiffLine(old, new, " ", text[1:]))
            old, new = old + 1, new + 1
    return tuple(lines)


def _at(words: str, time: str) -> str:
    return words.format(time=time) if time else ""


HEIGHT = 32
LONGEST_SHOWN = 20_000


class ToolLine(Stack):
    """What a tool did."""

    undo_wished = Signal()
    agent_wished = Signal()
    edit_wished = Signal()

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._ink = ink
        self._given, self._result = "", ""
        self._details: BlockStack | None = None
        self.line = CallLine(self)
        self.line.clicked.connect(self._toggle)
        self.line.undo.clicked.connect(self.undo_wished)
        self.line.agent.clicked.connect(self.agent_wished)
        self.line.edit.clicked.connect(self.edit_wished)
        self._editable = False
        self.set_stack_items([StackItem(self.line)])

    def show_call(self, words: CallWords, given: str, result: str, *, undoable: bool) -> None:
        changed = (given, result) != (self._given, self._result)
        self._given, self._result = given, result
        self.line.show_words(words, undoable)
        if changed and self._details is not None:
            details, self._details = self._details, None
            self.line.unfolded = False
            self.set_stack_items([StackItem(self.line)])
            details.deleteLater()

    def show_agent(self, there: bool) -> None:
        """Offer the sub-agent that the call began, where one was watched."""
        self.line.show_agent(there)

    def show_editable(self, there: bool) -> None:
        """Offer to give the result other words, where it is unfolded and there is one."""
        self._editable = there
        self.line.show_edit(there and self.line.unfolded)

    def unfold(self) -> None:
        if not self.line.unfolded:
            self._toggle()

    def details(self) -> BlockStack | None:
        return self._details if self.line.unfolded else None

    def _toggle(self) -> None:
        self.line.unfolded = not self.line.unfolded
        self.line.update()
        if self._details is None:
            self._details = BlockStack(self._ink, parent=self)
            parts = (Code(self._given[:LONGEST_SHOWN], "json"), Code(self._result[:LONGEST_SHOWN]))
            self._details.add("", [part for part in parts if part.text])
        places = [StackItem(self.line), StackItem(self._details, 4)]
        self.set_stack_items(places if self.line.unfolded else places[:1])
        self.line.show_edit(self._editable and self.line.unfolded)


CALL = "call:"
"""What a message calls its calls, each by its number."""


def unfolded(lines: Sequence[ToolLine]) -> dict[str, BlockStack]:
    """The calls that are unfolded, by what they are called."""
    shown = {f"{CALL}{number}": line.details() for number, line in enumerate(lines)}
    return {name: details for name, details in shown.items() if details is not None}


def unfold_line(lines: Sequence[ToolLine], part: str) -> None:
    """Unfold the call of that name, where it is one."""
    number = part.removeprefix(CALL)
    if part.startswith(CALL) and int(number) < len(lines):
        lines[int(number)].unfold()


class CallLine(PanelLook, QAbstractButton):
    """Icon, tool, verb, target and note, with a chevron at the end."""

    border, radius, padding = "line", 8, (10, 0, 10, 0)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.unfolded = False
        self._words = CallWords("", "t3", "", "", "", "")
        self.undo = button(tr("Undo"), "ghost", "undo", size="small")
        self.agent = button(tr("Sub-agent"), "ghost", "eye", size="small")
        self.agent.setToolTip(tip(tr("Open what the sub-agent asked")))
        self.edit = button(tr("Edit"), "ghost", "edit", size="small")
        self.edit.setToolTip(tip(tr("Give the result other words; what the tool returned is kept")))
        self._own = (self.undo, self.agent, self.edit)
        for own in self._own:
            own.setParent(self)
            own.hide()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedHeight(HEIGHT)
        self.setProperty("ring_radius", 8)

    def words(self) -> CallWords:
        return self._words

    def show_words(self, words: CallWords, undoable: bool) -> None:
        self._words = words
        self.setAccessibleName(" ".join(part for part in words[2:] if part))
        self.undo.setVisible(undoable)
        self.undo.setAccessibleName(tr("Undo what {tool} did").format(tool=words.name))
        self._place()
        self.update()

    def show_agent(self, there: bool) -> None:
        if there == self.agent.isHidden():
            self.agent.setVisible(there)
            self._place()
            self.update()

    def show_edit(self, there: bool) -> None:
        if there == self.edit.isHidden():
            self.edit.setVisible(there)
            self._place()
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def update_look(self) -> None:
        words, chevron = self._words, "chevron-down" if self.unfolded else "chevron-right"
        self.ground = "hover" if self.underMouse() else "surface"
        texts = (
            Run(words.name, weight=600, gap=7),
            Run(words.verb, weight=400, gap=7),
            Run(words.target, role="code", weight=400, gap=7),
            Run(words.note, "t3", weight=400),
        )
        self.runs = (Run(icon=words.icon, token=words.token, gap=8), *(run for run in texts if run.text))
        seen = [own for own in self._own if not own.isHidden()]
        own = (Run(width=own.sizeHint().width(), gap=6) for own in seen)
        self.end_runs = (Run(icon=chevron, token="t3", size=12, width=14, gap=6), *own)

    def _place(self) -> None:
        end = self.width() - 30
        for own in self._own:
            size = own.sizeHint()
            left = end - size.width()
            own.setGeometry(left, (HEIGHT - size.height()) // 2, size.width(), size.height())
            end = end if own.isHidden() else left - 6
