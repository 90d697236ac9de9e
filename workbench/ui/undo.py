"""The undo stacks of tuning steps, one per chat; steps are done and undone by intents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from workbench.domain.codec import decode, encode
from workbench.domain.errors import WorkbenchError
from workbench.engine.intents import AttachFiles, ChangeSettings, DetachArtifacts, Intent, RenameChat
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import (
    PutBackAttached,
    TuneAttached,
    TuneLog,
    TuneMessages,
    TuneSummaries,
)
from workbench.ui.steps import Step, purges

# Steps of tuning as they are kept with their chat, so that they can be taken back after a restart.
#
# Only such are kept of which can be seen whether they still hold: what changed since is not taken back by mistake.


MOST_KEPT_STEPS, MOST_CHARS = 50, 2_000_000
_Kept = (
    TuneAttached | PutBackAttached | TuneMessages | TuneSummaries | TuneLog | ChangeSettings | AttachFiles
    | DetachArtifacts | RenameChat
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _KeptStep:
    title: str
    do: tuple[_Kept, ...]
    undo: tuple[_Kept, ...]


def written(step: Step) -> str:
    """A step as text to be stored; empty if it cannot be stored, or contains secrets."""
    intents = (*step.do, *step.undo)
    secret = any(isinstance(one, AttachFiles) and one.passwords for one in intents)
    if secret or purges(step) or not all(isinstance(one, get_args(_Kept)) for one in intents):
        return ""
    try:
        return json.dumps(encode(_KeptStep(step.title, step.do, step.undo)))  # type: ignore[arg-type]  # seen above
    except TypeError:
        return ""


def read(chat: str, text: str) -> Step | None:
    """A stored step; None if this version cannot read it."""
    try:
        kept = decode(_KeptStep, json.loads(text))
    except (WorkbenchError, ValueError):
        return None
    return Step(chat, kept.title, kept.do, kept.undo)


def newest(steps: Iterable[tuple[Step, str]]) -> tuple[str, ...]:
    """The newest steps that are stored, as text; none that would restore what was purged from a log."""
    known = list(steps)
    purged = {key for step, _ in known for one in step.do if isinstance(one, TuneLog) for key in one.purge}
    return tuple(reversed(list(_within_limits(reversed(known), purged))))


def _within_limits(steps: Iterable[tuple[Step, str]], purged: set[str]) -> Iterator[str]:
    chars = count = 0
    for step, text in steps:
        copies = (
            one for intent in step.undo if isinstance(intent, PutBackAttached) for one in intent.artifacts
        )
        if not text or any(one.key in purged for one in copies):
            continue
        chars, count = chars + len(text), count + 1
        if chars > MOST_CHARS or count > MOST_KEPT_STEPS:
            return
        yield text


def still_holds(step: Step, chat: ChatState) -> bool:
    """Whether a chat is still as the step left it, so that undo does what was meant."""
    return all(_intent_holds(intent, chat) for intent in step.do)


def _intent_holds(intent: object, chat: ChatState) -> bool:
    talk = chat.conversation
    keys = {one.key for one in talk.attached}
    match intent:
        case TuneAttached(_, changes):
            return keys.issuperset(one.key for one in changes) and intent.of(talk.attached) == talk.attached
        case PutBackAttached():
            return intent.of(talk.attached) == talk.attached
        case AttachFiles(paths=paths):
            return keys.issuperset(paths)
        case DetachArtifacts(_, gone):
            return keys.isdisjoint(gone)
        case TuneMessages() | TuneSummaries():
            return intent.of(talk.tuning) == talk.tuning
        case TuneLog():
            return intent.of(talk.tuning, talk.last) == talk.tuning
        case ChangeSettings():
            return intent.of(chat.chat.settings) == chat.chat.settings
        case RenameChat(_, title):
            return chat.chat.title == title
        case _:
            return False


MOST_STEPS = 200
SendAll = Callable[[Iterable[Intent]], None]


class ChatSteps(QUndoStack):
    """The steps of one chat, whichever window they were taken in; `restored` once those of an earlier session were."""

    restored = False


class Stacks(QObject):
    """The steps of all chats; `of` has them by chat, `send_all` is that of the window in which one is done."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.of: dict[str, ChatSteps] = {}
        self.send_all: SendAll = lambda intents: None


