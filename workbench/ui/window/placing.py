"""What the window does about workspaces: their page, new ones, and where chats are found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from PySide6.QtCore import QObject, Qt

from workbench.domain.record import Chat
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.workspace import Workspace, is_template, template_of, workspace_of_template
from workbench.engine.workspace_intents import (
    DeletePrompt,
    DeleteWorkspace,
    ExportWorkspace,
    FileChats,
    LookAtReach,
    ReviseWorkspace,
    StartWorkspace,
)
from workbench.ui.filing import common_tags, delete_workspace, file_chats, save_workspace, tag_chats
from workbench.ui.steps import Step
from workbench.ui.widgets.file_chooser import choose_folder, save_file
from workbench.ui.widgets.plain import shown
from workbench.ui.window.session import Session
from workbench.ui.wishes import (
    BindFolder,
    CommandId,
    DropWorkspace,
    NewChatIn,
    NewWorkspace,
    SendWorkspaceOut,
    ShowWorkspace,
    TagChats,
)
from workbench.ui.wishes import Placing as PlacingWish

RECENT_S = 2 * 3600
MOST_LOOKED_AT = 40


class Placing(QObject):
    """Does what is wished about workspaces, and keeps their page fed."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._window = session, session.window
        self._looked_at: tuple[object, str] = (None, "")
        page = self._window.page
        page.home = os.path.expanduser("~")
        page.tools_there = lambda: session.given.toolroom().tools
        session.rendered.connect(self._look)
        session.stepped.connect(self._say)

    def run(self, wish: PlacingWish) -> None:
        match wish:
            case ShowWorkspace(workspace):
                self._session.open_chat(template_of(workspace))
            case NewWorkspace(chats):
                self._new(chats)
            case NewChatIn(workspace):
                self._session.start_chat(workspace=workspace)
            case TagChats(chats):
                self._tag(chats)
            case DropWorkspace(workspace):
                self._drop(workspace)
            case SendWorkspaceOut(workspace):
                self._export(workspace)
            case BindFolder(workspace, folder):
                self._bind(workspace, folder)

    def start_chat(self) -> None:
        """A new chat: in the workspace where the keyboard is in the list, else in that of what is in view."""
        listed = self._window.left.chats.chats
        chosen = listed.place_chosen() if listed.hasFocus() else None
        self._session.start_chat(workspace=self._place() if chosen is None else chosen)

    def show_page(self) -> None:
        self.run(ShowWorkspace(self._place()))

    def chosen(self) -> tuple[str, ...]:
        """The chats that are selected where the list has the keyboard, else the one in view."""
        listed = self._window.left.chats.chats
        in_view = self._session.chat_id
        found = listed.selected_chats() if listed.hasFocus() else ()
        return found or ((in_view,) if in_view and not is_template(in_view) else ())

    def pin(self) -> None:
        """Pin what is chosen; what is all pinned already is let go."""
        chats = self._chats(self.chosen())
        self._file(FileChats(self._ids(chats), pinned=not all(chat.filed.pinned for chat in chats)))

    def archive(self) -> None:
        """Put away what is chosen; what is all away already comes back."""
        chats = self._chats(self.chosen())
        away = all(chat.filed.archived_utc is not None for chat in chats)
        self._file(FileChats(self._ids(chats), archived=not away))

    def allowed(self, name: CommandId) -> bool:
        in_view = self._session.chat_id
        if name == "workspace":
            return bool(self._place())
        if name in ("move-chat", "composer"):
            return bool(in_view) and not is_template(in_view)
        return bool(self.chosen())

    def _place(self) -> str:
        in_view, state = self._session.chat_id, self._session.state
        if is_template(in_view):
            return workspace_of_template(in_view)
        chat = self._session.chat
        filed = "" if chat is None else chat.chat.filed.workspace
        return filed if filed in state.workspaces else ""

    def _chats(self, ids: Sequence[str]) -> list[Chat]:
        wanted = frozenset(ids)
        return [chat for chat in self._session.state.chats if chat.id in wanted]

    def _ids(self, chats: Sequence[Chat]) -> tuple[str, ...]:
        return tuple(chat.id for chat in chats)

    def _file(self, wanted: FileChats) -> None:
        state = self._session.state
        self._session.do_step(file_chats(state.chats, wanted, self._session.chat_id, state))

    def _new(self, chats: tuple[str, ...]) -> None:
        from workbench.ui.dialogs.placing import NewWorkspaceDialog

        names = [one.name for one in self._session.state.workspaces.values()]
        dialog = NewWorkspaceDialog(names, self._window)
        dialog.chosen.connect(lambda name, folder: self._make(name, folder, chats))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _make(self, name: str, folder: str, chats: tuple[str, ...]) -> None:
        key = self._session.given.new_id()
        begin = StartWorkspace(Workspace(key, name, folder), self._template_settings())
        move = (FileChats(chats, workspace=key),) if chats else ()
        self._session.bridge.send_all((begin, *move))
        if not chats:
            self._session.open_chat(template_of(key))

    def _template_settings(self) -> ContextSettings:
        return self._session.given.new_chat_settings(bool(self._session.state.preferences.tools_enabled))

    def _tag(self, ids: tuple[str, ...]) -> None:
        from workbench.ui.dialogs.placing import TagsDialog

        chats = self._chats(ids)
        if not chats:
            self._session.tell(self.tr("A chat can have tags once something is written in it."))
            return
        known = {tag for chat in self._session.state.chats for tag in chat.filed.tags}
        dialog = TagsDialog(common_tags(chats), sorted(known), len(chats), self._window)
        dialog.chosen.connect(
            lambda tags: self._session.do_step(tag_chats(self._chats(ids), tags, self._session.chat_id))
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _drop(self, key: str) -> None:
        """Put a workspace away; what was on its page is left for a chat, whose undo brings it back."""
        place = self._session.state.workspaces.get(key)
        if place is None:
            return
        in_view = self._session.chat_id
        if in_view == template_of(key):
            others = [chat.id for chat in self._session.state.chats if chat.filed.archived_utc is None]
            in_view = others[0] if others else ""
            self._session.open_chat(in_view) if others else self._session.start_chat()
        self._session.do_step(delete_workspace(place, in_view))

    def _export(self, key: str) -> None:
        place = self._session.state.workspaces.get(key)
        if place is None:
            return
        name = "".join(sign if sign.isalnum() else "-" for sign in place.name).strip("-") or "workspace"
        title, send = self.tr("Export the workspace to"), self._session.send
        save_file(
            self._window, title, f"{name}.workbench.json", lambda path: send(ExportWorkspace(key, path))
        )

    def _bind(self, key: str, folder: str) -> None:
        place = self._session.state.workspaces.get(key)
        if place is None:
            return
        if folder:
            self._bound(key, folder)
            return
        title = self.tr("Folder of the workspace")
        choose_folder(self._window, title, lambda path: self._bound(key, path), place.folder)

    def _bound(self, key: str, folder: str) -> None:
        place = self._session.state.workspaces.get(key)
        if place is None:
            return
        if not os.path.isdir(folder):
            words = self.tr("No folder {folder} here. Nothing was changed. Choose another one.")
            self._session.tell(words.format(folder=shown(folder, 120)))
            return
        after = replace(place, folder=folder, offered="")
        self._session.do_step(save_workspace(place, after, self.tr("Change the folder")))

    def _look(self) -> None:
        """Ask how the caches stand of chats that were used lately, and of those of the workspace in view."""
        state, in_view = self._session.state, self._session.chat_id
        if state.chats is self._looked_at[0] and in_view == self._looked_at[1]:
            return  # drawn thirty times a second, and listed anew after every turn
        self._looked_at = (state.chats, in_view)
        now, place = self._session.given.utc_now(), self._place() if is_template(in_view) else None
        recent = [chat.id for chat in state.chats if _since(chat.used_utc, now) < RECENT_S]
        inside = [chat.id for chat in state.chats if place is not None and chat.filed.workspace == place]
        wanted = tuple(dict.fromkeys((*recent[:MOST_LOOKED_AT], *inside)))
        if wanted:
            self._session.send(LookAtReach(wanted))

    def _say(self, step: Step, _before: object) -> None:
        gone = any(
            isinstance(intent, DeleteWorkspace | DeletePrompt)
            or (
                isinstance(intent, FileChats)
                and (intent.archived is not None or intent.workspace is not None)
            )
            or (isinstance(intent, ReviseWorkspace) and step.title == self.tr("Remove a fact"))
            for intent in step.do
        )
        if gone:
            self._window.toast.say(
                "folder", step.title, self.tr("Undo"), lambda: self._session.undo.take_back(step)
            )


def _since(utc: str, now_utc: str) -> float:
    try:
        return (datetime.fromisoformat(now_utc) - datetime.fromisoformat(utc)).total_seconds()
    except (ValueError, TypeError):
        return float("inf")
