"""What every command does: the one place where a wish becomes an intent, a dialog or a change of the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_never

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from workbench.domain.files.file_names import short_path
from workbench.domain.message import Message
from workbench.domain.settings.preset import free_name
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.variant import MOST_VARIANTS
from workbench.domain.workspace import is_template, workspace_of_template
from workbench.engine.intents import AttachFiles, KeepWarm, OpenTurn, RegenerateAnswer, ShowBranch, StopTurn
from workbench.engine.program_intents import LookAtSpending, MeasureInfluence, OfferTitle, WarmModel
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import CompareVariants
from workbench.engine.workspace_intents import FileChats
from workbench.ui.chat.pasting import mime_intents
from workbench.ui.chat.text.safe_text import may_open
from workbench.ui.commands import Command, Spec, bind, specs, with_keys
from workbench.ui.formatting import counted
from workbench.ui.inspector.rows.row_words import speaker_word
from workbench.ui.look.fonts import sizes
from workbench.ui.look.theme import theme_of
from workbench.ui.steps import Step, can_rebuild, edited_by, leave_out_members, rebuild, refresh
from workbench.ui.translation import key_words, tr
from workbench.ui.widgets.file_chooser import choose_files
from workbench.ui.widgets.guided import set_keys, wanted_page
from workbench.ui.widgets.labels import KeyCap
from workbench.ui.widgets.menu import menu, popup_below
from workbench.ui.widgets.plain import shown
from workbench.ui.window.chat_settings import ChatSettings, Summarising
from workbench.ui.window.chat_tools import ChatTools
from workbench.ui.window.dialog_opener import DialogOpener
from workbench.ui.window.explaining import Explaining
from workbench.ui.window.kept_texts import KeptTexts
from workbench.ui.window.main_window import entry_of
from workbench.ui.window.placing import Placing
from workbench.ui.window.session import Session
from workbench.ui.window.watching import watch_table
from workbench.ui.wishes import (
    AddFolder,
    ChangeKeys,
    CommandId,
    CompareRequest,
    DeclareModel,
    DeleteChats,
    DropWorkspace,
    EditMemory,
    ExportChat,
    ForkFrom,
    GoOnFrom,
    KeepPreset,
    KeepPrompt,
    LookAtOffer,
    MeasureAnswer,
    NewWorkspace,
    OpenFoundFile,
    OpenGuide,
    OpenLink,
    OpenSettings,
    Remember,
    ServerAct,
    ShowAttachment,
    ShowChat,
    ShowFound,
    ShowSections,
    ShowSide,
    Summarise,
    TagChats,
    Wish,
)

# What commands do with the chat in view: attach to it, ask it again, list what is left out of it.


MOST_CHARS = 80
_ATTACHING = frozenset({
    "attach-files", "attach-folder", "follow-folder", "attach-page", "attach-clipboard", "from-server", "search-web",
})  # fmt: skip
"""Commands that bring something into the chat in view."""


class ChatActions:
    """Runs the commands that concern the current chat: attach, stop, ask again, compare, measure."""

    def __init__(self, session: Session) -> None:
        self._session, self._window = session, session.window

    def attach_files(self) -> None:
        choose_files(self._window, tr("Attach files"), lambda paths: self._attach(tuple(paths)))

    def _attach(self, paths: tuple[str, ...]) -> None:
        if paths:
            self._session.send(AttachFiles(self._session.chat_id, paths))

    def attach_clipboard(self) -> None:
        mime = QGuiApplication.clipboard().mimeData()
        found = mime_intents(mime, self._session.chat_id)
        if any(isinstance(one, AttachFiles) for one in found):
            self._session.send(found[0])
        elif found:
            self._session.send_in_chat(lambda chat: mime_intents(mime, chat))
        else:
            self._session.tell(tr("Nothing on the clipboard can be attached."))

    def keep_warm(self) -> None:
        """Keep the cache of the current chat warm, or stop that."""
        chat = self._session.chat
        if chat is not None:
            on = chat.warm is not None and chat.warm.on
            self._session.send(KeepWarm(chat.chat.id, not on))

    def warm(self) -> None:
        chat = self._session.chat
        if chat is not None:
            self._session.send(WarmModel(chat.chat.settings.model))

    def stop(self) -> None:
        if self._session.chat_id:
            self._session.send(StopTurn(self._session.chat_id))

    def regenerate(self) -> None:
        chat = self._session.chat
        asked = [one for one in _messages(chat) if one.role == "user"]
        if chat is not None and asked and chat.running is None:
            self._session.send(RegenerateAnswer(chat.chat.id, asked[-1].id))

    def copy_answer(self) -> None:
        chat = self._session.chat
        said = [one for one in _messages(chat) if one.role == "assistant"]
        if said:
            QGuiApplication.clipboard().setText(said[-1].text)
            self._session.tell(tr("Answer copied"))

    def rebuild(self) -> None:
        if self._session.chat is not None:
            self._session.do_step(rebuild(self._session.chat))

    def refresh_stale(self) -> None:
        chat = self._session.chat
        stale = [key for key, (state, _) in chat.disk.items() if state == "changed"] if chat else []
        if chat is not None and stale:
            self._session.do_step(refresh(chat, stale))

    def compare(self, wish: CompareRequest) -> None:
        """Show the Compare page for a turn or the next request, and add the wish's variant to it."""
        chat = self._session.chat
        if chat is None:
            return
        key, held = chat.chat.id, () if chat.comparison is None else chat.comparison.variants
        turn = wish.turn or (None if chat.opened is None else chat.opened.turn)
        if wish.turn is not None:
            self._session.send(OpenTurn(key, wish.turn))
        if wish.variant is not None:
            names = {one.name for one in held}
            variant = replace(wish.variant, name=free_name(wish.variant.name, dict.fromkeys(names)))
            if len(held) < MOST_VARIANTS:
                self._session.send(CompareVariants(key, turn, (*held, variant)))
            else:
                self._session.tell(
                    tr("There are {n} variants already. Remove one first.").format(n=len(held))
                )
        self._window.columns.show_right()
        self._window.inspector.show_page("compare")

    def measure(self, wish: MeasureAnswer) -> None:
        """Open an answer's turn in the inspector, and show what measuring its influence would take."""
        chat = self._session.chat
        turn = turn_of(chat, wish.message) if chat is not None else None
        if chat is None or turn is None:
            self._session.tell(tr("No answer to measure yet. Ask something first."))
            return
        key = chat.chat.id
        self._window.columns.show_right()
        self._window.inspector.show_page("layers")
        self._session.send(OpenTurn(key, turn.number))
        self._session.send(MeasureInfluence(key, turn.question, turn.reply, offer=True))

    def choose_parts(self, key: str = "") -> None:
        """Open a file to choose its parts: the given one, else the selected one, else the largest."""
        wanted = key or self._window.left.attachments.key_with_parts()
        if not wanted:
            self._session.tell(tr("No attached file has parts to choose. Attach one first."))
            return
        self._window.columns.show_right()
        self._window.inspector.choose_parts(wanted)


