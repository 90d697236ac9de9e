"""The undo stack of tuning: one for each chat, each step done and taken back through intents."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoGroup, QUndoStack

from workbench.engine.intents import Intent
from workbench.ui.steps import Step

MOST_STEPS = 200
SendAll = Callable[[Iterable[Intent]], None]


class TuningUndo(QObject):
    """Does tuning steps and remembers how to take them back.

    Signals:
        changed: what can be undone or redone is another now.
    """

    changed = Signal()

    def __init__(self, send_all: SendAll, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._send_all = send_all
        self._group = QUndoGroup(self)
        self._stacks: dict[str, QUndoStack] = {}
        self._group.indexChanged.connect(self.changed)
        self._group.activeStackChanged.connect(self.changed)

    def show(self, chat: str) -> None:
        """Undo and redo are about this chat from now on."""
        self._group.setActiveStack(self._stack(chat))

    def push(self, step: Step) -> None:
        self._stack(step.chat).push(_StepCommand(step, self._send_all))

    def take_back(self, step: Step) -> None:
        """Take this very step back, whatever is in view by now; one that others came after, without them."""
        stack = self._stacks.get(step.chat)
        last = stack.command(stack.index() - 1) if stack is not None and stack.index() else None
        if stack is not None and isinstance(last, _StepCommand) and last.was_told(step.do):
            stack.undo()
        else:
            self._send_all(step.undo)

    def undo(self) -> str:
        """Take the last step back; what it was, empty where there is none."""
        title = self._group.undoText()
        self._group.undo()
        return title

    def redo(self) -> str:
        """Do again what was taken back; what it was."""
        title = self._group.redoText()
        self._group.redo()
        return title

    def undo_text(self) -> str:
        """What could be taken back; empty where nothing can."""
        return self._group.undoText() if self._group.canUndo() else ""

    def redo_text(self) -> str:
        """What could be done again; empty where nothing can."""
        return self._group.redoText() if self._group.canRedo() else ""

    def drop(self, intents: tuple[Intent, ...]) -> None:
        """Take a step off whose intents were refused; where it is not the last one any more, it stays."""
        for stack in self._stacks.values():
            last = stack.command(stack.index() - 1) if stack.index() else None
            if isinstance(last, _StepCommand) and last.was_told(intents):
                last.setObsolete(True)
                stack.undo()
                return

    def forget(self, chat: str) -> None:
        """The chat is gone."""
        stack = self._stacks.pop(chat, None)
        if stack is not None:
            self._group.removeStack(stack)
            stack.deleteLater()

    def _stack(self, chat: str) -> QUndoStack:
        if chat not in self._stacks:
            stack = QUndoStack(self._group)
            stack.setUndoLimit(MOST_STEPS)
            self._stacks[chat] = stack
        return self._stacks[chat]


class _StepCommand(QUndoCommand):
    """A step as Qt's stack knows it; pushing it does it."""

    def __init__(self, step: Step, send_all: SendAll) -> None:
        super().__init__(step.title)
        self._step, self._send_all = step, send_all

    def was_told(self, intents: tuple[object, ...]) -> bool:
        """Whether this step is what was asked for, the very same intents."""
        return self._step.do is intents

    def redo(self) -> None:
        self._send_all(self._step.do)

    def undo(self) -> None:
        if not self.isObsolete():
            self._send_all(self._step.undo)
