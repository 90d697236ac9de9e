"""The dialog about watching other programs: what that is, the switch, and the variables that point a program here."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QWidget

from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.shown.sessions_view import WatchView
from workbench.engine.program_intents import ChangePreferences, WatchPrograms
from workbench.engine.state import WorkbenchState
from workbench.ui import formatting
from workbench.ui.chat.watched.head import CopyChip
from workbench.ui.dialogs.settings_models import full_address
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Field, Switch
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.guided import lead_to
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import tip
from workbench.ui.wishes import OpenGuide, Wishes

WIDTH, HEIGHT = 640, 500
TERMINAL = "workbench watch -- claude"
MOST_LINES = 5


class WatchDialog(Sheet):
    """What the user needs to know before the first watched request; later ones are in the list of chats."""

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Watch other programs"), WIDTH, HEIGHT, parent)
        self.wishes = wishes or Wishes(self)
        self.on = Switch(tr("Watch"))
        self.on.setToolTip(tip(tr("Listen on this computer and pass requests on to their servers.")))
        self.on.clicked.connect(self._switch)
        self.state = label("", "ui", wrap=True)
        self.to = Field(tr("The vendors’ own servers, or an address such as localhost:8080"))
        self.to.setAccessibleName(tr("Where requests go"))
        self.to.editingFinished.connect(self._keep_server)
        self._preferences = Preferences()
        self.lines = tuple(CopyChip() for _ in range(MOST_LINES))
        self.terminal = CopyChip()
        self.terminal.show_text(TERMINAL)
        self.kept = label("", "small", "t3", wrap=True)
        self._lines_head = label(tr("Set one of these where the program starts:"), "ui", "t2")
        self._build_layout()
        lead_to(self, "watch")

    def _build_layout(self) -> None:
        told = label(
            tr(
                "See what an agent, an editor or a script sends to its model: every layer, its tokens, why its "
                "cache broke, and what it costs. Requests pass through unchanged. Keys are passed on and never kept."
            ),
            "ui",
            wrap=True,
        )
        head = fill(columns(None, spacing=10), self.on, (self.state, 1))
        there = fill(columns(None, spacing=10), label(tr("Requests go to"), "ui", "t2"), (self.to, 1))
        chips = rows(None, spacing=6)
        for chip in self.lines:
            fill(columns(chips), chip, STRETCH)
        alone = fill(columns(None), self.terminal, STRETCH)
        terminal = label(tr("Or in a terminal, for one program and only while it runs:"), "ui", "t2")
        fill(
            self.body,
            told,
            8,
            head,
            there,
            4,
            self._lines_head,
            chips,
            4,
            terminal,
            alone,
            STRETCH,
            self.kept,
        )
        guide = on_click(button(tr("Guide"), "ghost", icon="help"), self._open_guide)
        sessions = on_click(
            button(tr("Sessions on this computer…")), lambda: self.wishes.run("watch-sessions")
        )
        sessions.setToolTip(tip(tr("List what Claude Code and Codex left on disk, and open one here.")))
        self.sessions = sessions
        fill(self.foot, guide, sessions, STRETCH, on_click(button(tr("Close"), "primary"), self.accept))

    def show_state(self, state: WorkbenchState) -> None:
        watch, limits = state.watch, state.preferences.watch
        self._preferences = state.preferences
        if not self.to.hasFocus():
            self.to.setText(limits.to)
        self.to.setEnabled(not watch.on)
        self.to.setToolTip(tip(tr("Switch off to change it.") if watch.on else ""))
        if self.on.isChecked() != watch.on:
            self.on.setChecked(watch.on)
        set_text(self.state, self._status_words(watch))
        self._lines_head.setVisible(watch.on)
        for number, chip in enumerate(self.lines):
            chip.setVisible(number < len(watch.lines))
            if number < len(watch.lines):
                chip.show_text("=".join(watch.lines[number]))
        words = tr(
            "Kept encrypted with your chats for {days} days, then in the bin for 7; up to {megabytes} MB, "
            "the oldest are removed first."
        )
        days, megabytes = (formatting.tokens(number) for number in (limits.days, limits.megabytes))
        set_text(self.kept, words.format(days=days, megabytes=megabytes))

    def _keep_server(self) -> None:
        before = self._preferences
        typed = self.to.text().strip()
        wanted = replace(before, watch=replace(before.watch, to=full_address(typed)))
        if wanted != before:
            self._preferences = wanted
            self.wishes.send(ChangePreferences(wanted, before))

    def _switch(self, on: bool) -> None:
        self._keep_server()
        self.wishes.send(WatchPrograms(on, self._preferences.watch.to))

    def _status_words(self, watch: WatchView) -> str:
        if watch.on:
            return tr("Watching at {address}").format(address=watch.address)
        return watch.problem or tr("Off. Switch it on to get an address.")

    def _open_guide(self) -> None:
        self.wishes.run(OpenGuide("watch"))
