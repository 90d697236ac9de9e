"""The settings pages of tools and privacy: what a model may do, what unlocks the chats, what is hidden on sending."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.secrets import KeyStatus, ProtectorKind, Secret
from workbench.domain.settings.app_preferences import Redaction
from workbench.domain.shown.sessions_view import WatchView
from workbench.domain.tool import ToolDefinition
from workbench.domain.web_search import SearchTool, search_place
from workbench.engine.program_intents import KeepProviderKey, TidyAnswer, TidyWatched
from workbench.engine.state import WorkbenchState
from workbench.ui import formatting
from workbench.ui.dialogs.settings_models import KeyAction, origin_of
from workbench.ui.dialogs.settings_parts import Page, SettingRow, clear
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, CardRow
from workbench.ui.widgets.choice import Check, Choice, Field, NumberField
from workbench.ui.widgets.file_chooser import choose_folder
from workbench.ui.widgets.labels import set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import transparent
from workbench.ui.wishes import ChangeKeys, KeyChange

SEARCH_LINE = N_(
    "Asked when you search: a SearXNG server’s address, brave, tavily, or a tool as mcp:SERVER/TOOL. Empty: no search."
)
TOOLS = ("ls", "read", "grep", "write", "edit", "mv", "rm", "touch")


class ToolsPage(Page):
    """Which tools new chats have and where; tools that change a file always ask first."""

    def __init__(self) -> None:
        super().__init__(
            tr("Tools and approval"),
            tr("What a model may do in one folder. Every change needs your approval."),
        )
        self.checks = {name: Check() for name in TOOLS}
        self.workspace = Field(tr("Folder of the start"))
        self.rounds = NumberField(1, 100)
        choose = on_click(
            button(tr("Choose…")), lambda: choose_folder(self, tr("Workspace"), self._set_workspace)
        )
        place = QWidget()
        row = columns(place, spacing=8)
        self.workspace.setMinimumWidth(180)
        fill(row, self.workspace, choose)
        self.add_card(
            SettingRow(
                tr("Workspace"),
                tr(
                    "Built-in tools read and change nothing outside it. Empty: where the program was started."
                ),
                place,
            ),
            SettingRow(tr("Calls in one turn"), tr("Then it has to answer."), self.rounds),
        )
        self.search = Field(tr("http://127.0.0.1:8888, brave or tavily"))
        self.search.setMinimumWidth(260)
        self._search_key = transparent()
        self._search_key_column = rows(self._search_key)
        self.search_row = SettingRow(tr("Web search"), tr(SEARCH_LINE), self.search)
        self.add_heading(tr("Web"))
        self.add_card(self.search_row, self._search_key)
        self.search.editingFinished.connect(self._save_search)
        self._search_shown: object = None
        self.embeddings = Field(tr("ollama:NAME or server:URL#NAME"))
        self.embeddings.setMinimumWidth(260)
        self.add_heading(tr("Followed folders"))
        words = tr(
            "Your own model, which also ranks by meaning; sections and what you type go there. Empty: words only."
        )
        self.add_card(SettingRow(tr("Embeddings"), words, self.embeddings))
        self.add_heading(tr("Tools for new chats"))
        self.add_card(*(SettingRow(name, _tool_words(name), check) for name, check in self.checks.items()))
        self.end()
        for check in self.checks.values():
            check.toggled.connect(self._save_tools)
        self.workspace.editingFinished.connect(lambda: self._save(workspace=self.workspace.text().strip()))
        self.rounds.valueChanged.connect(lambda value: self._save(max_tool_rounds=value))
        self.embeddings.editingFinished.connect(lambda: self._save(embeddings=self.embeddings.text().strip()))

    def show_state(self, state: WorkbenchState) -> None:
        self._preferences = state.preferences
        for name, check in self.checks.items():
            with QSignalBlocker(check):
                check.setChecked(name in state.preferences.tools_enabled)
        for field, text in (
            (self.workspace, state.preferences.workspace),
            (self.embeddings, state.preferences.embeddings),
        ):
            if not field.hasFocus():
                field.setText(text)
        with QSignalBlocker(self.rounds):
            self.rounds.setValue(state.preferences.max_tool_rounds)

        self._show_search(state)

    def _show_search(self, state: WorkbenchState) -> None:
        """Who searches the web, and the key that is kept for them."""
        text = state.preferences.search
        if not self.search.hasFocus():
            self.search.setText(text)
        try:
            place, line = search_place(text), tr(SEARCH_LINE)
        except InvalidInput as problem:
            place, line = None, shown(str(problem), 200)
        set_text(self.search_row.line, line)
        if isinstance(place, SearchTool):
            place = None  # its server has its own keys
        known = place is not None and origin_of(place.url) in state.key_origins
        if (place, known) == self._search_shown:
            return
        self._search_shown = (place, known)
        clear(self._search_key_column)
        self._search_key.setVisible(place is not None)
        if place is not None:
            action = KeyAction(place.host, known)
            url = place.url
            action.typed.connect(lambda key: self.wishes.send(KeepProviderKey(url, Secret.of_text(key))))
            action.removed.connect(lambda: self.wishes.send(KeepProviderKey(url, None)))
            badge = Badge("ok", "key", tr("key saved")) if known else Badge("neutral", "key", tr("no key"))
            self._search_key_column.addWidget(
                CardRow("globe", place.host, shown(place.url, 120), badge, action)
            )

    def _save_search(self) -> None:
        self._save(search=self.search.text().strip())

    def _save_tools(self) -> None:
        self._save(tools_enabled=tuple(name for name, check in self.checks.items() if check.isChecked()))

    def _set_workspace(self, path: str) -> None:
        self.workspace.setText(path)
        self._save(workspace=path)


class PrivacyPage(Page):
    """What unlocks the chats, where they are stored, and what is hidden before something is sent."""

    def __init__(self, place: str) -> None:
        super().__init__(
            tr("Privacy and storage"),
            tr("Everything is encrypted on this computer and sent only to the model you choose."),
        )
        self.add_heading(tr("Ways to unlock"))
        self._protectors = transparent()
        self._protectors_column = rows(self._protectors)
        self.column.addWidget(self._protectors)
        self.lock_after = NumberField(0, 1440)
        self.add_card(
            SettingRow(
                tr("Lock after inactivity, in minutes"),
                tr("0 means never; Ctrl+Shift+L locks now. Needs a passphrase."),
                self.lock_after,
            )
        )
        self.add_heading(tr("Secrets in what you send"))
        words = {"off": tr("leave them"), "warn": tr("mark them"), "replace": tr("replace them")}
        self.redaction = Choice(tuple((name, words[name]) for name in get_args(Redaction)))
        self.add_card(
            SettingRow(
                tr("Keys and passwords in text"), tr("Your own keys are always replaced."), self.redaction
            )
        )
        self.check_facts = Check()
        self.add_heading(tr("Answers"))
        self.add_card(
            SettingRow(
                tr("Check the facts of answers"),
                tr("Looks for numbers, dates and names of an answer in its request, on this computer."),
                self.check_facts,
            )
        )
        self.check_facts.toggled.connect(lambda on: self._save(check_facts=on))
        self._connection_settings()
        self.add_heading(tr("Storage"))
        show = on_click(button(tr("Show folder")), lambda: self.wishes.run("open-data-folder"))
        actions = QWidget()
        row = columns(actions, spacing=8)
        out, into = button(tr("Export…")), button(tr("Import…"))
        out.clicked.connect(lambda: self.wishes.run("export"))
        into.clicked.connect(lambda: self.wishes.run("import"))
        fill(row, out, into)
        self.add_card(
            CardRow("folder", tr("Data folder"), shown(place, 120), None, show),
            CardRow("chat", tr("Chats"), tr("Export to files or import from them"), None, actions),
        )
        self._watch_settings()
        self.end()
        self.redaction.activated.connect(lambda _index: self._set_redaction(self.redaction.chosen()))
        self.lock_after.valueChanged.connect(lambda minutes: self._save(lock_after_minutes=minutes))

    def _watch_settings(self) -> None:
        self.add_heading(tr("Watched programs"))
        self.watch_days, self.watch_megabytes = NumberField(1, 3650), NumberField(1, 100_000)
        confirm = QWidget()
        fill(
            columns(confirm, spacing=8),
            self._tidy_button(tr("Move to bin"), "bin"),
            self._tidy_button(tr("Keep"), "keep"),
        )
        self.bin = SettingRow(
            tr("In the bin"),
            tr("Removed for good after 7 days."),
            self._tidy_button(tr("Put back"), "put_back"),
        )
        self.unsure = SettingRow(
            tr("Is the clock right?"), tr("Nothing is removed until you choose."), confirm
        )
        self.add_card(
            SettingRow(
                tr("Keep for, in days"),
                tr("Older conversations go to the bin and are removed 7 days later."),
                self.watch_days,
            ),
            SettingRow(
                tr("Room, in megabytes"),
                tr("Above it, the oldest conversations are removed at once."),
                self.watch_megabytes,
            ),
            self.bin,
            self.unsure,
        )
        self.watch_days.valueChanged.connect(lambda days: self._set_watch(days=days))
        self.watch_megabytes.valueChanged.connect(lambda room: self._set_watch(megabytes=room))

    def _connection_settings(self) -> None:
        self.add_heading(tr("Connections"))
        self.offline = Check()
        self.proxy = Field(tr("None; http://host:port, or system"))
        self.ca_file = Field(tr("Path of a file"))
        for field in (self.proxy, self.ca_file):
            field.setMinimumWidth(220)
        self.add_card(
            SettingRow(
                tr("Offline"),
                tr(
                    "Nothing leaves this computer. The built-in model and servers on it still answer; "
                    "programs of tool servers don’t start, because what they do can’t be seen."
                ),
                self.offline,
            ),
            SettingRow(
                tr("Proxy"),
                tr("“system” uses HTTPS_PROXY and NO_PROXY. This computer is always reached directly."),
                self.proxy,
            ),
            SettingRow(
                tr("Certificates of your own"), tr("Trusted in addition to the usual ones."), self.ca_file
            ),
            SettingRow(
                tr("Connections of this run"),
                tr("Servers this program has connected to since it started."),
                on_click(button(tr("Show…")), lambda: self.wishes.run("connections")),
            ),
        )
        self.offline.toggled.connect(lambda on: self._save(offline=on))
        self.proxy.editingFinished.connect(lambda: self._save(proxy=self.proxy.text().strip()))
        self.ca_file.editingFinished.connect(lambda: self._save(ca_file=self.ca_file.text().strip()))

    def show_state(self, state: WorkbenchState) -> None:
        self._preferences = state.preferences
        with QSignalBlocker(self.offline):
            self.offline.setChecked(state.preferences.offline)
        for field, text in ((self.proxy, state.preferences.proxy), (self.ca_file, state.preferences.ca_file)):
            if not field.hasFocus():
                field.setText(text)
        self.redaction.choose(state.preferences.redaction)
        with QSignalBlocker(self.check_facts):
            self.check_facts.setChecked(state.preferences.check_facts)
        watch = state.preferences.watch
        for number, value in ((self.watch_days, watch.days), (self.watch_megabytes, watch.megabytes)):
            with QSignalBlocker(number):
                number.setValue(value)
        with QSignalBlocker(self.lock_after):
            self.lock_after.setValue(state.preferences.lock_after_minutes)
        self._show_bin(state.watch, watch.days)

    def _show_bin(self, watch: WatchView, days: int) -> None:
        self.bin.setVisible(bool(watch.binned))
        self.unsure.setVisible(bool(watch.waiting))
        one, several = (
            tr("1 conversation, removed for good after 7 days."),
            tr("{n} conversations, removed for good after 7 days."),
        )
        set_text(self.bin.line, _counted_words(one, several, watch.binned))
        one, several = (
            tr("By it, 1 conversation is older than {days} days. Nothing is removed until you choose."),
            tr("By it, {n} conversations are older than {days} days. Nothing is removed until you choose."),
        )
        words = _counted_words(one, several, watch.waiting)
        set_text(self.unsure.line, words.format(days=formatting.tokens(days)))

    def _tidy_button(self, words: str, answer: TidyAnswer) -> QPushButton:
        return on_click(button(words), lambda: self.wishes.send(TidyWatched(answer)))

    def show_keys(self, status: KeyStatus) -> None:
        since = {one.kind: one.created[:10] for one in status.protectors}
        clear(self._protectors_column)
        card = Card()
        for kind, title, icon in (
            ("keyring", tr("System keyring"), "key"),
            ("passphrase", tr("Passphrase"), "lock"),
            ("recovery", tr("Recovery code"), "file"),
        ):
            card.add_row(self._protector_row(kind, (title, icon), since.get(_protector_kind(kind), "")))
        self._protectors_column.addWidget(card)

    def _protector_row(self, kind: str, look: tuple[str, str], since: str) -> CardRow:
        title, icon = look
        badge = Badge("ok", "check", tr("on")) if since else Badge("neutral", "x", tr("off"))
        meant: dict[str, tuple[str, KeyChange]] = {
            "keyring": (
                tr("Turn off") if since else tr("Turn on"),
                "keyring-off" if since else "keyring-on",
            ),
            "passphrase": (tr("Change…") if since else tr("Set one…"), "passphrase"),
            "recovery": (tr("Make a new one…"), "recovery"),
        }
        words, change = meant[kind]
        action = on_click(button(words), lambda: self.wishes.run(ChangeKeys(change)))
        line = tr("since {day}").format(day=since) if since else ""
        return CardRow(icon, title, line, badge, action)

    def _set_watch(self, **changed: Any) -> None:
        self._save(watch=replace(self._preferences.watch, **changed))

    def _set_redaction(self, chosen: str) -> None:
        if chosen in get_args(Redaction):
            self._save(redaction=chosen)


def _counted_words(one: str, several: str, number: int) -> str:
    return one if number == 1 else several.replace("{n}", formatting.tokens(number))


def _protector_kind(name: str) -> ProtectorKind:
    return next(kind for kind in get_args(ProtectorKind) if kind == name)


def tool_line(tool: ToolDefinition) -> str:
    """What a tool does in a few words; its own description if the program has none."""
    return _tool_words(tool.name) if tool.name in TOOLS else shown(tool.description, 60)


def _tool_words(tool: str) -> str:
    return {
        "ls": tr("lists a folder"),
        "read": tr("reads a file"),
        "grep": tr("searches in files"),
        "write": tr("writes a file; asks first"),
        "edit": tr("changes a passage; asks first"),
        "mv": tr("moves or renames; asks first"),
        "rm": tr("removes, to be undone; asks first"),
        "touch": tr("makes an empty file; asks first"),
    }[tool]
