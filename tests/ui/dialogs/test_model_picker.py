"""Choosing a model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tests.fakes.sample_envelope import MODEL
from tests.fakes.sample_state import sample_state
from workbench.engine.state import Readiness
from workbench.ui.dialogs.model_picker import ModelPicker
from workbench.ui.wishes import OpenSettings


@pytest.fixture
def picker(qtbot) -> Iterator[ModelPicker]:
    window = QWidget()
    qtbot.addWidget(window)
    made = ModelPicker(None, window)
    made.show_state(sample_state(), MODEL)
    yield made
    window.close()


def row(picker: ModelPicker, name: str):
    return next(row for row in picker._rows if row.listing.name == name)


def test_a_click_picks_a_model_that_can_be_used(qtbot, picker: ModelPicker):
    with qtbot.waitSignal(picker.picked) as heard:
        qtbot.mouseClick(row(picker, "ollama:llama3.2"), Qt.MouseButton.LeftButton)
    assert heard.args == ["ollama:llama3.2"]


def test_one_that_lacks_a_key_leads_to_the_settings(qtbot, picker: ModelPicker):
    with qtbot.waitSignal(picker.wishes.wish) as heard, qtbot.assertNotEmitted(picker.picked):
        row(picker, "anthropic:NAME").click()
    assert heard.args == [OpenSettings("models")]


def test_state_and_current_one_are_said_in_words(picker: ModelPicker):
    assert "ready" in row(picker, MODEL).accessibleName()
    assert "in use" in row(picker, MODEL).accessibleName()
    assert "add a key" in row(picker, "anthropic:NAME").accessibleName()


def test_a_name_that_is_not_listed_can_be_typed(qtbot, picker: ModelPicker):
    picker.field.setText("server:http://127.0.0.1:9/v1#m")
    with qtbot.waitSignal(picker.picked) as heard:
        picker.field.returnPressed.emit()
    assert heard.args == ["server:http://127.0.0.1:9/v1#m"]


def test_one_that_cannot_start_says_why(qtbot, picker: ModelPicker):
    from dataclasses import replace

    broken = replace(sample_state(), readiness={"builtin": Readiness(False, problem="The file is missing.")})
    picker.show_state(broken, MODEL)
    assert "The file is missing." in row(picker, "builtin").accessibleName()
