"""The commands of what is written for later are all there; tests/ui/whole uses them in the real window."""

from __future__ import annotations

from tests.fakes.rehearsed_moments import moment_of
from workbench.ui.commands import specs
from workbench.ui.window.words import Words


def test_every_command_has_a_place_in_the_menu():
    wanted = {"edit-instructions", "memory", "remember", "suggest-facts", "prompts", "save-prompt"}
    assert wanted <= {spec.id for spec in specs()}
    assert callable(Words.table)


def test_the_scene_of_instructions_is_priced_in_a_workspace():
    moment = moment_of("instructions")
    chat = moment.state.open[moment.chat]
    assert chat.chat.filed.workspace in moment.state.workspaces
    assert chat.price is not None
    assert chat.price.tag.tokens_delta > 0
    assert chat.trial is not None
