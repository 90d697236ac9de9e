"""Send this once with: what is chosen is tried out, and only that message is sent so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.parameters import Parameters
from workbench.engine.state import ChatState, Trial
from workbench.ui.parameters.once import OncePopup

STATE = replace(
    sample_state(), presets={"terse": replace(sample_state().open[CHAT].chat.settings, model="other")}
)
TALK = replace(STATE.open[CHAT], draft="Well?", running=None)


@pytest.fixture
def once(qtbot) -> Iterator[OncePopup]:
    window = QWidget()
    qtbot.addWidget(window)
    made = OncePopup(window)
    made.begin(STATE, TALK)
    yield made
    window.close()


def tried(once: OncePopup, over: int = 0) -> ChatState:
    assert TALK.view is not None
    view = replace(TALK.view, total_tokens=TALK.view.limit_tokens + over) if over else TALK.view
    return replace(TALK, trial=Trial(once.settings, view, lost_tokens=120))


def test_what_is_chosen_is_tried_out_and_sent(qtbot, once: OncePopup):
    heard: list[object] = []
    once.tried.connect(heard.append)
    once.editor.changed.emit(Parameters(temperature=0.0))
    assert not once.send.isEnabled()  # the request is being counted
    once.show_state(STATE, tried(once))
    assert "120 of them would have come from the cache" in once.figures.text()
    wanted = replace(TALK.chat.settings, parameters=Parameters(temperature=0.0))
    with qtbot.waitSignal(once.sent) as sent:
        once.send.click()
    assert sent.args == [wanted]
    assert heard[0] == wanted


def test_a_preset_brings_its_model(once: OncePopup):
    once.preset.setCurrentIndex(1)
    once.preset.activated.emit(1)
    assert (once.settings.model, once.model.chosen()) == ("other", "other")
    once.preset.setCurrentIndex(0)
    once.preset.activated.emit(0)
    assert once.settings == TALK.chat.settings


def test_what_cannot_be_sent_says_why(once: OncePopup):
    once.editor.changed.emit(Parameters(temperature=0.0))
    once.show_state(STATE, tried(once, over=5))
    assert "5 tokens over the limit of this model." in once.figures.text()
    assert not once.send.isEnabled()
    once.show_state(STATE, replace(tried(once), draft=" "))
    assert "Write a message first." in once.figures.text()