def turn_of(chat: ChatState, message: str) -> TurnRow | None:
    """The turn that a message belongs to; without a message, the turn being inspected or the newest with an answer."""
    answered = [turn for turn in chat.turns if turn.reply]
    if message:
        asked, found = "", ""
        for record in chat.records:
            if isinstance(record.entry, Message) and record.entry.role == "user":
                asked = record.id
            if record.id == message:
                found = asked
        return next((turn for turn in reversed(answered) if turn.question == found), None)
    opened = chat.influence if chat.shown is chat.opened else None
    looked = [turn for turn in answered if opened is not None and turn.question == opened.question]
    return next(reversed(looked or answered), None)


def _messages(chat: ChatState | None) -> list[Message]:
    return [r.entry for r in chat.records if isinstance(r.entry, Message)] if chat is not None else []


def left_out_commands(chat: ChatState | None, do: Callable[[Step | None], None]) -> tuple[Command, ...]:
    """Commands that put back each left-out message or attachment, and one for all; none if nothing is left out."""
    if chat is None:
        return ()
    group, out = tr("Left out: choose what to put back"), tuple(_left_out(chat))

    def command(ids: tuple[str, ...], title: str, line: str, icon: str) -> Command:
        return Command(
            f"put-back:{ids[0]}",
            title,
            group,
            lambda: do(leave_out_members(chat, ids, False)),
            icon,
            line=line,
        )

    made = [command((key,), name, line, icon) for key, name, line, icon in out]
    if len(out) > 1:
        title = counted(len(out), "", tr("Put back all {n}"))
        made.insert(0, command(tuple(key for key, *_rest in out), title, "", "undo"))
    return tuple(made)


