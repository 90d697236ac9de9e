"""Tools and privacy."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_state
from tests.fakes.widgets import button_with
from workbench.domain.secrets import KeyStatus, ProtectorStatus, StoreIdentity
from workbench.domain.shown.sessions_view import WatchView
from workbench.engine.program_intents import TidyWatched
from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.settings_privacy import TOOLS, PrivacyPage, ToolsPage
from workbench.ui.wishes import ChangeKeys


def test_a_tool_is_allowed_by_its_name(qtbot):
    page = ToolsPage()
    qtbot.addWidget(page)
    page.show_state(sample_state())
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page.checks["grep"].setChecked(True)
    assert heard.args[0].preferences.tools_enabled == ("grep",)


def test_the_tools_are_the_programs(tmp_path):
    from workbench.tools.toolbox import WorkspaceTools

    assert sorted(TOOLS) == sorted(tool.definition.name for tool in WorkspaceTools(tmp_path).tools)


def test_every_way_in_can_be_changed(qtbot):
    page = PrivacyPage("/data")
    qtbot.addWidget(page)
    page.show_keys(
        KeyStatus(StoreIdentity("x", 1), "", "", (ProtectorStatus("keyring", "2026-01-01"),), False)
    )
    wishes: list[object] = []
    page.wishes.wish.connect(wishes.append)
    for words in ("Turn off", "Set one…", "Make a new one…"):
        button_with(words, page).click()
    assert wishes == [ChangeKeys("keyring-off"), ChangeKeys("passphrase"), ChangeKeys("recovery")]


def test_redaction_is_set(qtbot):
    page = PrivacyPage("/data")
    qtbot.addWidget(page)
    page.show_state(sample_state())
    page.redaction.choose("replace")
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page.redaction.activated.emit(0)
    assert heard.args[0].preferences.redaction == "replace"


def test_connections_are_set(qtbot):
    page = PrivacyPage("/data")
    qtbot.addWidget(page)
    page.show_state(sample_state())
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page.offline.setChecked(True)
    assert heard.args[0].preferences.offline
    for field, name in ((page.proxy, "proxy"), (page.ca_file, "ca_file")):
        field.setText(" system ")
        with qtbot.waitSignal(page.wishes.intent) as heard:
            field.editingFinished.emit()
        assert getattr(heard.args[0].preferences, name) == "system"


def test_connections_are_shown_as_they_are_set(qtbot):
    page = PrivacyPage("/data")
    qtbot.addWidget(page)
    state = sample_state()
    preferences = replace(state.preferences, offline=True, proxy="http://p:1", ca_file="/ca.pem")
    page.show_state(replace(state, preferences=preferences))
    assert (page.offline.isChecked(), page.proxy.text(), page.ca_file.text()) == (
        True,
        "http://p:1",
        "/ca.pem",
    )


def test_what_is_in_the_bin_is_said_and_can_be_put_back(qtbot: QtBot):
    page = PrivacyPage("/data")
    qtbot.addWidget(page)
    page.show_state(WorkbenchState())
    assert page.bin.isHidden()
    assert page.unsure.isHidden()
    page.show_state(WorkbenchState(watch=WatchView(binned=3, waiting=1)))
    assert [one.line.text() for one in (page.bin, page.unsure)] == [
        "3 conversations, removed for good after 7 days.",
        "By it, 1 conversation is older than 30 days. Nothing is removed until you choose.",
    ]
    answers: list[object] = []
    page.wishes.intent.connect(answers.append)
    for words in ("Put back", "Move to bin", "Keep"):
        button_with(words, page).click()
    assert answers == [TidyWatched("put_back"), TidyWatched("bin"), TidyWatched("keep")]
