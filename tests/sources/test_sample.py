"""The sample that is shipped can be read, and is about the files beside it."""

from __future__ import annotations

from tests.architecture.source_tree import ROOT
from workbench.sources.resources import load_sample


def test_the_shipped_sample_has_two_turns_and_a_question_waiting():
    story = load_sample(ROOT / "resources" / "sample")
    assert len(story.turns) == 2
    assert story.draft.endswith("?")
    assert {artifact.key for artifact in story.attached} == {"project-spec.md", "docs/api.md", "src/auth.py"}
    assert story.budget_tokens is not None
    assert all(artifact.text for turn in story.turns for artifact in turn.attached)
