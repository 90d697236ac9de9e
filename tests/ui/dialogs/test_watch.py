"""The dialog of watching: off without an address, on with the lines to copy, and what is kept."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.shown.sessions_view import WatchView
from workbench.domain.watch.request import WatchLimits
from workbench.engine.program_intents import ChangePreferences, WatchPrograms
from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.watch import TERMINAL, WatchDialog
from workbench.ui.wishes import OpenGuide


def test_it_shows_what_to_set_once_it_is_on(qtbot: QtBot):
    dialog = WatchDialog()
    qtbot.addWidget(dialog)
    off = WorkbenchState(preferences=Preferences(watch=WatchLimits(7, 20)))
    dialog.show_state(off)
    assert dialog.state.text() == "Off. Switch it on to get an address."
    assert dialog.kept.text().endswith(
        "for 7 days, then in the bin for 7; up to 20 MB, the oldest are removed first."
    )
    assert all(chip.isHidden() for chip in dialog.lines)
    with qtbot.waitSignal(dialog.wishes.intent) as told:
        dialog.on.click()
    assert told.args == [WatchPrograms(True, "")]
    lines = (("ANTHROPIC_BASE_URL", "http://127.0.0.1:4040"), ("OPENAI_BASE_URL", "http://127.0.0.1:4040/v1"))
    dialog.show_state(replace(off, watch=WatchView("http://127.0.0.1:4040", lines)))
    assert dialog.on.isChecked()
    shown = [chip.text() for chip in dialog.lines if not chip.isHidden()]
    assert shown == ["ANTHROPIC_BASE_URL=http://127.0.0.1:4040", "OPENAI_BASE_URL=http://127.0.0.1:4040/v1"]
    assert dialog.terminal.text() == TERMINAL
    dialog.show_state(replace(off, watch=WatchView(problem="The port is in use.")))
    assert dialog.state.text() == "The port is in use."


def test_a_server_of_ones_own_is_kept_before_it_is_switched_on(qtbot: QtBot):
    """In the window only the vendors could be watched."""
    dialog = WatchDialog()
    qtbot.addWidget(dialog)
    state = WorkbenchState()
    dialog.show_state(state)
    sent: list[object] = []
    dialog.wishes.intent.connect(sent.append)
    dialog.to.setText("localhost:8080")
    dialog.on.click()
    before = state.preferences
    there = replace(before, watch=replace(before.watch, to="http://localhost:8080/v1"))
    assert sent == [ChangePreferences(there, before), WatchPrograms(True, "http://localhost:8080/v1")]
    dialog.show_state(replace(state, preferences=there, watch=WatchView("http://127.0.0.1:4040")))
    assert dialog.to.text() == "http://localhost:8080/v1"
    assert not dialog.to.isEnabled()


def test_it_leads_to_its_page_of_the_guide(qtbot: QtBot):
    dialog = WatchDialog()
    qtbot.addWidget(dialog)
    wanted: list[object] = []
    dialog.wishes.wish.connect(wanted.append)
    dialog._open_guide()
    assert wanted == [OpenGuide("watch")]