def _left_out(chat: ChatState) -> Iterator[tuple[str, str, str, str]]:
    """Key, name, a word about it and icon of everything left out: messages in order, then attachments."""
    excluded = chat.conversation.tuning.excluded
    for record in chat.records:
        if record.id in excluded and isinstance(record.entry, Message):
            words = " ".join(record.entry.text.split())
            yield (
                record.id,
                shown(words, MOST_CHARS) or tr("Message"),
                speaker_word(record.entry.role),
                "chat",
            )
    for artifact in chat.conversation.attached:
        if artifact.key in excluded:
            yield artifact.key, shown(artifact.title or artifact.key, MOST_CHARS), tr("attachment"), "file"


# The keys of commands at work: what they press, and the hints all over the window that name them.


_IN_BRACKETS = re.compile(r" ?\(([^()]+)\)")
OWN_TIP, SHOWN_TIP = "own_tip", "shown_tip"


class CommandKeys(QObject):
    """Installs the commands' shortcuts on a window, and replaces them when the user chooses others."""

    def __init__(self, window: QWidget, press: Callable[[CommandId], None]) -> None:
        super().__init__(window)
        self._window, self._press = window, press
        self._made: list[QShortcut] = []
        self._front = True

    def set_front(self, front: bool) -> None:
        """Let the shortcuts work, or leave them to another window: the same keys in two would do nothing."""
        self._front = front
        for made in self._made:
            made.setEnabled(front)

    def install(self, wanted: Sequence[Spec]) -> None:
        for old in self._made:
            old.setEnabled(False)
            old.deleteLater()
        self._made = [
            self._shortcut(keys, spec.id) for spec in wanted for keys in (spec.shortcut, spec.also) if keys
        ]
        set_keys({spec.id: spec.shortcut for spec in wanted})
        self._update_hints(wanted)

    def _shortcut(self, keys: str, command: CommandId) -> QShortcut:
        made = QShortcut(QKeySequence(keys), self._window)
        # The inspector may be in a window of its own.
        made.setContext(Qt.ShortcutContext.ApplicationShortcut)
        made.setEnabled(self._front)
        made.activated.connect(lambda: self._press(command))
        return made

    def _update_hints(self, wanted: Sequence[Spec]) -> None:
        """Update the shortcuts that tooltips and key caps in the window name."""
        usual = {spec.id: spec.shortcut for spec in specs() if spec.shortcut}
        now = {usual[spec.id]: spec.shortcut for spec in wanted if spec.id in usual}
        named = {key_words(own): key_words(keys) for own, keys in now.items()}
        children: list[QWidget] = list(self._window.findChildren(QWidget))
        for widget in children:
            if isinstance(widget, KeyCap):
                _update_key_cap(widget, now)
            elif widget.toolTip():
                _update_tip(widget, named)


def _update_key_cap(cap: KeyCap, now: dict[str, str]) -> None:
    if cap.own in now and cap.text() != now[cap.own]:
        cap.show_key(now[cap.own])
        holder = cap.parentWidget()
        if holder is not None:  # a field puts its key in place when it gets a size
            QApplication.sendEvent(holder, QResizeEvent(holder.size(), holder.size()))


