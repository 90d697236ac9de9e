"""Saying what a model can do."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.sample_state import sample_state
from workbench.domain.model import ModelFacts
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences
from workbench.ui.dialogs.model_facts import NO, YES, Known, ModelFactsDialog, known_of


def made(qtbot, known: Known) -> ModelFactsDialog:
    dialog = ModelFactsDialog(known)
    qtbot.addWidget(dialog)
    return dialog


def test_what_is_set_is_kept_in_the_preferences_beside_what_was_there(qtbot):
    before = Preferences(models={"lab:other": ModelFacts(tools=False)}, model="lab:m")
    dialog = made(qtbot, Known("lab:m", before, 32_768, True))
    dialog.window_tokens.setValue(131_072)
    dialog.images.choose(NO)
    dialog.tools.choose(YES)
    with qtbot.waitSignal(dialog.wishes.intent) as heard:
        dialog.keep.click()
    facts = ModelFacts(131_072, images=False, tools=True)
    assert heard.args == [
        ChangePreferences(replace(before, models={**before.models, "lab:m": facts}), before)
    ]


def test_what_was_set_is_shown_and_can_be_forgotten(qtbot):
    before = Preferences(models={"lab:m": ModelFacts(5000, images=True)})
    dialog = made(qtbot, Known("lab:m", before, 5000))
    assert (dialog.window_tokens.value(), dialog.images.chosen(), dialog.tools.chosen()) == (5000, YES, "")
    assert not dialog.forget.isHidden()
    with qtbot.waitSignal(dialog.wishes.intent) as heard:
        dialog.forget.click()
    assert heard.args == [ChangePreferences(replace(before, models={}), before)]


def test_counting_while_typing_is_allowed_here(qtbot):
    before = Preferences(model="lab:m")
    dialog = made(qtbot, Known("lab:m", before, 8192))
    dialog.typing.choose(YES)
    with qtbot.waitSignal(dialog.wishes.intent) as heard:
        dialog.keep.click()
    kept = ModelFacts(count_while_typing=True)
    assert heard.args == [ChangePreferences(replace(before, models={"lab:m": kept}), before)]


def test_an_hour_in_the_cache_is_chosen_here(qtbot):
    dialog = made(qtbot, Known("anthropic:claude-opus-5", Preferences(), 8192))
    dialog.lifetime.choose("1h")
    with qtbot.waitSignal(dialog.wishes.intent) as heard:
        dialog.keep.click()
    kept = heard.args[0].preferences.models["anthropic:claude-opus-5"]
    assert kept == ModelFacts(cache_lifetime="1h")


def test_a_window_that_no_model_has_is_refused_in_words(qtbot):
    dialog = made(qtbot, Known("lab:m", Preferences()))
    dialog.window_tokens.setValue(12)
    with qtbot.assertNotEmitted(dialog.wishes.intent):
        dialog.keep.click()
    assert "at least 256 tokens" in dialog.problem.text()


def test_a_click_takes_all_of_a_window_that_is_a_default(qtbot):
    """Ollama's models are asked with 8,192 tokens; the largest window is the user's own choice."""
    known = Known("ollama:m", Preferences(), 8192, window_from="default", largest_tokens=131_072)
    dialog = made(qtbot, known)
    assert not dialog.most.isHidden()
    dialog.most.click()
    with qtbot.waitSignal(dialog.wishes.intent) as sent:
        dialog.keep.click()
    assert sent.args[0].preferences.models["ollama:m"].context_window == 131_072


def test_nothing_said_changes_nothing(qtbot):
    dialog = made(qtbot, Known("lab:m", Preferences(), 32_768, True))
    assert dialog.forget.isHidden()
    with qtbot.assertNotEmitted(dialog.wishes.intent):
        dialog.keep.click()


def test_the_window_of_the_next_request_is_the_one_that_is_talked_of():
    state = sample_state()
    ((key, chat),) = state.open.items()
    assert chat.view is not None
    unset = replace(chat.chat, settings=replace(chat.chat.settings, context_window=None))
    assumed = replace(chat, chat=unset, view=replace(chat.view, window_assumed=True))
    known = known_of(replace(state, open={key: assumed}), chat.chat.settings.model)
    assert known.window_tokens == chat.view.limit_tokens + chat.view.reserve_tokens
    assert known.assumed
    # Where the chat has a window of its own, that says nothing about the model.
    assert known_of(state, chat.chat.settings.model).window_tokens == 1_047_576
    assert known_of(state, "lab:unheard-of").window_tokens is None
