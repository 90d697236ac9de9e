"""Parts of files among what is attached."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.domain.files.attached import Attached
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import Document, Section
from workbench.domain.record import Snapshot
from workbench.engine.chats.attached_parts import (
    covered_by,
    file_name,
    is_covered,
    part_of,
    under_held_key,
    whole_of,
    with_part,
    without_overlap,
)  # fmt: skip

DOCUMENT = Document(
    "one\ntwo\nthree\n",
    sections=(Section("All", "All", 1, 0, 14), Section("Two", "Two", 2, 4, 8)),
)
PLACES = {"a.md": "/x/a.md", "a.md#Two": "/x/a.md", "a.md#L3": "/x/a.md", "b.md": "/x/b.md"}


def read(key: str, document: Document = DOCUMENT) -> Attached:
    return Attached(Artifact(key, "file", ""), b"", "", "2026", place="/x/a.md", document=document)


def held(*keys: str) -> tuple[Artifact, ...]:
    return tuple(Artifact(key, "file", "") for key in keys)


@pytest.mark.parametrize(
    ("key", "place", "part"),
    [
        ("a.md#Two", "/x/a.md", "Two"), ("a.md", "/x/a.md", ""), ("c#.md#L1", "/x/c#.md", "L1"),
        ("notes#1", "/x/notes#1", ""), ("a.md#Two", "", "Two"), ("a.md", "", ""),
    ],
)  # fmt: skip
def test_a_key_names_a_part_where_its_file_is_another(key: str, place: str, part: str):
    assert part_of(key, place) == part
    assert whole_of(key, place) == (key[: -len(part) - 1] if part else key)
    assert with_part("/y/z", "z#L1") == "/y/z#L1"


@pytest.mark.parametrize(
    ("new", "there", "goes", "around"),
    [
        ("a.md#All", ("a.md#Two", "a.md#L3", "b.md"), ["a.md#Two", "a.md#L3"], ""),
        ("a.md#Two", ("a.md",), [], "a.md"),
        ("a.md#L2", ("a.md#Two",), ["a.md#Two"], "a.md#Two"),
        ("a.md#L1", ("a.md#Two", "b.md"), [], ""),
        ("a.md", ("a.md#Two",), ["a.md#Two"], ""),
        ("a.md#Two", ("a.md#Two",), [], ""),
    ],
)
def test_what_lies_within_something_else_is_not_attached_beside_it(new, there, goes, around):
    places = {**PLACES, "a.md#L2": "/x/a.md"}
    assert list(covered_by(read(new), held(*there), places)) == goes
    assert is_covered(read(new), held(*there), places) == around


PAGES = replace(
    DOCUMENT,
    text="1\n2\n3\n4\n5\n6\n",
    sections=(Section("Intro", "Intro", 1, 2, 8), Section("Rest", "Rest", 1, 8, 12)),
    pages=(
        Section("p1", "p. 1", 1, 0, 4, first_page=1),
        Section("p2", "p. 2", 1, 4, 12, first_page=2),
    ),
)


@pytest.mark.parametrize(
    ("new", "there", "key", "text"),
    [
        ("a.md#p1", ("a.md#Intro",), "a.md#L1", "1\n"),
        ("a.md#Intro", ("a.md#p1",), "a.md#L3-4", "3\n4\n"),
        ("a.md#p2", ("a.md#Intro",), "a.md#L5-6", "5\n6\n"),
        ("a.md#p1", ("a.md#Rest",), "a.md#p1", ""),  # nothing in common
        ("a.md#p2", ("a.md#Rest",), "a.md#p2", ""),  # it holds all of that, which goes
    ],
)
def test_no_line_is_sent_by_two_parts_that_overlap(new, there, key, text):
    """A page and a section that begins on it sent the same lines twice."""
    places = dict.fromkeys((new, *there), "/x/a.md")
    left = without_overlap(read(new, PAGES), held(*there), places)
    assert (left.artifact.key, left.artifact.text) == (key, text)


def test_cells_of_the_same_rows_are_two_parts():
    places = {"t.xlsx#S!A1:B2": "/x/a.md"}
    cells = replace(DOCUMENT, sections=(Section("S!A1:B2", "S", 1, 0, 9), Section("S!C1:D2", "S", 1, 0, 9)))
    taken = replace(read("a.md#S!C1:D2", cells), place="/x/a.md")
    assert list(covered_by(taken, held("t.xlsx#S!A1:B2"), places)) == []


def test_one_file_by_two_paths_is_one_attachment():
    """A relative and an absolute path to one file were two attachments, and it was sent twice."""
    places = {"../x/a.md": "/x/a.md", "../x/a.md#Two": "/x/a.md"}
    assert under_held_key(read("/x/a.md"), held("../x/a.md"), places).artifact.key == "../x/a.md"
    assert under_held_key(read("/x/a.md#Two"), held("../x/a.md#Two"), places).artifact.key == "../x/a.md#Two"
    assert under_held_key(read("/x/a.md#Two"), held("../x/a.md"), places).artifact.key == "/x/a.md#Two"


def test_a_copy_knows_what_its_file_is_called():
    part = Snapshot("c", Artifact("docs/a.md#Two", "file", ""), "2026", place="/x/a.md")
    assert [file_name(part), file_name(replace(part, place=""))] == ["a.md", "a.md"]
