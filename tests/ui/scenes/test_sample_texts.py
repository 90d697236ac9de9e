"""The words of the scripted chat."""

from __future__ import annotations

from workbench.ui.scenes import sample_texts as texts


def test_the_answer_has_code_and_the_edit_is_a_unified_diff():
    assert "```python" in texts.ANSWER_8
    lines = texts.EDIT_DIFF.splitlines()
    added = [line for line in lines if line.startswith("+") and not line.startswith("+++")]
    removed = [line for line in lines if line.startswith("-") and not line.startswith("---")]
    assert (len(added), len(removed)) == (2, 2)