class TuningUndo(QObject):
    """Does tuning steps, and undoes and redoes them; windows that share `stacks` undo each other's steps.

    Signals:
        changed: what can be undone or redone has changed.
        kept: a chat, and its steps that can be undone, as text to be stored.
    """

    changed = Signal()
    kept = Signal(str, tuple)

    def __init__(
        self, send_all: SendAll, parent: QObject | None = None, stacks: Stacks | None = None
    ) -> None:
        super().__init__(parent)
        self._send_all = send_all
        self._owner = stacks or Stacks(self)
        self._stacks = self._owner.of
        self._active = ""
        self._owner.changed.connect(self.changed)

    def show(self, chat: str) -> None:
        """Let undo and redo apply to this chat."""
        self._active = chat
        self.changed.emit()

    def push(self, step: Step) -> None:
        stack = self._stack(step.chat)
        self._owner.send_all = self._send_all
        stack.push(_StepCommand(step, self._owner))
        self._emit_kept(stack)

    def restore(self, chat: str, kept: Iterable[str]) -> None:
        """Make the stored steps of an earlier session undoable, unless the chat has steps of this session."""
        stack = self._stack(chat)
        if stack.count() or not kept or stack.restored:
            return
        stack.restored = True
        for step in filter(None, (read(chat, text) for text in kept)):
            stack.push(_StepCommand(step, self._owner, restored=True))

    def outdated(self, chat: ChatState) -> str:
        """Drop the last step if it is of an earlier session and no longer holds; return its title, if there was one."""
        stack = self._stack(chat.chat.id)
        last = stack.command(stack.index() - 1) if stack.index() else None
        if not isinstance(last, _StepCommand) or not last.restored or still_holds(last.step, chat):
            return ""
        title = last.step.title
        last.setObsolete(True)
        stack.undo()
        self._emit_kept(stack)
        return title

    def _emit_kept(self, stack: QUndoStack | None) -> None:
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
        """Undo this step, even if it is of another chat than the one shown or later steps followed."""
        stack = self._stacks.get(step.chat)
        last = stack.command(stack.index() - 1) if stack is not None and stack.index() else None
        self._owner.send_all = self._send_all
        if stack is not None and isinstance(last, _StepCommand) and last.has_intents(step.do):
            stack.undo()
            self._emit_kept(stack)
        else:
            self._send_all(step.undo)

    def undo(self) -> str:
        """Undo the last step; return its title, or an empty string."""
        title, stack = self.undo_text(), self._stacks.get(self._active)
        self._owner.send_all = self._send_all
        if stack is not None:
            stack.undo()
        self._emit_kept(stack)
        return title

    def last_step(self) -> Step | None:
        """The step that would be undone; None if there is none."""
        stack = self._stacks.get(self._active)
        last = stack.command(stack.index() - 1) if stack is not None and stack.canUndo() else None
        return last.step if isinstance(last, _StepCommand) else None

    def redo(self) -> str:
        """Redo the last undone step; return its title, or an empty string."""
        title, stack = self.redo_text(), self._stacks.get(self._active)
        self._owner.send_all = self._send_all
        if stack is not None:
            stack.redo()
        self._emit_kept(stack)
        return title

    def undo_text(self) -> str:
        """Title of the step that can be undone; empty if there is none."""
        stack = self._stacks.get(self._active)
        return stack.undoText() if stack is not None and stack.canUndo() else ""

    def redo_text(self) -> str:
        """Title of the step that can be redone; empty if there is none."""
        stack = self._stacks.get(self._active)
        return stack.redoText() if stack is not None and stack.canRedo() else ""

    def drop(self, intents: tuple[Intent, ...]) -> None:
        """Remove the step whose intents were refused, if it is still the last one of its chat."""
        for stack in self._stacks.values():
            last = stack.command(stack.index() - 1) if stack.index() else None
            if isinstance(last, _StepCommand) and last.has_intents(intents):
                last.setObsolete(True)
                stack.undo()
                self._emit_kept(stack)
                return

    def forget(self, chat: str) -> None:
        """Remove the stack of a deleted chat."""
        stack = self._stacks.pop(chat, None)
        if stack is not None:
            stack.deleteLater()
            self.changed.emit()

    def _stack(self, chat: str) -> ChatSteps:
        if chat not in self._stacks:
            stack = ChatSteps(self._owner)
            stack.setUndoLimit(MOST_STEPS)
            stack.indexChanged.connect(self._owner.changed)
            self._stacks[chat] = stack
        return self._stacks[chat]


class _StepCommand(QUndoCommand):
    """A step as a command of Qt's undo stack; pushing it does it."""

    def __init__(self, step: Step, owner: Stacks, restored: bool = False) -> None:
        super().__init__(step.title)
        self.step, self._owner, self.restored = step, owner, restored
        self._done = restored

    @cached_property
    def text_kept(self) -> str:
        return written(self.step)

    def has_intents(self, intents: tuple[object, ...]) -> bool:
        """Whether these are the very intents of this step."""
        return self.step.do is intents

    def redo(self) -> None:
        if self._done:
            self._done = False  # it was done in an earlier session, and is only remembered
        else:
            self._owner.send_all(self.step.do)

    def undo(self) -> None:
        if not self.isObsolete():
            self._owner.send_all(self.step.undo)
