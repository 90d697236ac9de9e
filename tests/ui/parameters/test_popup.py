"""What the sliders open: the parameters of the chat in view, its longest reply, and the way to presets and defaults."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QWidget

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.model import ModelListing
from workbench.domain.parameters import TAKES_ALL, ParameterRules, Parameters
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.intents import ChangeSettings
from workbench.ui.parameters.popup import ChatParameters, ParametersPopup, rules_of
from workbench.ui.widgets.choice import NumberField
from workbench.ui.wishes import OpenSettings


def test_what_is_wanted_is_one_change_of_the_settings_of_whichever_chat(qtbot):
    """The same part is for a chat that is not in view: it is given an id and settings, and knows no more."""
    parts = ChatParameters()
    qtbot.addWidget(parts)
    settings = ContextSettings(system_prompt="Be brief.", parameters=Parameters(seed=7))
    parts.show_settings("workspace:w", settings, TAKES_ALL)
    with qtbot.waitSignal(parts.wanted) as heard:
        parts.editor.changed.emit(Parameters(temperature=0.0))
    assert heard.args == [
        ChangeSettings("workspace:w", replace(settings, parameters=Parameters(temperature=0.0)), settings)
    ]
    reserve = parts.reserve.widget
    assert isinstance(reserve, NumberField)
    with qtbot.waitSignal(parts.wanted) as heard:
        reserve.setValue(900)
    assert heard.args[0].settings.reserved_output_tokens == 900


def test_what_a_model_takes_is_known_from_its_card():
    rules = ParameterRules((("seed", "it has none"),))
    listed = (ModelListing("m", replace(WORD_MODEL, parameters=rules), True),)
    state = replace(sample_state(), models=listed)
    assert rules_of(state, None, "m") == rules
    assert rules_of(state, None, "nobody knows it") == TAKES_ALL
    opened = state.open[CHAT]
    assert opened.view is not None
    own = opened.view.model
    assert rules_of(state, replace(opened, view=replace(opened.view, takes=rules)), own) == rules


def test_presets_and_the_defaults_of_new_chats_are_one_press_away(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    popup = ParametersPopup(None, window)
    state = sample_state()
    popup.show_state(state, state.open[CHAT])
    assert state.open[CHAT].chat.settings.model in popup.model.text()
    wished: list[object] = []
    popup.wishes.wish.connect(wished.append)
    popup.presets.click()
    popup.defaults.click()
    assert wished == ["presets", OpenSettings("context")]
