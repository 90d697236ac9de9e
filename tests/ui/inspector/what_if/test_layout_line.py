"""The layout in one sentence, and Rebuild now."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from tests.fakes.turns import user
from tests.fakes.widgets import point_at
from workbench.domain.envelope import RebuildReason
from workbench.domain.model import CacheSeen, ModelLearnt
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneLog
from workbench.ui.inspector.what_if.outcome_words import SentenceText
from workbench.ui.inspector.what_if.panel import LayoutLine, Sentence, layout_words
from workbench.ui.wishes import Wishes


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
