"""Opens the dialogs about tools: those of the current chat, MCP servers, approval rules, and what a folder suggests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialog, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_json import MOST_CHARS, McpImport, read_servers
from workbench.domain.mcp_server import McpServer, tool_state
from workbench.domain.settings.context_settings import retooled
from workbench.domain.tool import ApprovalRule, ToolDefinition
from workbench.domain.workspace import RuleScope, Workspace, template_of
from workbench.engine.program_intents import ChangePreferences
from workbench.engine.state import ChatState
from workbench.engine.workspace_intents import (
    ApproveTools,
    AttachResource,
    FileChats,
    KeepServer,
    LookAtFolder,
    RemoveServer,
    ReviseWorkspace,
    SignIn,
    SignOut,
    StartServer,
    StopServer,
    WritePrompt,
)
from workbench.files.reading import user_file
from workbench.ui.offers import Offer
from workbench.ui.steps import Step, apply_settings, revise_workspace
from workbench.ui.tools.values import unbarred, workspace_of
from workbench.ui.translation import tr
from workbench.ui.widgets.file_chooser import choose_file, choose_folder
from workbench.ui.widgets.plain import shown
from workbench.ui.window.session import Session
from workbench.ui.wishes import LookAtOffer, ServerAct

if TYPE_CHECKING:  # loaded when they are opened: the first paint needs none of them
    from workbench.ui.tools.dialog import ToolsDialog
    from workbench.ui.tools.from_servers import FromServersDialog
    from workbench.ui.tools.server_form import ServerMade


class ChatTools(QObject):
    """Opens these dialogs over a session's window, and does what is chosen in them."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._window, self._wishes = session, session.window, session.window.wishes
        self._tools: ToolsDialog | None = None
        self._given: FromServersDialog | None = None
        self._inspected: tuple[str, str, str] = ("", "", "")
        session.rendered.connect(self._update)
        below = session.over
        session.over = lambda words: self._say(words) or below(words)

    def run(self, wish: LookAtOffer | ServerAct) -> None:
        if isinstance(wish, ServerAct):
            self.act(wish.act, wish.server)
        else:
            self.look_at_offer(wish.workspace)

    # The tools of the chat in view.

    def open(self, page: str = "") -> None:
        """Open the tools of the current chat; the page "rules" says what they may do without approval."""
        from workbench.ui.tools.dialog import ToolsDialog

        if self._tools is None:
            made = self._tools = ToolsDialog(self._wishes, self._window)
            made.chosen.connect(self.choose)
            made.offer = self._tools_offer
            made.acted.connect(self.act)
            made.ruled.connect(self._change_rules)
            made.folder_wished.connect(self._choose_folder)
            made.given_wished.connect(self.from_server)
        if self._session.chat is not None:
            self._tools.say("")
            self._tools.show_page(page)
            self._show_tools(self._session.chat)
            self._tools.open()

    def choose(self, tools: tuple[ToolDefinition, ...]) -> None:
        self._session.do_step(self._tools_step(tools))

    def _show_tools(self, chat: ChatState) -> None:
        if self._tools is not None:
            self._tools.show_state(self._session.state, chat, self._session.given.toolroom())

    def _tools_step(self, tools: tuple[ToolDefinition, ...]) -> Step | None:
        chat, fresh = self._session.chat, self._session.given.new_chat_settings
        if chat is None:
            return None
        bare = replace(fresh(False), tools=(), tool_guidelines="")
        wanted, other = (replace(fresh(True), tools=tools), bare) if tools else (bare, fresh(True))
        settings = retooled(chat.chat.settings, wanted, other)
        more = len(tools) >= len(chat.chat.settings.tools)
        title = tr("Tools on") if more else tr("Tools off")
        step, place = apply_settings(chat, settings, title), self._workspace()
        free = None if place is None else unbarred(place, tools)
        if place is None or free is None:
            return step
        do, undo = ((), ()) if step is None else (step.do, step.undo)
        free_it, bar_it = ReviseWorkspace(place, free), ReviseWorkspace(free, place)
        return Step(chat.chat.id, title, (free_it, *do), (*undo, bar_it))

    def _tools_offer(self, tools: tuple[ToolDefinition, ...]) -> Offer | None:
        step = self._tools_step(tools)
        line = tr("Tool definitions come first in the request.")
        return None if step is None else Offer(step.title, step.do, line, icon="tool")

    def _choose_folder(self) -> None:
        folder = self._session.given.toolroom().folder
        choose_folder(self._parent(), tr("Workspace folder"), self._set_folder, folder)

    def _set_folder(self, path: str) -> None:
        held = self._session.state.preferences
        self._session.send(ChangePreferences(replace(held, workspace=path), held))
        words = tr("Tools work in {folder} from now on, in every chat.")
        self._session.tell(words.format(folder=shown(path, 120)))

    # Rules.

    def _change_rules(self, rules: tuple[ApprovalRule, ...], place: RuleScope, what: str) -> None:
        chat, inside = self._session.chat, self._workspace()
        if chat is None:
            return
        key = chat.chat.id
        if place == "chat":
            before = FileChats((key,), rules=chat.chat.filed.rules)
            step = Step(key, what, (FileChats((key,), rules=rules),), (before,))
        else:
            kept = self._session.state.everywhere if place == "everywhere" else inside
            if kept is None:
                return
            changed = revise_workspace(key, kept, replace(kept, rules=rules), what)
            if changed is None:
                return
            step = changed
        self._session.do_step(step)
        if self._tools is not None:
            self._tools.say(tr("Done: {what}.").format(what=what.lower()), undo=True)

    # Servers.

    def act(self, act: str, server: str = "") -> None:
        place = self._workspace()
        known = None if place is None else next((one for one in place.servers if one.name == server), None)
        if place is None:
            self._session.tell(tr("MCP servers belong to a workspace. Move this chat to one first."))
        elif act in ("add", "edit"):
            self._edit(place, known if act == "edit" else None)
        elif act == "import":
            self._choose_servers()
        elif known is not None:
            self._act_on(place, known, act)

    def _act_on(self, place: Workspace, server: McpServer, act: str) -> None:
        match act:
            case "start" | "restart":
                self._session.send(StartServer(place.id, server.name, again=act == "restart"))
            case "stop":
                self._session.send(StopServer(place.id, server.name))
            case "sign-in":
                # What follows stands over the composer, which this dialog lies over.
                if self._tools is not None:
                    self._tools.reject()
                self._session.send(SignIn(place.id, server.name))
            case "sign-out":
                self._session.send(SignOut(place.id, server.name))
            case "allow":
                self._allow(place, server)
            case "look":
                self._review(place, server)
            case "remove":
                self._remove(place, server)

    def _edit(self, place: Workspace, server: McpServer | None) -> None:
        from workbench.ui.tools.server_form import ServerDialog

        taken = tuple(one.name for one in place.servers if server is None or one.name != server.name)
        dialog = ServerDialog(server, taken, self._parent())
        dialog.made.connect(lambda made: self._save_servers(place.id, (made,)))
        dialog.listed.connect(lambda found: self._review_servers(place, found))
        self._show(dialog)

    def _save_servers(self, workspace: str, servers: Sequence[ServerMade]) -> None:
        """Save servers, and start those that are enabled to list their tools."""
        keep = [KeepServer(workspace, made.server, made.secrets, made.before) for made in servers]
        start = [
            StartServer(workspace, made.server.name, again=bool(made.before))
            for made in servers
            if made.server.enabled
        ]
        # Together: what is not kept yet cannot be started.
        self._session.bridge.send_all((*keep, *start))

    def _allow(self, place: Workspace, server: McpServer) -> None:
        from workbench.ui.tools.review import StartDialog
        from workbench.ui.tools.server_form import ServerMade

        dialog = StartDialog(server, self._parent())
        used = ServerMade(replace(server, enabled=True), {}, server.name)
        dialog.allowed.connect(lambda: self._save_servers(place.id, (used,)))
        self._show(dialog)

    def _review(self, place: Workspace, server: McpServer) -> None:
        from workbench.ui.tools.review import ReviewDialog

        listing = self._session.state.servers.get((place.id, server.name))
        known = () if listing is None else listing.tools
        waiting = [tool for tool in known if tool_state(server, tool) != "approved"]
        by_name = {tool.name: tool for tool in waiting}

        def use(names: Sequence[str]) -> None:
            self._session.send(ApproveTools(place.id, server.name, tuple(by_name[name] for name in names)))
            chat = self._session.chat
            if chat is not None:
                held = {tool.name: tool for tool in chat.chat.settings.tools}
                held |= {by_name[name].called: by_name[name].definition for name in names}
                self._session.do_step(self._tools_step(tuple(held.values())))

        dialog = ReviewDialog(server, waiting, self._parent())
        dialog.allowed.connect(use)
        self._show(dialog)

    def _remove(self, place: Workspace, server: McpServer) -> None:
        title = tr("Remove the server {name}").format(name=shown(server.name, 40))
        back = KeepServer(place.id, server)
        step = Step(self._session.chat_id, title, (RemoveServer(place.id, server.name),), (back,))
        self._session.do_step(step)
        words = tr("{name} is removed. Undo brings it back, without the secrets that were typed for it.")
        if self._tools is not None:
            self._tools.say(words.format(name=shown(server.name, 40)), undo=True)

    def _choose_servers(self) -> None:
        kinds = [tr("JSON (*.json)"), tr("All files (*)")]
        choose_file(self._parent(), tr("Import MCP servers"), self.import_servers, kinds)

    def import_servers(self, path: str) -> None:
        """Read MCP servers from a file and show them for review; none starts before its command line is allowed."""
        place = self._workspace()
        if place is None:
            return
        try:
            with user_file(path) as opened:
                text = opened.read(4 * MOST_CHARS + 1).decode("utf-8")
            found = read_servers(text, [server.name for server in place.servers])
        except (OSError, UnicodeDecodeError) as problem:
            why = problem.strerror if isinstance(problem, OSError) else tr("it isn’t UTF-8 text")
            self._session.tell(tr("Couldn’t read the file: {why}. Nothing was changed.").format(why=why))
            return
        except InvalidInput as problem:
            words = tr("Couldn’t use the file: {why}. Nothing was changed.")
            self._session.tell(words.format(why=shown(str(problem), 300)))
            return
        self._review_servers(place, found)

    def _review_servers(self, place: Workspace, found: McpImport) -> None:
        from workbench.ui.tools.server_form import ServersDialog

        dialog = ServersDialog(found, self._parent())
        dialog.made.connect(lambda made: self._save_servers(place.id, made))
        self._show(dialog)

    # What servers give besides tools.

    def from_server(self) -> None:
        from workbench.ui.tools.from_servers import FromServersDialog

        place = self._workspace()
        if place is None or not place.servers:
            self._session.tell(tr("This chat has no servers: they belong to a workspace, under its tools."))
            return
        made = self._given = FromServersDialog(self._parent())
        made.attach_wished.connect(
            lambda server, uri, title: self._session.send(
                AttachResource(self._session.chat_id, server, uri, title)
            )
        )
        made.prompt_wished.connect(
            lambda server, name, given: self._session.send(
                WritePrompt(self._session.chat_id, server, name, given)
            )
        )
        for server in place.servers:
            if server.enabled:
                self._session.send(StartServer(place.id, server.name))
        self._show_given()
        self._show(made)

    def _show_given(self) -> None:
        from workbench.ui.tools.from_servers import given_by_servers

        chat, place = self._session.chat, self._workspace()
        if self._given is not None and chat is not None and place is not None:
            state = self._session.state
            listings = [state.servers.get((place.id, one.name)) for one in place.servers if one.enabled]
            starting = any(one is None or one.state == "starting" for one in listings)
            self._given.show_given(given_by_servers(state, chat), starting)

    # The folder.

    def look_at_offer(self, workspace: str) -> None:
        from workbench.ui.tools.offer import OfferDialog

        state = self._session.state
        place, (offer, _) = state.workspaces.get(workspace), state.offers.get(workspace, (None, ""))
        if place is None or offer is None:
            return
        template = state.open.get(template_of(workspace))
        dialog = OfferDialog(
            place, offer, None if template is None else template.chat.settings, self._parent()
        )
        dialog.answered.connect(self._session.send)
        self._show(dialog)

    def _inspect_folder(self) -> None:
        """Inspect a workspace's folder whenever one of its chats becomes the current one."""
        place = self._workspace()
        seen = ("", "", "") if place is None else (self._session.chat_id, place.id, place.folder)
        if seen != self._inspected:
            self._inspected = seen
            if place is not None and place.folder:
                self._session.send(LookAtFolder(place.id))

    # What is shared.

    def _workspace(self) -> Workspace | None:
        chat = self._session.chat
        return None if chat is None else workspace_of(self._session.state, chat.chat)

    def _parent(self) -> QWidget:
        return self._given or (self._tools if self._tools and self._tools.isVisible() else self._window)

    def _say(self, words: str) -> bool:
        for dialog in (self._given, self._tools):
            if dialog is not None and dialog.isVisible():
                dialog.say(words)
                return True
        return False

    def _show(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda _result: self._forget(dialog))
        dialog.open()

    def _forget(self, dialog: QDialog) -> None:
        if dialog is self._given:
            self._given = None

    def _update(self) -> None:
        chat = self._session.chat
        if chat is not None:
            self._inspect_folder()
        if self._tools is not None and self._tools.isVisible() and chat is not None:
            self._show_tools(chat)
        if self._given is not None:
            self._show_given()
