"""What a model wrote is made plain before it is checked."""

from __future__ import annotations

import pytest

from workbench.engine.summaries import clean


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("  One.\n\n\nTwo.  \n", "One.\nTwo."),
        ("Here is a summary of it:\n- One.", "- One."),
        ("A summary:", "A summary:"),
        ("One\u202etwo\x00.", "One two ."),
        ("\n \n", ""),
    ],
)
def test_openings_and_invisible_marks_are_no_part_of_it(said: str, text: str):
    assert clean(said) == text
