"""Always, never, or when it fits: one step each, and its undo is what was decided before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.recalled_chat import CHAT, fact_id, recalled_state
from workbench.domain.turn import Tuning
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.steps import Step, Wanted, is_wanted, set_recall, toggle_always


def chat_with(tuning: Tuning) -> ChatState:
    chat = recalled_state().open[CHAT]
    return replace(chat, conversation=replace(chat.conversation, tuning=tuning))


def done(tuning: Tuning, step: Step, *, undo: bool = False) -> Tuning:
    for intent in step.undo if undo else step.do:
        assert isinstance(intent, TuneMessages)
        tuning = intent.of(tuning)
    return tuning


@pytest.mark.parametrize("before", ["always", "never", "as_found"])
@pytest.mark.parametrize("wanted", ["always", "never", "as_found"])
def test_a_decision_is_taken_back_to_the_one_before(before: Wanted, wanted: Wanted):
    key = fact_id(recalled_state().open[CHAT])
    first = set_recall(chat_with(Tuning()), (key,), before)
    tuning = Tuning(pinned=frozenset({"other"})) if first is None else done(Tuning(), first)
    step = set_recall(chat_with(tuning), (key,), wanted)
    if before == wanted:
        assert step is None
        return
    assert step is not None
    after = done(tuning, step)
    assert is_wanted(chat_with(after), key) == wanted
    assert done(after, step, undo=True) == tuning


def test_always_is_a_toggle():
    key = fact_id(recalled_state().open[CHAT])
    on = toggle_always(chat_with(Tuning()), (key,))
    assert on is not None
    off = toggle_always(chat_with(done(Tuning(), on)), (key,))
    assert off is not None
    assert done(done(Tuning(), on), off) == Tuning()
