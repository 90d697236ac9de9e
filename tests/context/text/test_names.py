"""What an artifact is called where there is little room."""

from __future__ import annotations

import pytest

from workbench.context.text.names import short_name
from workbench.domain.attachment import Artifact


@pytest.mark.parametrize(
    ("key", "title", "name"),
    [
        ("notes.md", "", "notes.md"),
        ("docs/api.md", "", "docs/api.md"),
        ("/home/lena/project/docs/api.md", "", "docs/api.md"),
        ("/notes.md", "", "/notes.md"),
        ("C:/Users/lena/notes.md", "", "lena/notes.md"),
        ("/home/lena/notes.md", "My notes", "My notes"),
    ],
)
def test_the_end_of_a_path_says_which_file_it_is(key: str, title: str, name: str):
    assert short_name(Artifact(key, "file", "x", title)) == name
