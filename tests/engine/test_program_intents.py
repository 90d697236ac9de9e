"""ProgramActions are intents like all others, and none of them shows a key."""

from __future__ import annotations

from typing import get_args

from workbench.domain.secrets import Secret
from workbench.engine.intents import Intent
from workbench.engine.program_intents import KeepProviderKey, ProgramIntent


def test_every_one_is_an_intent():
    assert set(get_args(ProgramIntent)) <= set(get_args(Intent))


def test_a_key_is_not_shown_with_the_wish_to_keep_it():
    assert "sk-1" not in repr(KeepProviderKey("openai", Secret.of_text("sk-1")))
