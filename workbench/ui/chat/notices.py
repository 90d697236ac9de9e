"""Notices above the transcript, each with a button that helps: sending is off, chats aren't saved, servers are down."""

from __future__ import annotations

from typing import Literal

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QPushButton

from workbench.domain.mcp_server import McpListing
from workbench.domain.settings.app_preferences import SettingsProblem
from workbench.engine.program_intents import ReadPreferences
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import SignIn, StartServer
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.tools.values import workspace_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card, LeadingIcon, Panel
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import Wishes


class Notice(Card):
    """A card with a title, some words and buttons; hidden while there is nothing to say."""

    def __init__(self, *buttons: QPushButton, tone: Literal["warn", "info"] = "warn") -> None:
        super().__init__(tone, "surface")
        self.leading = LeadingIcon(tone, tone, box=(12, 8, 16, 18))
        self.title = label("", "ui_label", wrap=True)
        self.words = label("", "small", "t2", wrap=True)
        across = columns(self, (38, 8, 8, 8), 8)
        said = rows(across, spacing=2)
        across.setStretchFactor(said, 1)
        fill(said, self.title, self.words)
        fill(across, *buttons)
        self.hide()

    def _show_text(self, title: str, words: str) -> None:
        set_text(self.title, title)
        set_text(self.words, words)
        self.words.setVisible(bool(words))
        self.setAccessibleName(f"{title} {words}".strip())
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleName()))


class SendingOffCard(Notice):
    """Says that sending is off because the settings file is invalid, until it is corrected and read again."""

    def __init__(self, wishes: Wishes) -> None:
        self.open = button(tr("Open file"), size="small")
        self.again = button(tr("Read again"), "ghost", size="small")
        super().__init__(self.open, self.again)
        self._problem: SettingsProblem | None = None
        self.again.setToolTip(tr("Read the corrected file; sending is on again if it’s in order."))
        self.open.clicked.connect(lambda: wishes.run("open-settings-file"))
        self.again.clicked.connect(lambda: wishes.send(ReadPreferences()))

    def show_problem(self, problem: SettingsProblem | None) -> None:
        if problem is self._problem:
            return
        self._problem = problem
        self.setVisible(problem is not None)
        if problem is None:
            return
        told = tr(
            "Reason: {what}. Nothing leaves this computer until you correct the file. It wasn’t changed."
        )
        self._show_text(off_words(problem), told.format(what=shown(problem.words, 300)))
        self.open.setToolTip(tip(problem.path))


class LookingCard(Notice):
    """Says that the chats are not saved, and offers to save them."""

    def __init__(self, wishes: Wishes) -> None:
        self.keep = button(tr("Keep these chats…"), size="small")
        super().__init__(self.keep, tone="info")
        self.keep.clicked.connect(lambda: wishes.run("keep-chats"))

    def show_looking(self, looking: bool, *, can_keep: bool = True) -> None:
        """Show or hide the card; with `can_keep` false (a demo) without the offer."""
        self.keep.setVisible(can_keep)
        self.setVisible(looking)
        if looking:
            title = tr("These chats are deleted when you close the window.")
            self._show_text(title, sample_words())


class TemporaryLine(Panel):
    """Says quietly that the chat is only in memory, and offers to keep it."""

    leading = LeadingIcon("clock", "t3", 14, (4, 0, 14, 0))

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self.words = ElidedLabel(tr("Temporary: gone when you close it or quit"), "small", "t2")
        self.words.setToolTip(tip(tr("Nothing of this chat is saved; only what it costs is counted.")))
        self.keep = button(tr("Keep this chat"), "link", size="small")
        self.keep.setToolTip(tr("Store it as it is, with its files."))
        self.keep.clicked.connect(lambda: wishes.run("keep-chat"))
        fill(columns(self, (24, 0, 0, 0), 8), (self.words, 1), self.keep)
        self.hide()


def sample_words() -> str:
    """What somebody sees who has opened the sample chat and knows nothing yet."""
    return tr(
        "On the right is the next request of a sample chat: every file and earlier turn, what’s "
        "cached, and what would be dropped first. Change it and watch the bar."
    )


def off_words(problem: SettingsProblem) -> str:
    """One line that sending is off, and where in the settings file the reason is."""
    if not problem.line:
        return tr("Sending is off: settings.toml can’t be used.")
    place = tr("Sending is off: correct settings.toml in line {line}, column {column}.")
    return place.format(line=problem.line, column=problem.column)


class ServersDownCard(Notice):
    """Shown while an MCP server whose tools the chat uses is down."""

    def __init__(self, wishes: Wishes) -> None:
        self.again = button(tr("Start again"), size="small")
        super().__init__(self.again)
        self._wishes, self._workspace = wishes, ""
        self._down: tuple[McpListing, ...] = ()
        self.again.clicked.connect(self._on_again)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        down = () if chat is None else servers_down(state, chat)
        self._workspace = "" if chat is None else chat.chat.filed.workspace
        if down == self._down:
            return
        self._down = down
        self.setVisible(bool(down))
        if not down:
            return
        sign_in = any(one.sign_in == "needed" for one in down)
        self.again.setText(tr("Sign in…") if sign_in else tr("Start again"))
        names = ", ".join(shown(one.server, 40) for one in down)
        one, several = (
            tr("{names} isn’t running. Its tools are left out of the next request."),
            tr("{names} aren’t running. Their tools are left out of the next request."),
        )
        problems = dict.fromkeys(one.problem for one in down if one.problem)
        self._show_text(
            (one if len(down) == 1 else several).format(names=names), shown(" ".join(problems), 300)
        )

    def _on_again(self) -> None:
        for one in self._down:
            if one.sign_in == "needed":
                self._wishes.send(SignIn(self._workspace, one.server))
            else:
                self._wishes.send(StartServer(self._workspace, one.server, again=True))


def servers_down(state: WorkbenchState, chat: ChatState) -> tuple[McpListing, ...]:
    """The failed servers among those whose tools the chat uses."""
    place = workspace_of(state, chat.chat)
    if place is None:
        return ()
    has = {tool.name for tool in chat.chat.settings.tools}
    found = (
        state.servers.get((place.id, server.name))
        for server in place.servers
        if server.enabled and any(tool.called in has for tool in server.approved)
    )
    return tuple(listing for listing in found if listing is not None and listing.state == "failed")
