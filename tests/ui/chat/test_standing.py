"""A message that comes back says for which turn and at what cost; one that somebody decided about says that."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.recalled_chat import CHAT, fact_id, recalled_state
from workbench.ui.chat.messages.feed import Question, items_of
from workbench.ui.chat.messages.message_head import recalled_words
from workbench.ui.chat.messages.message_menu import choices_for
from workbench.ui.chat.standing import PLAIN, InRequest, marks_of


def test_what_comes_back_is_told_with_its_turn_and_its_tokens(qapp):
    chat = recalled_state().open[CHAT]
    key, view = fact_id(chat), chat.view
    assert view is not None
    standing = marks_of(view, chat.conversation.tuning).standings()(key)
    cost = next(row.tokens for row in view.quotes if row.key.id == key)
    assert (standing.recalled_for, standing.recalled_tokens) == (view.turn, cost)
    assert not standing.quiet
    told = recalled_words(standing)
    assert told == ("recalled", f"recalled for turn {view.turn}", f"{cost} tokens")
    assert marks_of(view, chat.conversation.tuning).standings()(chat.records[-1].id) is PLAIN


def test_a_decision_is_told_and_can_be_changed_in_the_menu_where_anything_comes_back(qapp):
    chat = recalled_state().open[CHAT]
    key = fact_id(chat)
    tuning = replace(chat.conversation.tuning, unrecalled=frozenset({key}))
    marks = marks_of(chat.view, tuning, recalls=True)
    items = items_of(chat, marks)
    question = next(item for item in items if item.key == key)
    assert isinstance(question, Question)
    assert question.standing.wanted == "never"
    assert recalled_words(replace(question.standing, recalled_for=0))[2] == "never recalled"
    wanted = [choice.action for choice in choices_for(question) if choice.action.startswith("recall")]
    assert wanted == ["recall_always", "recall_fits"]
    off = replace(question, standing=InRequest())
    assert not any(choice.action.startswith("recall") for choice in choices_for(off))
