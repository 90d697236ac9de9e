"""What is written of the first layer, as settings, as a workspace, and as what changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.settings.context_settings import ContextSettings, PersonaSources
from workbench.domain.shown.envelope_view import RowKey
from workbench.domain.workspace import Fact, Filed, Workspace, template_of
from workbench.ui.inspector.instructions.texts import (
    SUBJECTS,
    Writing,
    inserted,
    row_key,
    saved,
    settings_with,
    subject_of,
    text_ahead,
    text_sent,
    variables,
    workspace_of,
    workspace_with,
)

PLACE = Workspace("w", "Billing", instructions="In cents.", facts=(Fact("f", "Tea."),))
OWN = ContextSettings(persona=PersonaSources("Be kind.", user="Only rounding."), persona_mode="add")


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_is_kept_is_read_and_written_back_the_same(subject):
    writing = saved(subject, OWN, PLACE)
    assert settings_with(subject, OWN, writing) == OWN
    assert workspace_with(subject, PLACE, writing) == (PLACE if subject == "persona" else None)
    changed = settings_with(subject, OWN, replace(writing, chat="Else."))
    assert saved(subject, changed, PLACE).chat == "Else."
    assert subject_of(row_key(subject)) == subject


def test_joining_is_kept_only_where_it_was_chosen():
    writing = saved("persona", OWN, PLACE)
    assert settings_with("persona", OWN, writing).persona.user_joining is None
    replaced = settings_with("persona", OWN, replace(writing, chat_joining="replace"))
    assert replaced.persona_text == "Only rounding."
    place = workspace_with("persona", PLACE, replace(writing, workspace="All.", workspace_joining="replace"))
    assert place == replace(PLACE, instructions="All.", joining="replace")


def test_a_template_is_in_its_workspace_and_other_rows_are_not_written():
    state = replace(sample_state(), workspaces={"w": PLACE})
    chat = state.open[CHAT]
    inside = replace(chat, chat=replace(chat.chat, filed=Filed("w")))
    template = replace(chat, chat=replace(chat.chat, id=template_of("w")))
    assert workspace_of(state, chat) is None
    assert workspace_of(state, inside) == workspace_of(state, template) == PLACE
    assert subject_of(RowKey("L1_SYSTEM", "tool_guidelines")) is None
    assert subject_of(RowKey("L3_TURN", "persona")) is None


def test_the_text_ahead_has_all_sources_and_what_variables_become():
    state = replace(sample_state(), workspaces={"w": PLACE})
    chat = state.open[CHAT]
    assert chat.view is not None
    view = replace(chat.view, values={"date": "2026-11-16"})
    inside = replace(chat, view=view, chat=replace(chat.chat, settings=OWN, filed=Filed("w")))
    text = text_ahead("persona", state, inside, Writing("On {{date}}.", "In dollars."))
    assert text == "Be kind.\n\nIn dollars.\n\nOn 2026-11-16."
    assert text_ahead("memory", state, inside, Writing("")) == "- Tea."
    never = replace(inside, conversation=replace(inside.conversation, previous=None))
    assert text_sent("persona", never) is None


def test_new_words_are_found_and_a_variable_is_named_once():
    assert inserted("Money is in cents.", "All money is in cents.") == ((0, 9),)
    assert inserted("One two.", "One two. Three 😀.") == ((8, 17),)
    assert inserted("Same.", "Same.") == ()
    assert inserted("a " * 4_000, "b") == ()
    found = variables("{{date}} {{ DATE }} {{who}}", {"date": "today"})
    assert [(one.name, one.value) for one in found] == [("date", "today"), ("who", None)]
