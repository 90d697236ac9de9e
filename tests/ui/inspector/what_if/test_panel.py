"""The what-if panel: tried out, shown, applied; the layout in one sentence, and Rebuild now."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, SETTINGS, sample_state, sample_trial
from tests.fakes.turns import user
from tests.fakes.widgets import point_at
from workbench.domain.envelope import RebuildReason
from workbench.domain.model import CacheSeen, ModelLearnt
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.variant import Variant
from workbench.engine.intents import ChangeSettings, TrySettings
from workbench.engine.state import ChatState, Trial
from workbench.engine.tuning_intents import TuneLog
from workbench.ui.inspector.what_if.controls import WhatIfChoice, WhatIfSlider
from workbench.ui.inspector.what_if.outcome_words import SentenceText
from workbench.ui.inspector.what_if.panel import LayoutLine, Sentence, WhatIfPanel, layout_words
from workbench.ui.steps import Step
from workbench.ui.wishes import CompareRequest, Wishes

STATE = sample_state()
CHAT_STATE = STATE.open[CHAT]
KEEP = "history.keep_last_n_assistant"
KEEP_2 = replace(SETTINGS, history=replace(SETTINGS.history, keep_last_n_assistant=2))


class Panel:
    """A panel, and what it told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.panel = WhatIfPanel()
        qtbot.addWidget(self.panel)
        self.tried: list[ContextSettings | None] = []
        self.steps: list[Step] = []
        self.panel.wishes.intent.connect(self._intent)
        self.panel.wishes.step.connect(self.steps.append)
        self.panel.show_chat(STATE, CHAT_STATE)
        self.panel.resize(720, 80)
        self.panel.show()

    def _intent(self, intent: object) -> None:
        assert isinstance(intent, TrySettings)
        assert intent.chat == CHAT
        self.tried.append(intent.settings)

    def move(self, value: int) -> None:
        self.panel.controls[KEEP].changed.emit(KEEP, value)

    def echo(self, settings: ContextSettings | None, chat: ChatState = CHAT_STATE) -> None:
        """The engine shows what was tried."""
        trial = replace(sample_trial(), settings=settings) if settings is not None else None
        self.panel.show_chat(STATE, replace(chat, trial=trial))

    def shown(self) -> str:
        slider = self.panel.controls[KEEP]
        assert isinstance(slider, WhatIfSlider)
        return slider.value.text()


@pytest.fixture
def panel(qtbot: QtBot) -> Panel:
    return Panel(qtbot)


def test_at_rest_nothing_can_be_applied(panel: Panel):
    assert not panel.panel.apply.isEnabled()
    assert panel.panel.apply.kind == "secondary"
    assert panel.panel.sentence.words.text().startswith("Move a control")
    assert panel.panel.summary() == "nothing changed"


def test_moving_a_control_tries_the_settings_out(panel: Panel):
    panel.move(2)
    assert panel.tried == [KEEP_2]
    assert panel.shown() == "10 → 2"
    assert panel.panel.apply.kind == "primary"
    assert panel.panel.summary() == "Keep last turns 10 → 2"


def test_the_result_is_a_sentence(panel: Panel):
    panel.move(2)
    panel.echo(KEEP_2)
    assert panel.panel.sentence.words.text().startswith("Applying drops turns 1–6 and re-reads 2,370")


def test_a_late_echo_does_not_move_the_control_back(panel: Panel):
    """While a slider is dragged, answers to earlier positions still arrive; the latest wish wins."""
    panel.move(5)
    panel.move(2)
    panel.echo(replace(SETTINGS, history=replace(SETTINGS.history, keep_last_n_assistant=5)))
    assert panel.shown() == "10 → 2"
    panel.echo(KEEP_2)
    assert panel.shown() == "10 → 2"


def test_what_others_try_out_is_followed(panel: Panel):
    panel.echo(KEEP_2)
    assert panel.shown() == "10 → 2"
    panel.echo(None)
    assert panel.shown() == "10"
    assert panel.tried == []


def test_instructions_that_are_being_written_are_not_its_own_to_apply(panel: Panel):
    """Their ghost is a trial, too: Apply would have saved a half written text."""
    written = replace(SETTINGS, persona=replace(SETTINGS.persona, user="In this ch"))
    panel.echo(written)
    assert panel.panel.wanted() is None
    assert not panel.panel.apply.isEnabled()
    panel.echo(SETTINGS)
    assert panel.panel.wanted() is None, "a trial of the workspace alone"


