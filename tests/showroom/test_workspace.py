"""The workspace of the scripted conversation."""

from __future__ import annotations

from workbench.showroom.script import PROMPTS, WORKSPACE


def test_a_prompt_belongs_to_the_workspace_or_to_all_of_them():
    assert {prompt.workspace for prompt in PROMPTS} == {"", WORKSPACE.id}
