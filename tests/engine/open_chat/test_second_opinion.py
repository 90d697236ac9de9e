"""A model's answer about priorities is read strictly."""

from __future__ import annotations

import pytest

from workbench.domain.errors import WorkbenchError
from workbench.engine.open_chat.relevance import read_priorities

NAMES = {"auth.py": "/home/auth.py", "spec.md": "/home/spec.md"}


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ('{"auth.py": 2, "spec.md": 9}', {"/home/auth.py": 2, "/home/spec.md": 9}),
        ('```json\n{"auth.py": 2}\n```', {"/home/auth.py": 2}),
        ('{"auth.py": 2, "else.md": 1}', {"/home/auth.py": 2}),
        ('{"auth.py": 2, "spec.md": 0}', {"/home/auth.py": 2}),
        ('{"auth.py": 2, "spec.md": true}', {"/home/auth.py": 2}),
    ],
)
def test_numbers_for_names_that_were_asked_about(said: str, found: dict[str, int]):
    assert read_priorities(said, NAMES) == found


@pytest.mark.parametrize(
    "said", ["", "Sure!", "[1]", '{"auth.py": "2"}', '{"auth.py": 11}', '{"else": 1}', "[" * 100_000]
)
def test_anything_else_is_no_answer(said: str):
    with pytest.raises(WorkbenchError, match="did not answer with priorities"):
        read_priorities(said, NAMES)