def test_back_at_the_start_nothing_is_tried_out(panel: Panel):
    panel.move(2)
    panel.move(10)
    assert panel.tried == [KEEP_2, None]
    assert not panel.panel.apply.isEnabled()


def test_apply_is_one_step_and_ends_the_trial(panel: Panel):
    panel.move(2)
    panel.echo(KEEP_2)
    QTest.mouseClick(panel.panel.apply, Qt.MouseButton.LeftButton)
    assert panel.steps == [
        Step(
            CHAT,
            "Keep last turns 10 → 2",
            (ChangeSettings(CHAT, KEEP_2, SETTINGS),),
            (ChangeSettings(CHAT, SETTINGS, KEEP_2),),
        )
    ]
    assert panel.tried == [KEEP_2, None]


def test_reset_ends_the_trial_without_a_step(panel: Panel):
    panel.move(2)
    QTest.mouseClick(panel.panel.reset, Qt.MouseButton.LeftButton)
    assert panel.tried == [KEEP_2, None]
    assert panel.steps == []


def test_two_changes_are_one_step(panel: Panel):
    panel.move(2)
    panel.panel.controls["history.threshold"].changed.emit("history.threshold", None)
    assert panel.panel.summary() == "Trim at 80 % → off; Keep last turns 10 → 2"
    QTest.mouseClick(panel.panel.apply, Qt.MouseButton.LeftButton)
    assert len(panel.steps) == 1


def test_settings_that_change_underneath_end_the_trial(panel: Panel):
    """It was built on the old ones: applying it would silently take the change back."""
    panel.move(2)
    panel.echo(KEEP_2)
    other = replace(CHAT_STATE, chat=replace(CHAT_STATE.chat, settings=replace(SETTINGS, freshness="freeze")))
    panel.echo(KEEP_2, other)
    assert panel.tried == [KEEP_2, None]
    assert panel.shown() == "10"


def test_another_chat_has_its_own_trial(panel: Panel):
    panel.move(2)
    other = replace(CHAT_STATE, chat=replace(CHAT_STATE.chat, id="c2"))
    panel.panel.show_chat(STATE, other)
    assert panel.shown() == "10"
    panel.echo(KEEP_2)
    assert panel.shown() == "10 → 2"


def test_freshness_is_tried_out_too(panel: Panel):
    panel.panel.controls["freshness"].changed.emit("freshness", "freeze")
    assert panel.tried == [replace(SETTINGS, freshness="freeze")]
    assert panel.panel.summary() == "Changed files: keep the copy"


def test_a_layout_is_tried_out_too(panel: Panel):
    """The control was there, and had one option."""
    choice = panel.panel.controls["layout"]
    assert isinstance(choice, WhatIfChoice)
    assert [one.text() for one in choice.open_menu().actions()] == ["Layered", "Append-only", "Automatic"]
    choice.changed.emit("layout", "append_only")
    assert panel.tried == [replace(SETTINGS, layout="append_only")]
    assert panel.panel.summary() == "Layout: Append-only"


def test_the_rarer_controls_are_behind_more(panel: Panel):
    assert not panel.panel.controls["reserved_output_tokens"].isVisible()
    panel.panel.show_more(True)
    assert panel.panel.controls["reserved_output_tokens"].isVisible()
    assert panel.panel.controls["freshness"].isVisible()


def test_in_a_narrow_panel_the_buttons_stand_below(panel: Panel):
    beside = panel.panel.apply.mapTo(panel.panel, panel.panel.apply.rect().center()).y()
    panel.panel.resize(540, 100)
    panel.panel.layout().activate()
    below = panel.panel.apply.mapTo(panel.panel, panel.panel.apply.rect().center()).y()
    assert below > beside


def test_without_a_chat_the_controls_rest(panel: Panel):
    panel.panel.show_chat(STATE, None)
    assert not panel.panel.isEnabled()
    panel.move(2)
    assert panel.tried == []


def test_a_keystroke_does_not_touch_the_panel(panel: Panel, qtbot: QtBot):
    with qtbot.assertNotEmitted(panel.panel.summarised):
        panel.panel.show_chat(STATE, replace(CHAT_STATE, draft="more"))


def test_a_trial_is_a_value():
    assert isinstance(sample_trial(), Trial)


