"""What commands do with the chat in view: attach to it, ask it again, read its files anew."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

from workbench.domain.message import Message
from workbench.engine.intents import AttachFiles, RegenerateAnswer, StopTurn
from workbench.engine.program_intents import WarmModel
from workbench.engine.state import ChatState
from workbench.ui.chat.pasting import mime_intents
from workbench.ui.steps import rebuild, refresh
from workbench.ui.translation import translator
from workbench.ui.widgets.file_chooser import choose_files
from workbench.ui.window.session import Session

_tr = translator("Actions")


class ChatActions:
    """Does them in whichever chat is in view."""

    def __init__(self, session: Session) -> None:
        self._session, self._window = session, session.window

    def attach_files(self) -> None:
        """Choose files, and attach them."""
        choose_files(self._window, _tr("Attach files"), lambda paths: self._attach(tuple(paths)))

    def _attach(self, paths: tuple[str, ...]) -> None:
        if paths:
            self._session.send(AttachFiles(self._session.chat_id, paths))

    def attach_clipboard(self) -> None:
        """Attach what is on the clipboard, whatever it is."""
        mime = QGuiApplication.clipboard().mimeData()
        found = mime_intents(mime, self._session.chat_id)
        if any(isinstance(one, AttachFiles) for one in found):
            self._session.send(found[0])
        elif found:
            self._session.send_in_chat(lambda chat: mime_intents(mime, chat))
        else:
            self._session.tell(_tr("There is nothing on the clipboard that can be attached."))

    def warm(self) -> None:
        """Start what the chat's model needs."""
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
            self._session.tell(_tr("Answer copied"))

    def rebuild(self) -> None:
        """Begin the log anew."""
        if self._session.chat is not None:
            self._session.do_step(rebuild(self._session.chat))

    def refresh_stale(self) -> None:
        """Read files anew that have changed on the disk."""
        chat = self._session.chat
        stale = [key for key, (state, _) in chat.disk.items() if state == "changed"] if chat else []
        if chat is not None and stale:
            self._session.do_step(refresh(chat, stale))

    def choose_parts(self, key: str = "") -> None:
        """Open a file to choose its parts: the one named, else the one chosen in the list, else the largest."""
        wanted = key or self._window.left.attachments.key_with_parts()
        if not wanted:
            self._session.tell(_tr("No file is attached whose parts could be chosen. Attach one first."))
            return
        self._window.columns.show_right()
        self._window.inspector.choose_parts(wanted)


def _messages(chat: ChatState | None) -> list[Message]:
    return [r.entry for r in chat.records if isinstance(r.entry, Message)] if chat is not None else []
