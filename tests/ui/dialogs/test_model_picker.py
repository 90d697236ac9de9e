"""Choosing a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.sample_envelope import MODEL
from tests.fakes.sample_state import sample_state
from workbench.domain.model import ModelLearnt, ModelListing
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences
from workbench.engine.state import Readiness
from workbench.ui.dialogs.model_picker import ModelPicker, ModelRow, meaning
from workbench.ui.wishes import DeclareModel, OpenSettings

SERVED = Preferences(servers={"lab": "http://127.0.0.1:8080/v1"})


@pytest.fixture
def picker(qtbot) -> Iterator[ModelPicker]:
    window = QWidget()
    qtbot.addWidget(window)
    made = ModelPicker(None, window)
    made.show_state(sample_state(), MODEL)
    yield made
    window.close()


def row(picker: ModelPicker, name: str) -> ModelRow:
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
    assert "press to add it" in row(picker, "anthropic:NAME").accessibleName()


def test_a_name_that_is_not_listed_can_be_typed(qtbot, picker: ModelPicker):
    picker.field.setText("server:http://127.0.0.1:9/v1#m")
    with qtbot.waitSignal(picker.picked) as heard:
        picker.field.returnPressed.emit()
    assert heard.args == ["server:http://127.0.0.1:9/v1#m"]


def test_one_that_cannot_start_says_why(qtbot, picker: ModelPicker):
    broken = replace(sample_state(), readiness={"builtin": Readiness(False, problem="The file is missing.")})
    picker.show_state(broken, MODEL)
    assert "The file is missing." in row(picker, "builtin").accessibleName()


LISTED = (
    ModelListing("builtin", WORD_MODEL, True),
    ModelListing("lab:qwen3", WORD_MODEL, True),
    ModelListing("lab:qwen3-coder", WORD_MODEL, True),
    ModelListing("openai:NAME", None, True),
    ModelListing("anthropic:NAME", None, False, "needs a key"),
)


@pytest.mark.parametrize(
    ("typed", "taken"),
    [
        ("lab:qwen3", ("lab:qwen3",)), ("LAB:QWEN3", ("lab:qwen3",)), ("qwen3", ("lab:qwen3",)),
        ("lab:unheard-of", ("lab:unheard-of",)), ("openai:gpt-99", ("openai:gpt-99",)),
        ("server:http://127.0.0.1:9/v1#m", ("server:http://127.0.0.1:9/v1#m",)), ("builtin", ("builtin",)),
        ("coder", ("lab:qwen3-coder",)), ("unheard-of", ("lab:unheard-of", "openai:unheard-of")), ("", ()),
        ("elsewhere:m", ()), ("lab:", ()),
    ],
)  # fmt: skip
def test_enter_takes_what_was_typed(typed: str, taken: tuple[str, ...]):
    meant = meaning(typed, LISTED, ("lab",))
    assert meant.names == taken
    assert bool(meant.why_not or meant.names or not typed)


def test_a_name_that_is_not_listed_stands_on_top_and_enter_takes_it(qtbot, picker: ModelPicker):
    picker.show_state(replace(sample_state(), models=LISTED, preferences=SERVED), MODEL)
    picker.field.setText("lab:qwen3-next")
    (row,) = picker._typed_rows
    assert row.listing.name == "lab:qwen3-next"
    assert row.accessibleDescription() == "Enter takes it"
    with qtbot.waitSignal(picker.picked) as heard:
        picker.field.returnPressed.emit()
    assert heard.args == ["lab:qwen3-next"]


def test_a_place_that_nobody_knows_is_said_and_nothing_is_taken(qtbot, picker: ModelPicker):
    picker.field.setText("elsewhere:m")
    with qtbot.assertNotEmitted(picker.picked):
        picker.field.returnPressed.emit()
    assert "elsewhere" in picker.why_not.text()


def test_the_line_for_all_other_models_leads_into_the_field(qtbot, picker: ModelPicker):
    """It led to the settings, where there was nothing to do: a dead end."""
    picker.show_state(replace(sample_state(), models=LISTED, preferences=SERVED), MODEL)
    with qtbot.assertNotEmitted(picker.wishes.wish):
        row(picker, "openai:NAME").click()
    assert picker.field.text() == "openai:"


def test_an_assumed_window_is_called_so_and_can_be_set_from_here(qtbot, picker: ModelPicker):
    listed = (
        ModelListing("lab:m", replace(WORD_MODEL, context_window_tokens=32_768, window_assumed=True), True),
    )
    picker.show_state(replace(sample_state(), models=listed), "lab:m")
    assert "32,768 tokens assumed" in row(picker, "lab:m").accessibleName()
    with qtbot.waitSignal(picker.wishes.wish) as heard:
        picker.facts.click()
    assert heard.args == [DeclareModel("lab:m")]


def test_a_model_says_how_often_its_forecasts_came_true(picker: ModelPicker):
    state = replace(sample_state(), learnt={"ollama:llama3.2": ModelLearnt(32, 31), MODEL: ModelLearnt(0, 0)})
    picker.show_state(state, MODEL)
    assert "forecasts: 31 of 32 within 1 %" in row(picker, "ollama:llama3.2").accessibleName()
    assert "forecasts" not in row(picker, MODEL).accessibleName()


def test_favourites_and_those_asked_last_come_first_and_a_star_is_set_by_its_key(qtbot, picker: ModelPicker):
    liked = Preferences(
        favourite_models=("ollama:llama3.2", "gone"), recent_models=(MODEL, "ollama:llama3.2")
    )
    state = replace(sample_state(), preferences=liked)
    picker.show_state(state, MODEL)
    names = [row.listing.name for row in picker._rows]
    assert names[:2] == ["ollama:llama3.2", MODEL]
    assert len(names) == len(set(names))
    headings = [names for _, names in picker._headings]
    assert headings[:2] == [("ollama:llama3.2",), (MODEL,)]
    assert "favourite" in row(picker, "ollama:llama3.2").accessibleName()
    sent: list[object] = []
    picker.wishes.intent.connect(sent.append)
    qtbot.keyClick(row(picker, MODEL), Qt.Key.Key_S)
    star = row(picker, "ollama:llama3.2")
    with qtbot.assertNotEmitted(picker.picked):
        qtbot.mouseClick(star, Qt.MouseButton.LeftButton, pos=QPoint(star.width() - 8, 20))
    assert sent == [
        ChangePreferences(replace(liked, favourite_models=("ollama:llama3.2", "gone", MODEL)), liked),
        ChangePreferences(replace(liked, favourite_models=("gone",)), liked),
    ]
    qtbot.keyClick(star, Qt.Key.Key_S, Qt.KeyboardModifier.NoModifier)
    assert sent[-1] == sent[1]
