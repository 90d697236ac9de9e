"""A new chat as the user prefers it."""

from __future__ import annotations

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import merge_preferences

BASE = ContextSettings(model="builtin", system_prompt="Be kind.")


def test_nothing_preferred_changes_nothing():
    assert merge_preferences(BASE, {}) is BASE


def test_what_is_preferred_wins_and_the_rest_stays():
    found = merge_preferences(BASE, {"context_window": 4096, "history": {"keep_last_n_assistant": 2}})
    assert (found.context_window, found.history.keep_last_n_assistant, found.system_prompt) == (
        4096,
        2,
        "Be kind.",
    )


def test_what_is_wrong_is_named_where_it_stands():
    with pytest.raises(InvalidInput, match=r"context\.context_window: "):
        merge_preferences(BASE, {"context_window": "large"})
