"""The undo stack of tuning: one for each chat, each step done and taken back through intents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoGroup, QUndoStack

from workbench.engine.intents import Intent
from workbench.engine.state import ChatState
from workbench.ui.kept_steps import newest, read, still_holds, written
from workbench.ui.steps import Step

MOST_STEPS = 200
SendAll = Callable[[Iterable[Intent]], None]


class TuningUndo(QObject):
    """Does tuning steps and remembers how to take them back.

    Signals:
        changed: what can be undone or redone is another now.
        kept: the steps of a chat that can be taken back, as they are to be kept.
    """

    changed = Signal()
    kept = Signal(str, tuple)

    def __init__(self, send_all: SendAll, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._send_all = send_all
        self._group = QUndoGroup(self)
        self._stacks: dict[str, QUndoStack] = {}
        self._restored: set[str] = set()
        self._group.indexChanged.connect(self.changed)
        self._group.activeStackChanged.connect(self.changed)

    def show(self, chat: str) -> None:
        """Undo and redo are about this chat from now on."""
        self._group.setActiveStack(self._stack(chat))

    def push(self, step: Step) -> None:
        stack = self._stack(step.chat)
        stack.push(_StepCommand(step, self._send_all))
        self._keep(stack)

    def restore(self, chat: str, kept: Iterable[str]) -> None:
        """Steps of an earlier session can be taken back, where none was taken since the chat was opened."""
        stack = self._stack(chat)
        if stack.count() or not kept or chat in self._restored:
            return
        self._restored.add(chat)
        for step in filter(None, (read(chat, text) for text in kept)):
            stack.push(_StepCommand(step, self._send_all, restored=True))

    def outdated(self, chat: ChatState) -> str:
        """Drop the last step where it is of an earlier session and not as it was left; what it was, else empty."""
        stack = self._stack(chat.chat.id)
        last = stack.command(stack.index() - 1) if stack.index() else None
        if not isinstance(last, _StepCommand) or not last.restored or still_holds(last.step, chat):
            return ""
        title = last.step.title
        last.setObsolete(True)
        stack.undo()
        self._keep(stack)
        return title

    def _keep(self, stack: QUndoStack | None) -> None:
        # Not by the stack's own signal: it also clears itself when the program ends.
        chat = next((chat for chat, known in self._stacks.items() if known is stack), None)
        if chat is not None and stack is not None:
            self.kept.emit(chat, newest(self._commands(stack)))

    def _commands(self, stack: QUndoStack) -> Iterator[tuple[Step, str]]:
        for place in range(stack.index()):
            command = stack.command(place)
            if isinstance(command, _StepCommand):
                yield command.step, command.text_kept

    def take_back(self, step: Step) -> None:
        """Take this very step back, whatever is in view by now; one that others came after, without them."""
        stack = self._stacks.get(step.chat)
        last = stack.command(stack.index() - 1) if stack is not None and stack.index() else None
        if stack is not None and isinstance(last, _StepCommand) and last.was_told(step.do):
            stack.undo()
            self._keep(stack)
        else:
            self._send_all(step.undo)

    def undo(self) -> str:
        """Take the last step back; what it was, empty where there is none."""
        title = self._group.undoText()
        self._group.undo()
        self._keep(self._group.activeStack())
        return title

    def redo(self) -> str:
        """Do again what was taken back; what it was."""
        title = self._group.redoText()
        self._group.redo()
        self._keep(self._group.activeStack())
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
                self._keep(stack)
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

    def __init__(self, step: Step, send_all: SendAll, restored: bool = False) -> None:
        super().__init__(step.title)
        self.step, self._send_all, self.restored = step, send_all, restored
        self._done = restored

    @cached_property
    def text_kept(self) -> str:
        return written(self.step)

    def was_told(self, intents: tuple[object, ...]) -> bool:
        """Whether this step is what was asked for, the very same intents."""
        return self.step.do is intents

    def redo(self) -> None:
        if self._done:
            self._done = False  # it was done in an earlier session, and is only remembered
        else:
            self._send_all(self.step.do)

    def undo(self) -> None:
        if not self.isObsolete():
            self._send_all(self.step.undo)
