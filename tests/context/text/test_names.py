"""What an artifact is called where there is little room."""

from __future__ import annotations

import pytest

from workbench.context.text.names import short_name, with_names
from workbench.domain.files.attachment import Artifact
from workbench.domain.turn import LibraryEntry


@pytest.mark.parametrize(
    ("key", "title", "name"),
    [
        ("notes.md", "", "notes.md"),
        ("docs/api.md", "", "docs/api.md"),
        ("/home/lena/project/docs/api.md", "", "docs/api.md"),
        ("/notes.md", "", "notes.md"),
        ("C:/Users/lena/notes.md", "", "lena/notes.md"),
        ("/home/lena/notes.md", "My notes", "My notes"),
    ],
)
def test_the_end_of_a_path_says_which_file_it_is(key: str, title: str, name: str):
    assert short_name(Artifact(key, "file", "x", title)) == name


HOME = "/home/lena"


def shelved(key: str, name: str = "") -> LibraryEntry:
    one = Artifact(key, "file", "x", name=name)
    return LibraryEntry(one, one, attached_last_turn=False)


def test_files_known_by_their_paths_alone_get_names_in_the_order_they_were_seen():
    library = (shelved(f"{HOME}/docs/api.md"), shelved("notes.md"))
    attached = (Artifact(f"{HOME}/src/api.md", "file", "y"), Artifact(f"{HOME}/docs/api.md", "file", "x"))
    shelf, held = with_names(library, attached)
    assert [entry.latest.name_for_model for entry in shelf] == ["api.md", "notes.md"]
    assert [entry.shelved.name_for_model for entry in shelf] == ["api.md", "notes.md"]
    assert [one.name_for_model for one in held] == ["src/api.md", "api.md"]
    assert with_names(shelf, held) == (shelf, held)


def test_a_name_that_was_given_stays_and_is_nobody_elses():
    library = (shelved(f"{HOME}/docs/api.md"), shelved(f"{HOME}/src/api.md", "api.md"))
    shelf, _ = with_names(library, ())
    assert [entry.latest.name_for_model for entry in shelf] == ["docs/api.md", "api.md"]


def test_what_is_no_file_or_says_nothing_is_left_as_it_is():
    pasted = Artifact("/is pasted", "clipboard", "x", recoverable=False)
    page = Artifact("https://example.net/a", "url", "x")
    both = ((shelved("docs/api.md"),), (pasted, page))
    assert with_names(*both) == both
    shelf, held = with_names(*both)
    assert shelf is both[0]
    assert held is both[1]
