"""What the window does about workspaces: their pages, new ones, and where chats are filed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

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
from workbench.ui.translation import tr
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

if TYPE_CHECKING:  # loaded with the first page
    from workbench.ui.workspace.page import WorkspacePage

RECENT_S = 2 * 3600
MOST_LOOKED_AT = 40


class Placing(QObject):
    """Runs the wishes about workspaces, and asks for the figures that their page shows."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._window = session, session.window
        self._refreshed_for: tuple[object, str] = (None, "")
        self._window.page_made.connect(self._prepare)
        session.rendered.connect(self._refresh_reach)
        session.stepped.connect(self._offer_undo)

    def _prepare(self, page: WorkspacePage) -> None:
        page.home = os.path.expanduser("~")
        page.tools_there = lambda: self._session.given.toolroom().tools

    def run(self, wish: PlacingWish) -> None:
        match wish:
            case ShowWorkspace(workspace):
                self._session.open_chat(template_of(workspace))
            case NewWorkspace(chats):
                self._ask_for_workspace(chats)
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
        """Start a chat in the workspace selected in the list if that has the focus, else in the current one."""
        listed = self._window.left.chats.chats
        chosen = listed.place_chosen() if listed.hasFocus() else None
        self._session.start_chat(workspace=self._workspace_id() if chosen is None else chosen)

    def show_page(self) -> None:
        self.run(ShowWorkspace(self._workspace_id()))

    def chosen(self) -> tuple[str, ...]:
        """The chats selected in the list if that has the focus, else the current chat."""
        listed = self._window.left.chats.chats
        in_view = self._session.chat_id
        found = listed.selected_chats() if listed.hasFocus() else ()
        return found or ((in_view,) if in_view and not is_template(in_view) else ())

    def pin(self) -> None:
        """Pin the chosen chats; unpin them if all are pinned already."""
        chats = self._chats_with(self.chosen())
        self._file(FileChats(self._ids(chats), pinned=not all(chat.filed.pinned for chat in chats)))

    def archive(self) -> None:
        """Archive the chosen chats; bring them back if all are archived already."""
        chats = self._chats_with(self.chosen())
        away = all(chat.filed.archived_utc is not None for chat in chats)
        self._file(FileChats(self._ids(chats), archived=not away))

    def allowed(self, name: CommandId) -> bool:
        in_view = self._session.chat_id
        if name == "workspace":
            return bool(self._workspace_id())
        if name in ("move-chat", "composer"):
            return bool(in_view) and not is_template(in_view)
        return bool(self.chosen())

    def _workspace_id(self) -> str:
        in_view, state = self._session.chat_id, self._session.state
        if is_template(in_view):
            return workspace_of_template(in_view)
        chat = self._session.chat
        filed = "" if chat is None else chat.chat.filed.workspace
        return filed if filed in state.workspaces else ""

    def _chats_with(self, ids: Sequence[str]) -> list[Chat]:
        wanted = frozenset(ids)
        return [chat for chat in self._session.state.chats if chat.id in wanted]

    def _ids(self, chats: Sequence[Chat]) -> tuple[str, ...]:
        return tuple(chat.id for chat in chats)

    def _file(self, wanted: FileChats) -> None:
        state = self._session.state
        self._session.do_step(file_chats(state.chats, wanted, self._session.chat_id, state))

    def _ask_for_workspace(self, chats: tuple[str, ...]) -> None:
        from workbench.ui.dialogs.placing import NewWorkspaceDialog

        names = [one.name for one in self._session.state.workspaces.values()]
        dialog = NewWorkspaceDialog(names, self._window)
        dialog.chosen.connect(lambda name, folder: self._create(name, folder, chats))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _create(self, name: str, folder: str, chats: tuple[str, ...]) -> None:
        key = self._session.given.new_id()
        begin = StartWorkspace(Workspace(key, name, folder), self._template_settings())
        move = (FileChats(chats, workspace=key),) if chats else ()
        self._session.bridge.send_all((begin, *move))
        self._window.left.chats.search.clear()  # else the new one is not in the list
        if not chats:
            self._session.open_chat(template_of(key))

    def _template_settings(self) -> ContextSettings:
        return self._session.given.new_chat_settings(bool(self._session.state.preferences.tools_enabled))

    def _tag(self, ids: tuple[str, ...]) -> None:
        from workbench.ui.dialogs.placing import TagsDialog

        chats = self._chats_with(ids)
        if not chats:
            self._session.tell(tr("A chat can have tags once something is written in it."))
            return
        known = {tag for chat in self._session.state.chats for tag in chat.filed.tags}
        dialog = TagsDialog(common_tags(chats), sorted(known), len(chats), self._window)
        dialog.chosen.connect(
            lambda tags: self._session.do_step(tag_chats(self._chats_with(ids), tags, self._session.chat_id))
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _drop(self, key: str) -> None:
        """Delete a workspace; if its page is open, show a chat instead, where the deletion can be undone."""
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
        title, send = tr("Export the workspace to"), self._session.send
        save_file(
            self._window, title, f"{name}.workbench.json", lambda path: send(ExportWorkspace(key, path))
        )

    def _bind(self, key: str, folder: str) -> None:
        place = self._session.state.workspaces.get(key)
        if place is None:
            return
        if folder:
            self._set_folder(key, folder)
            return
        title = tr("Folder of the workspace")
        choose_folder(self._window, title, lambda path: self._set_folder(key, path), place.folder)

    def _set_folder(self, key: str, folder: str) -> None:
        place = self._session.state.workspaces.get(key)
        if place is None:
            return
        if not os.path.isdir(folder):
            words = tr("No folder {folder} here. Nothing was changed. Choose another one.")
            self._session.tell(words.format(folder=shown(folder, 120)))
            return
        after = replace(place, folder=folder, offered="")
        self._session.do_step(save_workspace(place, after, tr("Change the folder")))

    def _refresh_reach(self) -> None:
        """Ask for the cache state of recently used chats, and of those in the workspace shown."""
        state, in_view = self._session.state, self._session.chat_id
        if state.chats is self._refreshed_for[0] and in_view == self._refreshed_for[1]:
            return  # drawn thirty times a second, and listed anew after every turn
        self._refreshed_for = (state.chats, in_view)
        now, place = self._session.given.utc_now(), self._workspace_id() if is_template(in_view) else None
        recent = [chat.id for chat in state.chats if _seconds_since(chat.used_utc, now) < RECENT_S]
        inside = [chat.id for chat in state.chats if place is not None and chat.filed.workspace == place]
        wanted = tuple(dict.fromkeys((*recent[:MOST_LOOKED_AT], *inside)))
        if wanted:
            self._session.send(LookAtReach(wanted))

    def _offer_undo(self, step: Step, _before: object) -> None:
        gone = any(
            isinstance(intent, DeleteWorkspace | DeletePrompt)
            or (
                isinstance(intent, FileChats)
                and (intent.archived is not None or intent.workspace is not None)
            )
            or (isinstance(intent, ReviseWorkspace) and step.title == tr("Remove a fact"))
            for intent in step.do
        )
        if gone:
            self._window.toast.say(
                "folder", step.title, tr("Undo"), lambda: self._session.undo.take_back(step)
            )


def _seconds_since(utc: str, now_utc: str) -> float:
    try:
        return (datetime.fromisoformat(now_utc) - datetime.fromisoformat(utc)).total_seconds()
    except (ValueError, TypeError):
        return float("inf")
