"""Presets: listed, held against the chat in view, and what is wanted of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from tests.fakes.sample_state import CHAT, sample_state
from tests.fakes.widgets import all_of
from workbench.domain.parameters import Parameters
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences, RenamePreset, SavePreset
from workbench.engine.state import WorkbenchState
from workbench.ui.parameters.presets import PresetsDialog
from workbench.ui.widgets.code_view import DiffText

OWN = sample_state().open[CHAT].chat.settings
TERSE = replace(OWN, system_prompt="Be brief.\nBe kind.", parameters=Parameters(temperature=0.2))


def with_presets(**changes: object) -> WorkbenchState:
    given: WorkbenchState = replace(sample_state(), presets={"mine": OWN, "terse": TERSE})
    return replace(given, **changes)  # type: ignore[arg-type]


@pytest.fixture
def dialog(qtbot) -> Iterator[PresetsDialog]:
    window = QWidget()
    qtbot.addWidget(window)
    made = PresetsDialog(None, window)
    state = with_presets()
    made.show_state(state, state.open[CHAT])
    yield made
    window.close()


def test_the_chosen_one_is_compared_setting_by_setting_and_instructions_line_by_line(dialog: PresetsDialog):
    assert dialog.heading.text() == "“mine” is as this chat is"
    assert not dialog.apply.isEnabled()
    dialog.choose("terse")
    assert dialog.heading.text() == "“terse” would change 2 settings of this chat"
    said = [one.text() for one in all_of(QLabel, dialog._area)]
    assert said == ["system_prompt", "parameters.temperature", "not set  →  0.2"]
    (diff,) = all_of(DiffText, dialog._area)
    assert [line.text for line in diff.lines()] == ["Be brief.", "Be kind."]


def test_it_is_applied_with_the_chat_s_own_tools(qtbot, dialog: PresetsDialog):
    dialog.choose("terse")
    with qtbot.waitSignal(dialog.apply_wished) as heard:
        dialog.apply.click()
    assert heard.args == [replace(TERSE, tools=OWN.tools, tool_guidelines=OWN.tool_guidelines), "terse"]


def test_it_is_saved_renamed_deleted_brought_back_and_made_the_first(qtbot, dialog: PresetsDialog):
    dialog.name.setText(" new  one ")
    assert dialog.save.text() == "Save"
    with qtbot.waitSignal(dialog.save_wished) as heard:
        dialog.name.returnPressed.emit()
    assert heard.args == ["new one", None]
    dialog.name.setText("terse")
    assert dialog.save.text() == "Replace"
    sent: list[object] = []
    dialog.wishes.intent.connect(sent.append)
    dialog.choose("terse")
    dialog.list.currentItem().setText("short")
    dialog.remove.click()
    assert dialog.undo.isVisibleTo(dialog)
    dialog.undo.click()
    dialog.first.click()
    assert sent == [
        RenamePreset("terse", "short"), SavePreset("terse", None), SavePreset("terse", TERSE),
        ChangePreferences(Preferences(persona="terse"), Preferences()),
    ]  # fmt: skip


def test_a_name_that_is_taken_is_not_shown_as_if_it_had_been_given(dialog: PresetsDialog):
    dialog.choose("terse")
    dialog.list.currentItem().setText("mine")
    assert dialog.list.currentItem().text() == "terse"


def test_where_there_are_none_it_says_how_one_is_made(dialog: PresetsDialog):
    state = with_presets(presets={})
    dialog.show_state(state, state.open[CHAT])
    assert dialog.heading.text() == "There are no presets yet"
    assert not any(part.isEnabled() for part in (dialog.apply, dialog.write, dialog.rename, dialog.remove))


def test_other_settings_than_the_chats_are_kept_under_a_name_that_is_offered(qtbot, dialog: PresetsDialog):
    other = replace(OWN, layout="append_only")
    dialog.show()
    dialog.keep(other, "Log")
    assert dialog.name.text() == "Log"
    with qtbot.waitSignal(dialog.save_wished) as heard:
        dialog.name.returnPressed.emit()
    assert heard.args == ["Log", other]
    dialog.keep(other, "Log")
    dialog.hide()
    dialog.name.setText("Mine")
    with qtbot.waitSignal(dialog.save_wished) as heard:
        dialog.name.returnPressed.emit()
    assert heard.args == ["Mine", None]


def test_where_a_variant_is_kept_it_is_not_said_to_be_the_chat(dialog: PresetsDialog):
    state = with_presets(presets={})
    dialog.show_state(state, state.open[CHAT])
    dialog.show()
    dialog.keep(replace(OWN, layout="append_only"), "Log")
    assert [one.text() for one in all_of(QLabel, dialog._area)] == [
        "Save keeps the settings of this variant under the name above, without its tools."
    ]
    dialog.hide()
    assert all_of(QLabel, dialog._area)[0].text().startswith("Type a name above to save this chat’s settings")
