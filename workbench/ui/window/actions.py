"""What every command does: the one place where a wish becomes an intent, a dialog or a change of the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from workbench.domain.file_names import short_path
from workbench.domain.message import Message
from workbench.engine.errand_intents import OfferTitle, WarmModel
from workbench.engine.intents import AttachFiles, RegenerateAnswer, ShowBranch, StopTurn
from workbench.engine.state import ChatState
from workbench.ui.chat.pasting import mime_intents
from workbench.ui.chat.text.links import may_open
from workbench.ui.commands import Command, bind, specs, with_keys
from workbench.ui.look.theme import theme_of
from workbench.ui.steps import can_rebuild, rebuild, refresh
from workbench.ui.widgets.menu import menu
from workbench.ui.window.chat_settings import ChatSettings
from workbench.ui.window.command_keys import CommandKeys
from workbench.ui.window.dialog_opener import DialogOpener
from workbench.ui.window.session import Session
from workbench.ui.window.words import Words
from workbench.ui.wishes import (
    AddFolder,
    ChangeKeys,
    CommandId,
    DeclareModel,
    DeleteChats,
    EditMemory,
    ExportChat,
    ForkFrom,
    KeepPrompt,
    OpenLink,
    OpenSettings,
    Remember,
    ShowAttachment,
    ShowChat,
    ShowFound,
    ShowSections,
    Wish,
)


class Actions(QObject):
    """Runs commands by their names.

    Attributes:
        commands: all of them, for the menu, the palette and the list of shortcuts.
    """

    def __init__(self, session: Session, openings: DialogOpener) -> None:
        super().__init__(session)
        self._session, self._window, self._openings = session, session.window, openings
        self._chat_settings = ChatSettings(session)
        self._words = Words(session)
        self._named = self._table() | self._words.table()
        self.commands: tuple[Command, ...] = ()
        self._keys = CommandKeys(self._window, self._press)
        self._keyed: Mapping[str, str] | None = None
        self._put_keys_on()
        self._awaited: ShowFound | None = None
        self.lock: Callable[[], None] = lambda: None
        self._window.wishes.wish.connect(self.run)
        session.rendered.connect(self._show_awaited)
        session.rendered.connect(self._put_keys_on)

    def run(self, wish: Wish) -> None:
        """Do what is wished."""
        match wish:
            case OpenSettings(page):
                self._openings.settings(page)
            case ShowChat() | ForkFrom() | ShowFound() | ExportChat() | DeleteChats():
                self._run_chats(wish)
            case ChangeKeys(errand):
                self._openings.change_keys(errand)
            case DeclareModel(model):
                self._openings.declare_model(model)
            case OpenLink(address):
                open_link(address)
            case EditMemory() | Remember() | KeepPrompt():
                self._words.run(wish)
            case AddFolder() | ShowAttachment() | ShowSections():
                self._run_attached(wish)
            case _:
                self._named[wish]()

    def _run_chats(self, wish: ShowChat | ForkFrom | ShowFound | ExportChat | DeleteChats) -> None:
        match wish:
            case ShowChat(chat):
                self._session.open_chat(chat)
            case ForkFrom(chat, message):
                self._session.fork(chat, message)
            case ShowFound():
                self._open_found(wish)
            case ExportChat(chat):
                self._openings.export(chat)
            case DeleteChats(chats):
                self._session.delete_chats(chats)

    def _run_attached(self, wish: AddFolder | ShowAttachment | ShowSections) -> None:
        match wish:
            case AddFolder(path, only):
                self._openings.folder(path, only)
            case ShowAttachment(key):
                self._window.left.attachments.open_preview(key)
            case ShowSections(key):
                self._choose_parts(key)

    def allowed(self, name: CommandId) -> bool:
        """Whether a command makes sense now."""
        if self._window.is_covered():
            return name == "quit"
        chat = self._session.chat
        needs_chat = {
            "rename-chat", "delete-chat", "model", "tools", "parameters", "send-once", "regenerate", "copy-answer",
            "refresh-stale", "layers", "choose-parts", "payload", "diff", "turns", "copy-curl", "composer",
            "find", "find-next", "find-previous", "write-title", "edit-instructions", "remember", "suggest-facts",
        }  # fmt: skip
        if name in needs_chat:
            return chat is not None
        if name in ("stop", "answer-tool"):
            return chat is not None and chat.running is not None
        if name == "rebuild":
            return can_rebuild(chat)
        if name == "undo":
            return bool(self._session.undo.undo_text())
        return name != "redo" or bool(self._session.undo.redo_text())

    def fill_menu(self, parent: QWidget) -> QMenu:
        """The whole menu, a submenu for each group."""
        made = menu(parent)
        groups: dict[str, QMenu] = {}
        for command in self.commands:
            if command.group not in groups:
                groups[command.group] = made.addMenu(command.group)
            action = groups[command.group].addAction(command.title)
            action.setShortcut(QKeySequence(command.shortcut))
            action.setEnabled(command.enabled())
            action.triggered.connect(command.run)
        return made

    def _table(self) -> dict[CommandId, Callable[[], object]]:
        window, session, openings = self._window, self._session, self._openings
        inspector = window.inspector
        return {
            "new-chat": session.start_chat,
            "attach-files": self._attach_files,
            "attach-folder": openings.choose_folder,
            "attach-page": openings.attach_page,
            "attach-clipboard": self._attach_clipboard,
            "rename-chat": self._rename,
            "write-title": lambda: session.send(OfferTitle(session.chat_id)),
            "delete-chat": self._delete,
            "model": lambda: openings.model_picker(window.chat.head.model),
            "tools": lambda: openings.chat_tools(window.chat.head.tools),
            "parameters": lambda: self._chat_settings.parameters(window.chat.head.tune),
            "presets": self._chat_settings.presets,
            "send-once": lambda: self._chat_settings.once(window.chat.composer.strip.send),
            "warm": self._warm,
            "stop": self._stop,
            "regenerate": self._regenerate,
            "answer-tool": window.chat.transcript.focus_tool_request,
            "copy-answer": self._copy_answer,
            "export": openings.export,
            "import": openings.importing,
            "settings": openings.settings,
            "recovery": lambda: openings.change_keys("recovery"),
            "go-on": window.chat.composer.setFocus,
            "undo": self._undo,
            "redo": self._redo,
            "refresh-stale": self._refresh_stale,
            "rebuild": self._rebuild,
            "choose-parts": self._choose_parts,
            "layers": lambda: self._show_page("layers"),
            "payload": lambda: self._show_page("payload"),
            "diff": lambda: self._show_page("diff"),
            "turns": lambda: self._show_page("history"),
            "copy-curl": inspector.copy_curl,
            "palette": lambda: openings.palette(self.commands),
            "search": self._search,
            "find": window.chat.finder.open,
            "find-next": lambda: window.chat.finder.step(1),
            "find-previous": lambda: window.chat.finder.step(-1),
            "next-pane": window.next_pane,
            "composer": window.chat.composer.setFocus,
            "previous-chat": lambda: self._step_chat(-1),
            "next-chat": lambda: self._step_chat(1),
            "lock": self._lock,
            "light-dark": self._light_dark,
            "left-column": window.columns.toggle_left,
            "chats": window.columns.toggle_left,
            "attachments": window.columns.toggle_left,
            "inspector": window.columns.toggle_right,
            "float-inspector": lambda: window.columns.float_inspector(_tr("Envelope inspector")),
            "swap-sides": window.columns.swap_sides,
            "reset-layout": window.columns.reset,
            "shortcuts": openings.shortcuts,
            "about": lambda: openings.settings("about"),
            "menu": lambda: self._menu(window.left.head.menu),
            "chat-menu": lambda: self._menu(window.chat.head.more),
            "sample": self._sample,
            "lesson-read": window.end_lesson,
            "open-data-folder": openings.data_folder,
            "quit": window.close,
        }

    def _show_page(self, page: str) -> None:
        self._window.columns.show_right()
        self._window.inspector.show_page(page)

    def _put_keys_on(self) -> None:
        """Follow the keys that the preferences name; the same as before are left alone."""
        chosen = self._session.state.preferences.shortcuts
        if self._keyed is None or chosen != self._keyed:
            self._keyed = chosen
            wanted = with_keys(specs(), chosen)
            self.commands = bind(wanted, self.run, self.allowed)
            self._keys.put_on(wanted)

    def _press(self, command: CommandId) -> None:
        if self.allowed(command):
            self.run(command)

    def _attach_files(self) -> None:
        dialog = QFileDialog(self._window, _tr("Attach files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda paths: self._attach(tuple(paths)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _attach(self, paths: tuple[str, ...]) -> None:
        if paths:
            self._session.send(AttachFiles(self._session.chat_id, paths))

    def _attach_clipboard(self) -> None:
        mime = QGuiApplication.clipboard().mimeData()
        found = mime_intents(mime, self._session.chat_id)
        if any(isinstance(one, AttachFiles) for one in found):
            self._session.send(found[0])
        elif found:
            self._session.send_in_chat(lambda chat: mime_intents(mime, chat))
        else:
            self._session.tell(_tr("There is nothing on the clipboard that can be attached."))

    def _sample(self) -> None:
        self._openings.sample()

    def _rename(self) -> None:
        """The chat that is chosen in the list where the list has the focus, else the one in view."""
        listed = self._window.left.chats.chats
        if listed.hasFocus():
            listed.rename()
        else:
            self._window.chat.head.rename()

    def _delete(self) -> None:
        if self._session.chat_id:
            self._session.delete_chats((self._session.chat_id,))

    def _warm(self) -> None:
        chat = self._session.chat
        if chat is not None:
            self._session.send(WarmModel(chat.chat.settings.model))

    def _stop(self) -> None:
        if self._session.chat_id:
            self._session.send(StopTurn(self._session.chat_id))

    def _regenerate(self) -> None:
        chat = self._session.chat
        asked = [one for one in _messages(chat) if one.role == "user"]
        if chat is not None and asked and chat.running is None:
            self._session.send(RegenerateAnswer(chat.chat.id, asked[-1].id))

    def _copy_answer(self) -> None:
        chat = self._session.chat
        said = [one for one in _messages(chat) if one.role == "assistant"]
        if said:
            QGuiApplication.clipboard().setText(said[-1].text)
            self._session.tell(_tr("Answer copied"))

    def _undo(self) -> None:
        if title := self._session.undo.undo():
            self._window.toast.say("undo", _tr("Undone: {what}").format(what=title), _tr("Redo"), self._redo)

    def _redo(self) -> None:
        if title := self._session.undo.redo():
            self._window.toast.say(
                "redo", _tr("Done again: {what}").format(what=title), _tr("Undo"), self._undo
            )

    def _rebuild(self) -> None:
        if self._session.chat is not None:
            self._session.do_step(rebuild(self._session.chat))

    def _refresh_stale(self) -> None:
        chat = self._session.chat
        stale = [key for key, (state, _) in chat.disk.items() if state == "changed"] if chat else []
        if chat is not None and stale:
            self._session.do_step(refresh(chat, stale))

    def _choose_parts(self, key: str = "") -> None:
        """Open a file to choose its parts: the one named, else the one chosen in the list, else the largest."""
        wanted = key or self._window.left.attachments.key_with_parts()
        if not wanted:
            self._session.tell(_tr("No file is attached whose parts could be chosen. Attach one first."))
            return
        self._window.columns.show_right()
        self._window.inspector.choose_parts(wanted)

    def _search(self) -> None:
        if self._window.columns.narrow:
            self._window.columns.open_panel()
        self._window.left.chats.focus_search()

    def _step_chat(self, by: int) -> None:
        keys = [chat.id for chat in self._session.state.chats]
        if keys:
            now = keys.index(self._session.chat_id) if self._session.chat_id in keys else -by
            self._session.open_chat(keys[(now + by) % len(keys)])

    def _lock(self) -> None:
        self.lock()

    def _light_dark(self) -> None:
        self._openings.appearance("light" if theme_of(self._window).dark else "dark")

    def _menu(self, below: QWidget) -> None:
        made = self.fill_menu(self._window)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        made.popup(below.mapToGlobal(below.rect().bottomLeft()))

    def _open_found(self, found: ShowFound) -> None:
        """Open the chat; its message or attachment comes into sight as soon as it is read."""
        self._session.open_chat(found.chat)
        if found.message:
            self._window.chat.show_found(found.chat, found.message, found.words)
        self._awaited = found
        self._show_awaited()

    def _show_awaited(self) -> None:
        """Once its chat is in view: show a message's branch, and an attachment as soon as its row is there."""
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
                _tr("{name} was attached to this chat earlier, and is not any more.").format(
                    name=short_path(found.attachment)
                )
            )
        elif self._window.left.attachments.open_preview(found.attachment, found.words):
            self._awaited = None


def open_link(url: str) -> None:
    """Open a page that the person has read the address of and chosen to open; other kinds of links never."""
    if may_open(url):
        QDesktopServices.openUrl(QUrl(url))


def _messages(chat: ChatState | None) -> list[Message]:
    return [r.entry for r in chat.records if isinstance(r.entry, Message)] if chat is not None else []


def _tr(words: str) -> str:
    return QCoreApplication.translate("Actions", words)