def test_what_is_tried_is_kept_as_a_variant(panel: Panel):
    wished: list[object] = []
    panel.panel.wishes.wish.connect(wished.append)
    assert not panel.panel.compare.isVisible()
    panel.move(2)
    assert panel.panel.compare.isVisible()
    panel.panel.compare.click()
    (wish,) = wished
    assert isinstance(wish, CompareRequest)
    assert wish.variant == Variant("What if", {"history.keep_last_n_assistant": 2})
    assert wish.variant.apply_to_settings(SETTINGS) == KEEP_2


def chat(rebuilt: RebuildReason | None = None) -> ChatState:
    """A chat that is a log, with something said in it."""
    state = sample_state().open[CHAT]
    assert state.view is not None
    talk = replace(state.conversation, history=(user("m1"),))
    return replace(state, view=replace(state.view, layout="append_only", rebuilt=rebuilt), conversation=talk)


@pytest.fixture
def made(qtbot: QtBot) -> LayoutLine:
    line = LayoutLine(Wishes())
    qtbot.addWidget(line)
    line.resize(900, 24)
    line.show()
    return line


def test_every_layout_has_its_sentence(qapp: object):
    auto = layout_words("auto", "append_only", "gpt-5.1")
    assert auto == "Append-only: keeps gpt-5.1’s cache; rebuilt when due or free."
    assert "no prompt cache of gpt-5.1 is known" in layout_words("auto", "layered", "gpt-5.1")
    assert layout_words("append_only", "append_only", "x") != layout_words("layered", "layered", "x")


def test_a_server_that_serves_from_a_cache_is_not_said_to_have_none(made: LayoutLine):
    """Every answer reported cached tokens, and the line said that no prompt cache is known."""
    state = sample_state().open[CHAT]
    assert state.view is not None
    settings = replace(state.chat.settings, layout="auto", model="vllm:qwen")
    state = replace(
        state,
        chat=replace(state.chat, settings=settings),
        view=replace(state.view, layout="layered", rebuilt=None),
    )
    made.show_chat(state, ModelLearnt(seen=CacheSeen(1_024, 1_343, 512, 128)))
    assert made.words.text() == (
        "Layered: the cache rules of qwen aren’t known. Forecasts go by what was observed: 1,024 of 1,343 tokens "
        "served last time, in steps of 128, never fewer than 512."
    )
    made.show_chat(state, ModelLearnt(seen=CacheSeen(700, 1_343, 700)))
    assert made.words.text().endswith("700 of 1,343 tokens served last time, never fewer than 700.")
    made.show_chat(state, ModelLearnt())
    assert "no prompt cache" in made.words.text()


def test_a_log_can_be_begun_anew_for_a_price(made: LayoutLine, qtbot: QtBot):
    made.show_chat(chat())
    assert made.rebuild.isVisible()
    with qtbot.waitSignal(made._wishes.offered) as told:
        point_at(made.rebuild)
    assert told.args[0].step == (TuneLog(CHAT, rebuild=True),)
    with qtbot.waitSignal(made._wishes.step) as done:
        made.rebuild.click()
    assert done.args[0].do == told.args[0].step
    assert done.args[0].undo == (TuneLog(CHAT, rebuild=False),)


def test_it_says_why_a_request_is_begun_anew(made: LayoutLine):
    made.show_chat(chat(rebuilt="over_threshold"))
    assert made.words.text().startswith("Rebuilt: it passed its threshold. Append-only")
    assert not made.rebuild.isVisible(), "it is rebuilt anyway"


def test_what_is_no_log_cannot_be_rebuilt(made: LayoutLine):
    made.show_chat(sample_state().open[CHAT])
    assert not made.rebuild.isVisible()
    made.show_chat(None)
    assert not made.isVisible()


def test_a_sentence_is_said_in_its_tone(qtbot: QtBot):
    sentence = Sentence()
    qtbot.addWidget(sentence)
    sentence.show()
    sentence.say(SentenceText("It costs.", "warn", "warn"))
    assert sentence.words.text() == "It costs."
    assert sentence.words.property("token") == "warn"
    assert sentence.accessibleName() == "It costs."
    beside = sentence.words.x()
    sentence.say(SentenceText("Nothing.", "neutral", ""))
    assert sentence.words.property("token") == "t3"
    sentence.layout().activate()
    assert sentence.words.x() < beside


def test_a_long_sentence_wraps(qtbot: QtBot):
    sentence = Sentence()
    qtbot.addWidget(sentence)
    sentence.say(SentenceText("word " * 40, "neutral", ""))
    assert sentence.heightForWidth(200) > sentence.heightForWidth(2_000)