def _update_tip(widget: QWidget, now: dict[str, str]) -> None:
    shown = widget.toolTip()
    # What somebody else has said since is what it says by itself.
    own = str(widget.property(OWN_TIP)) if shown == widget.property(SHOWN_TIP) else shown
    words = _IN_BRACKETS.sub(lambda found: _current_key(found, now), own)
    if words != shown:
        widget.setProperty(OWN_TIP, own)
        widget.setProperty(SHOWN_TIP, words)
        widget.setToolTip(words)


def _current_key(found: re.Match[str], now: dict[str, str]) -> str:
    if found[1] not in now:
        return found[0]
    return f" ({now[found[1]]})" if now[found[1]] else ""


class Actions(QObject):
    """Runs commands by their names, and wishes by their types.

    Attributes:
        commands: all of them, for the menu, the palette and the list of shortcuts.
        explaining: runs the command "What is this?".
    """

    def __init__(self, session: Session, openings: DialogOpener, placing: Placing) -> None:
        super().__init__(session)
        self._session, self._window, self._openings = session, session.window, openings
        self._placing, self._chat = placing, ChatActions(session)
        self._chat_settings, self._tools = ChatSettings(session), ChatTools(session)
        self._window.page_made.connect(lambda page: page.tools.chosen.connect(self._tools.choose))
        self._words = KeptTexts(session)
        self._summaries = Summarising(session)
        self.explaining = Explaining(self._window, lambda: session.chat)
        session.rendered.connect(self.explaining.refresh_soon)
        self._named = self._table() | self._words.table() | watch_table(session)
        self._handlers = self._wish_table()
        self._when = {spec.id: spec.when for spec in specs()}
        self.commands: tuple[Command, ...] = ()
        self._keys = CommandKeys(self._window, self._press)
        self._keyed: Mapping[str, str] | None = None
        self._install_shortcuts()
        self._awaited: ShowFound | None = None
        self._opened_by_rail: QWidget | None = None
        self.lock: Callable[[], None] = lambda: None
        self.quit: Callable[[], object] = session.window.close
        self.open_window: Callable[[str], None] = lambda chat: None
        self.money_shown: Callable[[], bool] = session.window.money_shown
        self.set_front = self._keys.set_front
        self._window.wishes.wish.connect(self.run)
        session.rendered.connect(self._show_awaited)
        session.rendered.connect(self._install_shortcuts)

    def run(self, wish: Wish) -> None:
        if not isinstance(wish, OpenGuide) and wish not in ("explain", "guide"):
            self.explaining.close()  # whatever is done is seen; the guide lies over it, and leads back
        if isinstance(wish, str):
            if wish not in _ATTACHING or not self._openings.is_read_only():
                self._named[wish]()
        else:
            self._handlers.get(type(wish), self._placing.run)(wish)

    def allowed(self, name: CommandId) -> bool:
        if self._window.is_covered():
            return name == "quit"
        chat = self._session.chat
        match self._when.get(name, "always"):
            case "always":
                return True
            case "chat":
                return chat is not None
            case "temporary":
                return chat is not None and chat.chat.filed.temporary
            case "answer":
                return chat is not None and chat.running is not None
            case "placed":
                return self._placing.allowed(name)
            case "rebuild":
                return can_rebuild(chat)
            case "undo":
                return bool(self._session.undo.undo_text())
            case "redo":
                return bool(self._session.undo.redo_text())
            case unknown:
                assert_never(unknown)

    def fill_menu(self, parent: QWidget) -> QMenu:
        made = menu(parent)
        menus: dict[tuple[str, ...], QMenu] = {(): made}
        for command in self.commands:
            path = (command.group, command.submenu) if command.submenu else (command.group,)
            for at in range(len(path)):
                if path[: at + 1] not in menus:
                    menus[path[: at + 1]] = menus[path[:at]].addMenu(path[at])
            action = menus[path].addAction(command.title)
            action.setShortcut(QKeySequence(command.shortcut))
            action.setEnabled(command.enabled())
            action.triggered.connect(command.run)
        return made

    def _wish_table(self) -> dict[type, Callable[[Any], object]]:
        """Handlers of wishes that carry more than a name; wishes about where chats are filed go to `Placing`."""
        session, openings, words = self._session, self._openings, self._words.run
        return {
            OpenSettings: lambda wish: openings.settings(wish.page),
            OpenGuide: lambda wish: openings.guide(wish.page),
            ChangeKeys: lambda wish: openings.change_keys(wish.change),
            DeclareModel: lambda wish: openings.declare_model(wish.model),
            AddFolder: lambda wish: openings.folder(wish.path, wish.only),
            ExportChat: lambda wish: openings.export(wish.chat),
            ShowChat: self._show_chat,
            ForkFrom: lambda wish: session.fork(wish.chat, wish.message),
            GoOnFrom: lambda wish: session.go_on_from(wish.chat, wish.number, wish.removed),
            DeleteChats: lambda wish: session.delete_chats(wish.chats),
            ShowFound: self._open_found,
            OpenLink: lambda wish: open_link(wish.address),
            EditMemory: words,
            Remember: words,
            KeepPrompt: words,
            Summarise: self._summaries.open,
            KeepPreset: lambda wish: self._chat_settings.keep(wish.settings, wish.name),
            CompareRequest: self._chat.compare,
            MeasureAnswer: self._chat.measure,
            ShowSide: lambda wish: self._window.chat.side.open(wish.side),
            ShowAttachment: lambda wish: self._window.left.attachments.open_preview(wish.key),
            ShowSections: lambda wish: self._chat.choose_parts(wish.key),
            OpenFoundFile: lambda wish: openings.found_file(wish.path),
            LookAtOffer: self._tools.run,
            ServerAct: self._tools.run,
        }

    def _table(self) -> dict[CommandId, Callable[[], object]]:
        window, openings = self._window, self._openings
        inspector = window.inspector
        return {
            "new-chat": self._placing.start_chat,
            "new-temporary-chat": lambda: self._session.start_chat(temporary=True),
            "keep-chat": lambda: self._session.send(FileChats((self._session.chat_id,), temporary=False)),
            "new-workspace": lambda: self._placing.run(NewWorkspace()),
            "workspace": self._placing.show_page,
            "pin-chat": self._placing.pin,
            "archive-chat": self._placing.archive,
            "move-chat": window.chat.head.open_move_menu,
            "tag-chat": lambda: self._placing.run(TagChats(self._placing.chosen())),
            "summarise": lambda: self._summaries.open(Summarise()),
            "attach-files": self._chat.attach_files,
            "attach-folder": openings.choose_folder,
            "follow-folder": openings.follow_folder,
            "nearly-taken": inspector.layers.nearly.show_card,
            "attach-page": openings.attach_page,
            "search-web": openings.search_web,
            "attach-clipboard": self._chat.attach_clipboard,
            "rename-chat": self._rename,
            "write-title": lambda: self._session.send(OfferTitle(self._session.chat_id)),
            "delete-chat": self._delete,
            "model": lambda: openings.model_picker(self._model_button()),
            "tools": self._tools.open,
            "approval": lambda: self._tools.open("rules"),
            "from-server": self._tools.from_server,
            "parameters": lambda: self._chat_settings.parameters(window.chat.head.tune),
            "presets": self._chat_settings.presets,
            "send-once": lambda: self._chat_settings.once(window.chat.composer.strip.send),
            "begin-answer": window.chat.composer.prefill.begin,
            "ask-side": lambda: window.chat.composer.send(side=True),
            "warm": self._chat.warm,
            "keep-warm": self._chat.keep_warm,
            "steer-step": lambda: window.chat.composer.steer("step"),
            "steer-instead": lambda: window.chat.composer.steer("instead"),
            "stop": self._chat.stop,
            "regenerate": self._chat.regenerate,
            "answer-tool": window.chat.focus_request,
            "copy-answer": self._chat.copy_answer,
            "export": openings.export,
            "import": openings.importing,
            "settings": openings.settings,
            "recovery": lambda: openings.change_keys("recovery"),
            "go-on": window.chat.composer.setFocus,
            "undo": self._undo,
            "redo": self._redo,
            "left-out": self._list_left_out,
            "refresh-stale": self._chat.refresh_stale,
            "rebuild": self._chat.rebuild,
            "choose-parts": self._chat.choose_parts,
            "layers": lambda: window.show_page("layers"),
            "payload": lambda: window.show_page("payload"),
            "diff": lambda: window.show_page("diff"),
            "turns": lambda: window.show_page("history"),
            "compare": lambda: self._chat.compare(CompareRequest()),
            "copy-curl": inspector.copy_curl,
            "influence": lambda: self._chat.measure(MeasureAnswer()),
            "facts": window.chat.transcript.facts.toggle,
            "palette": lambda: openings.palette(self.commands),
            "search": self._search,
            "find": window.chat.finder.open,
            "find-next": lambda: window.chat.finder.step(1),
            "find-previous": lambda: window.chat.finder.step(-1),
            "sort-chats": window.left.chats.open_order,
            "next-pane": window.next_pane,
            "minimap": window.chat.transcript.minimap.take_focus,
            "composer": window.chat.composer.setFocus,
            "send-over-cap": window.chat.composer.send,
            "previous-chat": lambda: self._step_chat(-1),
            "next-chat": lambda: self._step_chat(1),
            "lock": self._lock,
            "light-dark": lambda: openings.appearance("light" if theme_of(window).dark else "dark"),
            "zoom-in": lambda: openings.text_sizes(sizes().step(1)),
            "zoom-out": lambda: openings.text_sizes(sizes().step(-1)),
            "zoom-usual": lambda: openings.text_sizes(sizes()._replace(zoom=1.0)),
            "left-column": window.columns.toggle_left,
            "chats": lambda: self._open_left(window.left.chats),
            "attachments": lambda: self._open_left(window.left.attachments),
            "inspector": window.columns.toggle_right,
            "float-inspector": lambda: window.columns.float_inspector(tr("Request")),
            "swap-sides": window.columns.swap_sides,
            "reset-layout": window.columns.reset,
            "connections": openings.connections,
            "spend": self._show_money,
            "explain": self.explaining.toggle,
            "guide": lambda: openings.guide(self.explaining.guide_page() or wanted_page()),
            "shortcuts": lambda: openings.guide("shortcuts"),
            "about": lambda: openings.settings("about"),
            "menu": lambda: self._menu(window.left.head.menu),
            "chat-menu": lambda: self._menu(window.chat.head.more),
            "sample": self._sample,
            "keep-chats": self._keep_chats,
            "lesson-read": window.end_lesson,
            "tour": self._take_tour,
            "open-data-folder": openings.data_folder,
            "open-settings-file": openings.settings_file,
            "quit": lambda: self.quit(),  # noqa: PLW0108  (set later)
            "new-window": self._open_window,
        }

    def _show_money(self) -> None:
        """Show what was spent, or go back to the chat."""
        self._openings.close_settings()
        self._window.show_money(not self._window.money_shown())
        self._session.send(LookAtSpending(self.money_shown()))

    def _list_left_out(self) -> None:
        found = left_out_commands(self._session.chat, self._session.do_step)
        if found:
            self._openings.palette(found, alone=True)
        else:
            self._session.tell(tr("Nothing is left out of this chat."))

    def _take_tour(self) -> None:
        self._window.show_page("layers")
        self._window.take_tour()
        self._window.inspector.lesson_line.done.setFocus(Qt.FocusReason.TabFocusReason)

    def _install_shortcuts(self) -> None:
        """Install the shortcuts of the preferences, if they changed."""
        chosen = self._session.state.preferences.shortcuts
        if self._keyed is None or chosen != self._keyed:
            self._keyed = chosen
            wanted = with_keys(specs(), chosen)
            self.commands = bind(wanted, self.run, self.allowed)
            self._keys.install(wanted)

    def _press(self, command: CommandId) -> None:
        if self.allowed(command):
            self.run(command)

    def _show_chat(self, wish: ShowChat) -> None:
        self.open_window(wish.chat) if wish.new_window else self._session.open_chat(wish.chat)

    def _open_window(self) -> None:
        for chat in self._placing.chosen():
            self.open_window(chat)

    # These are set later, by whoever starts the window: what is there when they are pressed is called.

    def _lock(self) -> None:
        self.lock()

    def _sample(self) -> None:
        self._openings.sample()

    def _keep_chats(self) -> None:
        self._openings.keep_chats()

    def _model_button(self) -> QWidget:
        window = self._window
        return window.page.model if window.page_shown() else window.chat.head.model

    def _rename(self) -> None:
        """Rename the chat selected in the list if the list has the focus, else the current chat or workspace."""
        listed = self._window.left.chats.chats
        if listed.hasFocus():
            listed.rename()
        elif self._window.page_shown():
            self._window.page.head.rename()
        else:
            self._window.chat.head.rename()

    def _delete(self) -> None:
        if is_template(self._session.chat_id):
            self._placing.run(DropWorkspace(workspace_of_template(self._session.chat_id)))
        elif self._session.chat_id:
            self._session.delete_chats((self._session.chat_id,))

    def _undo(self) -> None:
        chat = self._session.expected(self._session.chat_id)
        if chat is not None and (title := self._session.undo.outdated(chat)):
            words = tr("Not undone: {what}. Something else changed it since.")
            self._window.toast.say("info", words.format(what=title))
            return
        step = self._session.undo.last_step()
        if title := self._session.undo.undo():
            here = [one.id for one in chat.records] if chat is not None else []
            edited = edited_by(step) if step is not None else frozenset()
            seen = next((one for one in here if one in edited), "")
            words = tr("Undone: {what}")
            if edited and not seen:
                words = tr("Undone in a version that isn’t shown: {what}")
            self._window.toast.say("undo", words.format(what=title), tr("Redo"), self._redo)
            if seen:  # it may be far from what was done since
                self._window.chat.transcript.show_message(seen)

    def _redo(self) -> None:
        if title := self._session.undo.redo():
            self._window.toast.say(
                "redo", tr("Done again: {what}").format(what=title), tr("Undo"), self._undo
            )

    def _open_left(self, pane: QWidget) -> None:
        """What the rail opens over the chat: another press on the same icon closes it, on the other goes there."""
        columns, before = self._window.columns, self._opened_by_rail
        self._opened_by_rail = pane
        if not columns.narrow or (before is pane and self._window.left.isVisible()):
            columns.toggle_left()
            return
        columns.open_panel()
        entry_of(pane).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _search(self) -> None:
        if self._window.columns.narrow:
            self._window.columns.open_panel()
        self._window.left.chats.focus_search()

    def _step_chat(self, by: int) -> None:
        keys = self._window.left.chats.order()
        if keys:
            now = keys.index(self._session.chat_id) if self._session.chat_id in keys else -by
            self._session.open_chat(keys[(now + by) % len(keys)])

    def _menu(self, below: QWidget) -> None:
        popup_below(self.fill_menu(self._window), below)

    def _open_found(self, found: ShowFound) -> None:
        """Open the chat of a search result, and scroll to its message or attachment once it is loaded."""
        self._session.open_chat(found.chat)
        if found.message:
            self._window.chat.show_found(found.chat, found.message, found.words)
        self._awaited = found
        self._show_awaited()

    def _show_awaited(self) -> None:
        """Once the chat of a search result is open: show the branch of its message, or preview its attachment."""
        found, chat = self._awaited, self._session.chat
        if found is None or chat is None or chat.chat.id != found.chat:
            return
        if not found.attachment:
            self._awaited = None
            if found.message and all(one.id != found.message for one in chat.records):
                self._session.send(ShowBranch(found.chat, found.message))
        elif all(one.key != found.attachment for one in chat.conversation.attached):
            self._awaited = None
            self._session.tell(
                tr("{name} is no longer attached to this chat.").format(name=short_path(found.attachment))
            )
        elif self._window.left.attachments.open_preview(found.attachment, found.words):
            self._awaited = None


def open_link(url: str) -> None:
    """Open a web page whose address the user has seen; links of other kinds are never opened."""
    if may_open(url):
        QDesktopServices.openUrl(QUrl(url))
