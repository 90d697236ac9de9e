"""A variant is put together from what is moved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.compared import COMPARISON, compared
from tests.fakes.read_aloud import unspoken
from tests.fakes.turns import turn_inputs
from workbench.domain.variant import Variant
from workbench.ui.inspector.compare.page import VariantSheet
from workbench.ui.widgets.labels import tell_roles

STATE, CHAT = compared()
OWN = CHAT.chat.settings


@pytest.fixture
def sheet(qtbot) -> VariantSheet:
    tell_roles()  # before it is made: Qt asks what a widget is only once
    preset = replace(OWN, context_window=9_000, layout="append_only")
    made = VariantSheet(replace(STATE, presets={"Lean": preset}), CHAT, ("Mine",))
    qtbot.addWidget(made)
    made.show()
    return made


def test_as_it_opens_it_changes_nothing_and_cannot_be_compared(sheet: VariantSheet):
    assert sheet.variant().patch == ()
    assert not sheet.go.isEnabled()
    assert sheet.said.text() == "Change something to compare it."
    assert unspoken(sheet) == []
    assert sheet.words.placeholderText() == ""  # its label says what it is
    assert [row.sent.text() for row in sheet.files][:1] == [sheet.files[0].key]


def test_everything_that_is_moved_is_in_the_variant(sheet: VariantSheet, qtbot):
    sheet.name.setText("  Mine ")
    sheet.layout_choice.choose("append_only")
    sheet.layout_choice.activated.emit(1)
    sheet.sliders["history.threshold"].changed.emit("history.threshold", 55)
    sheet.words.setPlainText("Be brief.")
    first, second, *_ = sheet.files
    first.sent.setChecked(not first.sent.isChecked())
    second.priority.setValue(9)
    with qtbot.waitSignal(sheet.made) as heard:
        sheet.go.click()
    (made,) = heard.args
    assert made == Variant(
        "Mine 2",
        {"layout": "append_only", "persona.user": "Be brief.", "history.threshold": 0.55},
        {second.key: 9},
        {first.key: first.sent.isChecked()},
    )
    assert made.apply_to_settings(OWN).layout == "append_only"


def test_of_a_sent_request_only_what_it_could_hold_is_offered(qtbot):
    """What was attached later was offered, and could not be left out of it."""
    first = CHAT.conversation.attached[0]
    view = CHAT.view
    assert view is not None
    layers = tuple(
        replace(one, rows=tuple(row for row in one.rows if first.key in row.members)) for one in view.layers
    )
    made = VariantSheet(STATE, replace(CHAT, opened=replace(view, layers=layers)), ())
    qtbot.addWidget(made)
    assert [row.key for row in made.files] == [first.key]


def test_of_a_sent_request_the_controls_stand_as_it_was_sent(qtbot):
    """They stood as the chat is now: what it has now could not be tried with an earlier turn."""
    view, file = CHAT.view, CHAT.conversation.attached[0]
    assert view is not None
    old = replace(OWN, model="builtin", layout="append_only")
    asked = turn_inputs(old, attached=(replace(file, priority=3),))
    held = replace(COMPARISON, turn=view.turn, asked=asked)
    tuning = replace(CHAT.conversation.tuning, excluded=frozenset({file.key}))
    now = replace(CHAT, comparison=held, conversation=replace(CHAT.conversation, tuning=tuning))
    made = VariantSheet(STATE, replace(now, opened=view), ())
    qtbot.addWidget(made)
    assert (made.model.chosen(), made.layout_choice.chosen()) == ("builtin", "append_only")
    (row,) = made.files
    assert (row.sent.isChecked(), row.priority.value()) == (True, 3)
    assert made.variant().patch == ()
    row.sent.setChecked(False)
    made._take(replace(old, model=OWN.model))
    assert made.variant().patch == (("model", OWN.model), (f"attach.{file.key}", "out"))


def test_a_preset_is_a_variant(sheet: VariantSheet):
    sheet.preset.choose("Lean")
    sheet.preset.activated.emit(1)
    made = sheet.variant()
    assert made.name == "Lean"
    assert made.apply_to_settings(OWN) == replace(OWN, context_window=9_000, layout="append_only")
    sheet.preset.choose("")
    sheet.preset.activated.emit(0)
    assert sheet.variant().patch == ()


def test_without_a_name_it_is_called_by_what_it_changes(sheet: VariantSheet):
    sheet.layout_choice.choose("append_only")
    sheet.layout_choice.activated.emit(1)
    assert sheet.variant().name == "layout append-only"


def test_a_temperature_is_a_variant_and_can_be_taken_back(sheet: VariantSheet):
    sheet.temperature.choose("0.7")
    sheet.temperature.activated.emit(3)
    assert sheet.variant().settings == {"parameters.temperature": 0.7}
    assert sheet.said.text() == "temperature 0.7"
    sheet.temperature.choose("")
    sheet.temperature.activated.emit(0)
    assert sheet.variant().patch == ()
