"""Connects a window to an engine: which chat is current, what each intent of the window does, and what is shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import fields, replace

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attached import LeftOut
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import applied, with_persona
from workbench.domain.workspace import Filed, is_template
from workbench.engine.intents import (
    AttachFiles,
    CloseChat,
    DeleteChat,
    Intent,
    ListChats,
    LookAhead,
    OpenChat,
    RenameChat,
    RestoreChat,
    StartChat,
    TrySettings,
)
from workbench.engine.program_intents import ForkChat, GoOnFromWatched, UndoImport, WarmModel, WriteTitle
from workbench.engine.state import ChatState, RunningTurn, WorkbenchState, WrittenTitle
from workbench.engine.tuning_intents import KeepSteps, TuneAttached
from workbench.engine.workspace_intents import FileChats
from workbench.ui import formatting
from workbench.ui.bridge import Bridge
from workbench.ui.chats.pane import running_chats
from workbench.ui.given import Given
from workbench.ui.look.appearance import Appearance
from workbench.ui.memory import WindowMemory
from workbench.ui.steps import Step, attach_files, rename
from workbench.ui.translation import tr
from workbench.ui.undo import Stacks, TuningUndo
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.window.main_window import MainWindow

LAST_CHAT = "last-chat"
_FIELDS = tuple(one.name for one in fields(WorkbenchState) if one.name != "open")
_KEPT = {
    kind: [one.name for one in fields(kind) if one.name not in ("running", "text", "more", "thinking")]
    for kind in (ChatState, RunningTurn)
}
"""What stays of a chat, and of its running turn, while nothing but the answer grows."""


class Session(QObject):
    """Connects a window to an engine, and keeps track of the current chat.

    Attributes:
        window, bridge, given, memory, appearance: what it connects.
        chat_id: the current chat; empty if there is none.
        over: shows a message in a dialog that lies over the window; returns whether there is one.
        elsewhere: the chats of the program's other windows; if `True`, only of those that can be seen.
        tells: whether this window says what happens about a chat, or about none.

    Signals:
        rendered: the window shows another state. moved: it shows another chat. gone: chats that were deleted in it.
        refusals: what was not attached, each with its reason.
        stepped: a tuning step that was done, and the chat as it was before.
        folders_given: folders that were dropped or pasted; many_given: more files than are attached without asking.
    """

    rendered = Signal()
    stepped = Signal(object, object)
    refusals = Signal(object)
    folders_given = Signal(object)
    many_given = Signal(object)
    moved = Signal()
    gone = Signal(tuple)

    def __init__(
        self,
        window: MainWindow,
        bridge: Bridge,
        given: Given,
        look: tuple[WindowMemory, Appearance],
        stacks: Stacks | None = None,
    ) -> None:
        super().__init__(window)
        self.window, self.bridge, self.given = window, bridge, given
        self.memory, self.appearance = look
        self.chat_id = ""
        self.over: Callable[[str], bool] = lambda words: False
        self._deferred: list[Callable[[], None]] = []
        self.elsewhere: Callable[[bool], frozenset[str]] = lambda seen: frozenset()
        self.tells: Callable[[str | None], bool] = lambda chat: True
        # What was said before there was this window was said by another one.
        self._notices_seen = bridge.state.notices_given
        self._title_seen: WrittenTitle | None = bridge.state.title
        self._drawn: tuple[object, ...] = ()
        self._wanted = ""
        self._starting = ""
        self._listed: tuple[str, str, int] = ("", "", 0)
        self._asked = ("", "")  # the chat in view, and its model
        self.undo = TuningUndo(bridge.send_all, self, stacks)
        self.undo.changed.connect(self._show_undo)
        self.undo.kept.connect(lambda chat, steps: bridge.send(KeepSteps(chat, steps)))
        bridge.published.connect(self.show_state)
        bridge.refused.connect(self._refused)
        window.wishes.intent.connect(self.send)
        # While somebody was elsewhere, a script may have asked something.
        window.returned.connect(lambda: bridge.send(ListChats()))
        window.wishes.step.connect(self.do_step)
        self._midnight = QTimer(self)
        self._midnight.timeout.connect(self.redraw)
        self._midnight.start(60_000)

    @property
    def state(self) -> WorkbenchState:
        return self.bridge.state

    @property
    def chat(self) -> ChatState | None:
        return self.state.open.get(self.chat_id)

    def send(self, intent: Intent) -> None:
        """Send an intent to the engine; attaching, opening and deleting chats is handled here first."""
        match intent:
            case AttachFiles(paths=paths, folder="") if self._asks_first(paths):
                pass
            case AttachFiles(chat=chat, paths=paths, folder="") if chat in ("", self.chat_id):
                self._attach_files(paths)
            case OpenChat(chat):
                self.open_chat(chat)
            case DeleteChat(chat):
                self.delete_chats((chat,))
            case UndoImport(job):
                self._undo_import(job)
            case _:
                self.bridge.send(intent)

    def attach(self, paths: tuple[str, ...], priority: int | None = None, folder: str = "") -> None:
        chat = self.chat
        if chat is None:
            self.send_in_chat(lambda new: (AttachFiles(new, paths, priority, folder),))
        else:
            self.do_step(attach_files(chat, paths, priority, folder))

    def _attach_files(self, paths: tuple[str, ...]) -> None:
        """Attach dropped or pasted files; those that are attached already are read again."""
        held = set() if self.chat is None else {one.key for one in self.chat.conversation.attached}
        again = tuple(path for path in paths if path in held)
        if again:
            self.bridge.send(AttachFiles(self.chat_id, again))
        self.attach(tuple(path for path in paths if path not in held))

    def _asks_first(self, paths: tuple[str, ...]) -> bool:
        """Whether the user must decide first: which files of a folder to attach, or whether to attach very many."""
        folders = tuple(path for path in paths if os.path.isdir(path))
        if folders:
            self.folders_given.emit(folders)
        files = tuple(path for path in paths if path not in folders)
        many = len(files) > self.state.preferences.attach.ask_files
        if many:
            self.many_given.emit(files)
        elif folders and files:
            self._attach_files(files)
        return many or bool(folders)

    def show_state(self, state: WorkbenchState) -> None:
        """Show a state, its new notices and what follows from it; nothing while the window is locked."""
        if self.window.is_covered():
            return  # what follows a state may open a dialog, which would lie before the lock
        if moved := self._wanted in state.open:
            self._show_chat(self._wanted)
        before = self._drawn
        if not self._is_new(state):
            return
        if self._only_grew(before):
            self.window.chat.show_growth(state, self.chat, self.given.utc_now())
        else:
            self._show_all(state, drawn=moved)

    def _show_all(self, state: WorkbenchState, *, drawn: bool) -> None:
        if not drawn:
            self.redraw()
        if self.chat is not None:
            self.undo.restore(self.chat_id, self.chat.steps)
        self._refresh_chat_list(state)
        self._warm_changed_model(state)
        for stray in set(state.open) - self.chats() - self.elsewhere(False):
            self.bridge.send(CloseChat(stray))
        for notice in state.notices:
            if notice.number > self._notices_seen and self.tells(notice.chat):
                self._show_notice(notice.text, notice.left_out)
        self._notices_seen = max(self._notices_seen, state.notices_given)
        if state.title is not None and state.title is not self._title_seen:
            self._title_seen = state.title
            if self.tells(state.title.chat):
                self._follow_title(state.title)
        self.rendered.emit()

    def _is_new(self, state: WorkbenchState) -> bool:
        """Whether anything of a state that this window shows differs from what it drew last."""
        now = (self.chat_id, state.open.get(self.chat_id), *(getattr(state, name) for name in _FIELDS))
        rest = (set(state.open), running_chats(state))
        before, self._drawn = self._drawn, (*now, *rest)
        if len(before) != len(self._drawn) or before[-2:] != rest:
            return True
        return any(new is not old for new, old in zip(now, before, strict=False))

    def _only_grew(self, before: tuple[object, ...]) -> bool:
        """Whether all that differs from what was drawn before is that the answer has more words."""
        if len(before) < 2 or any(
            new is not old for new, old in zip(self._drawn[2:-2], before[2:-2], strict=True)
        ):
            return False
        new, old = self._drawn[1], before[1]
        if not isinstance(new, ChatState) or not isinstance(old, ChatState) or not _grew(new, old):
            return False
        now, then = new.running, old.running
        own = new.chat.filed.watched is None and self._drawn[-2:] == before[-2:]
        return own and now is not None and then is not None and not now.side and _grew(now, then)

    def when_open(self, do: Callable[[], None]) -> None:
        """Run a function that shows something: now, or once the window is unlocked."""
        if self.window.is_covered():
            self._deferred.append(do)
        else:
            do()

    def resume(self) -> None:
        """After unlocking, show the current state, and run what had to wait."""
        held, self._deferred = self._deferred, []
        self._drawn = ()
        self.show_state(self.state)
        for do in held:
            do()

    def redraw(self) -> None:
        if not self.window.is_covered():
            self.window.left.chats.elsewhere = self.elsewhere(True)
            self.window.show_state(self.state, self.chat_id, self.given.utc_now())

    def chats(self) -> frozenset[str]:
        """The chat in view, and the one that is to be."""
        return frozenset(filter(None, (self.chat_id, self._wanted)))

    def leave(self) -> None:
        """Show no chat any more: the one in view is gone."""
        self.chat_id = ""
        self.redraw()
        self.moved.emit()

    def keep_last(self) -> None:
        """Remember the chat in view for the next start, if it is there then."""
        if not is_template(self.chat_id) and not self.is_temporary():
            self.memory.keep(LAST_CHAT, self.chat_id)

    def is_temporary(self) -> bool:
        """Whether nothing is to be remembered of the chat in view."""
        return self.chat is not None and self.chat.chat.filed.temporary

    def _close_chat(self, chat: str) -> None:
        if chat not in self.elsewhere(False):
            self.bridge.send(CloseChat(chat))

    def tell(self, words: str) -> None:
        """Show a message that needs no answer, once the window is unlocked."""
        self.when_open(lambda: self._show_message(words))

    def _show_message(self, words: str) -> None:
        if self.over(words):
            return
        self.window.toast.say("info", shown(words, 400))
        self.window.toast.setToolTip(tip(words))  # a line may be too short for all of it

    def _show_notice(self, words: str, left_out: tuple[LeftOut, ...]) -> None:
        """Show a notice as one line, or as a list if it gives reasons for several items."""
        if left_out:
            self.when_open(lambda: self.refusals.emit(left_out))
        else:
            self.tell(words)

    def open_chat(self, chat: str) -> None:
        if chat == self.chat_id:
            self._set_wanted("")
            self.window.chat.composer.setFocus()
            return
        self._set_wanted(chat)
        self.bridge.send(OpenChat(chat))

    def fork(self, chat: str, message: str) -> None:
        new = self.given.new_id()
        self._set_wanted(new)
        self.bridge.send_all((ForkChat(chat, message, new), OpenChat(new)))

    def go_on_from(self, chat: str, number: int | None, removed: bool = False) -> None:
        """Start a chat that continues from a watched request, and open it."""
        new = self.given.new_id()
        self._set_wanted(new)
        self.bridge.send_all((GoOnFromWatched(chat, new, number, removed), OpenChat(new)))

    def _follow_title(self, title: WrittenTitle) -> None:
        """Follow the writing of a title: its price before a model is asked, then the renaming, which can be undone."""
        match title.stage:
            case "offered":
                self.window.toast.say(
                    "edit",
                    self._title_offer(title),
                    tr("Write summary"),
                    lambda: self.send(WriteTitle(title.chat)),
                )
            case "writing":
                self.tell(tr("A title is being written…"))
            case "written":
                chat = self.state.open.get(title.chat)
                if chat is None:
                    self.bridge.send(RenameChat(title.chat, title.text))
                else:
                    self.do_step(rename(chat, title.text))
                self.tell(tr("Renamed to {title}. You can undo this.").format(title=title.text))
            case "failed":
                self.tell(title.problem)

    def _title_offer(self, title: WrittenTitle) -> str:
        price = tr("price unknown") if title.cost_usd is None else formatting.usd(title.cost_usd, about=True)
        return tr("Ask {model} for a title: {n} tokens, {price}").format(
            model=shown(title.model, 40), n=formatting.tokens(title.tokens), price=price
        )

    def send_in_chat(self, wanted: Callable[[str], Sequence[Intent]]) -> None:
        """Send intents for the current chat; if there is none, for a new one."""
        if self.chat_id:
            self.bridge.send_all(wanted(self.chat_id))
        else:
            self.start_chat(then=wanted)

    def start_chat(
        self,
        settings: ContextSettings | None = None,
        then: Callable[[str], Sequence[Intent]] = lambda chat: (),
        workspace: str = "",
        *,
        temporary: bool = False,
    ) -> None:
        """Start a chat, open it, and send intents for it; in a workspace it gets the settings of its template."""
        if self._starting and self._starting == self._wanted:
            self.bridge.send_all(then(self._starting))  # one is on its way already
            return
        chat = self._starting = self.given.new_id()
        self._set_wanted(chat)
        # From now on what is typed belongs to the new chat, not to the one that was in view.
        self.chat_id = ""
        self.redraw()
        begin = StartChat(
            chat,
            settings or self._new_settings(),
            unwritten=True,
            filed=Filed(workspace, temporary=temporary),
            as_there=settings is None and bool(workspace),
        )
        self.bridge.send_all((begin, *then(chat)))

    def _new_settings(self) -> ContextSettings:
        """The settings of a new chat: those of the preset for new chats, if there is one, with its tools."""
        tools = bool(self.state.preferences.tools_enabled)
        fresh = self.given.new_chat_settings(tools)
        preset = self.state.presets.get(self.state.preferences.persona)
        if preset is None:
            return fresh
        plain = self.given.new_chat_settings(False)
        return applied(with_persona(preset, plain.persona.default, fresh.persona.default), fresh)

    def delete_chats(self, chats: Sequence[str]) -> None:
        """Delete chats, and offer to undo that for all of them at once."""
        for chat in chats:
            if chat == self._wanted:
                self._wanted = ""
            if chat == self.chat_id:
                self.chat_id = ""
            self.undo.forget(chat)
            self.window.forget_edits(chat)
        self.gone.emit(tuple(chats))
        for chat in chats:
            if chat in self.state.open:
                self._close_chat(chat)
        self.bridge.send_all((*map(DeleteChat, chats), ListChats()))
        self._tell_deleted(tuple(chats))
        self.redraw()

    def _tell_deleted(self, chats: tuple[str, ...]) -> None:
        words, back = tr("{n} chats deleted").format(n=len(chats)), tr("Undo")
        then: tuple[Intent, ...] = ()
        if len(chats) == 1:
            words = tr("“{title}” deleted").format(title=self._title_of(chats[0]))
        temporary = [one for one in self.state.chats if one.id in chats and one.filed.temporary]
        if len(chats) == 1 and temporary and temporary[0].used_utc:
            words = tr("The temporary chat is closed, and not saved.")
            back, then = tr("Keep this chat"), (FileChats(chats, temporary=False),)
        self.window.toast.say("trash", words, back, lambda: self._restore(chats, *then))

    def _undo_import(self, job: str) -> None:
        """Undo an import, and close the current chat if it was imported."""
        brought = {chat for one in self.state.jobs if one.id == job for chat in one.chats}
        if self.chat_id in brought:
            chat, self.chat_id = self.chat_id, ""
            self._close_chat(chat)
            self.undo.forget(chat)
        self.bridge.send_all((UndoImport(job), ListChats()))
        self.redraw()

    def _title_of(self, chat: str) -> str:
        kept = next((one for one in self.state.chats if one.id == chat), None)
        return shown(kept.title) if kept is not None and kept.title else tr("New chat")

    def do_step(self, step: Step | None) -> None:
        """Do a tuning step that can be undone; one that depends on the chat's state is made from its expected state."""
        chat = self.expected(step.chat) if step is not None else None
        if step is not None and step.again is not None and chat is not None:
            step = step.again(chat)
        if step is None:
            return
        if chat is not None and chat.shown is chat.in_flight:
            # Whoever tunes while a turn is being answered changes the next request, and wants to see it.
            self.bridge.send(LookAhead(step.chat))
        self.undo.push(step)
        if step.chat == self.chat_id:
            self.undo.show(step.chat)  # also where there is no chat in view
        self.stepped.emit(step, chat)

    def expected(self, key: str) -> ChatState | None:
        """A chat as it will be when all sent intents are done: the state shown may lag behind fast input."""
        chat = self.state.open.get(key)
        for intent in self.bridge.pending():
            if chat is not None and isinstance(intent, TuneAttached) and intent.chat == key:
                talk = chat.conversation
                chat = replace(chat, conversation=replace(talk, attached=intent.of(talk.attached)))
        return chat

    def try_settings(self, settings: ContextSettings | None) -> None:
        if self.chat_id:
            self.send(TrySettings(self.chat_id, settings))

    def _refresh_chat_list(self, state: WorkbenchState) -> None:
        """Reload the list of chats if the current one is new, was renamed, or has just got an answer."""
        chat = state.open.get(self.chat_id)
        if chat is None or is_template(self.chat_id):
            return
        shown_as = (chat.chat.id, chat.chat.title, id(chat.ended))
        listed = any(one.id == chat.chat.id and one.title == chat.chat.title for one in state.chats)
        if shown_as != self._listed and (not listed or chat.ended is not None):
            self.bridge.send(ListChats())
        self._listed = shown_as

    def _warm_changed_model(self, state: WorkbenchState) -> None:
        chat = state.open.get(self.chat_id)
        none = (
            chat is None or chat.chat.filed.watched is not None
        )  # nothing is asked of another program's model
        asked = ("", "") if chat is None or none else (chat.chat.id, chat.chat.settings.model)
        before, self._asked = self._asked, asked
        if asked[0] and before[0] == asked[0] and before[1] != asked[1] and asked[1] not in state.readiness:
            self.bridge.send(WarmModel(asked[1]))

    def _set_wanted(self, chat: str) -> None:
        self._wanted = chat

    def _refused(self, intents: tuple[Intent, ...], problem: WorkbenchError) -> None:
        """Show why intents were refused, and remove their step from the undo stack."""
        self.undo.drop(intents)
        if any(isinstance(intent, StartChat) for intent in intents):
            self._starting = self._wanted = ""  # it will not come: another one may be begun
        left_out: tuple[LeftOut, ...] = getattr(problem, "left_out", ())
        self._show_notice(str(problem), left_out)

    def _restore(self, chats: tuple[str, ...], *then: Intent) -> None:
        self.bridge.send_all((*map(RestoreChat, chats), *then, ListChats()))
        self.open_chat(chats[0])

    def _show_chat(self, chat: str) -> None:
        before, self.chat_id, self._wanted = self.chat_id, chat, ""
        self.undo.show(chat)
        self.window.columns.close_panel()
        self.redraw()
        self.moved.emit()
        if before and before != chat:
            self._close_chat(before)
        if not is_template(chat):
            self.window.chat.composer.setFocus()

    def _show_undo(self) -> None:
        undo, redo = self.undo.undo_text(), self.undo.redo_text()
        self.window.inspector.set_undo(bool(undo), undo, bool(redo), redo)


def _grew(new: ChatState | RunningTurn, old: ChatState | RunningTurn) -> bool:
    return all(getattr(new, name) is getattr(old, name) for name in _KEPT[type(new)])
