"""The line that names attachments: what is written is read back, whatever the names; what others wrote is read too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.files.attachment import ARTIFACT_KINDS
from workbench.engine.exchange.context_line import Named, read_context, write_context


def test_names_stand_behind_their_kind():
    attached: list[Named] = [("note", "a.md"), ("url", "https://x.example/?a=1"), ("note", "b c.md")]
    line = "[Context: Notes: a.md, b c.md | URLs: https://x.example/?a=1]"
    assert write_context(attached) == line
    assert read_context(line) == ((attached[0], attached[2], attached[1]), ())


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("[Context: Notes: a.md, b.md, URLs: https://x.example]", [("note", "a.md"), ("note", "b.md"), ("url", "https://x.example")]),
        ("[Context: Tags: #x | Folders: docs/api]", [("tag", "#x"), ("folder", "docs/api")]),
        ("[Context: notes: a.md]", [("note", "a.md")]),
        ("[Context: Files: a: b.md]", [("file", "a: b.md")]),
        ("[Context: Files: x, odd: y]", [("file", "x"), ("file", "odd: y")]),
        ('[Context: Files: "unclosed]', [("file", '"unclosed')]),
        ("[Context: Files: a.md, a.md]", [("file", "a.md")]),
        ("[Context: just words]", []),
        ("[Context: ]", []),
    ],
)  # fmt: skip
def test_what_others_wrote_is_read(line: str, named: list[Named]):
    assert read_context(line) == (tuple(named), ())


def test_an_unknown_label_is_said():
    assert read_context("[Context: Smells: roses | Files: a.md]") == ((("file", "a.md"),), ("Smells",))


@pytest.mark.parametrize("line", ["", "[Context: x", "text [Context: Notes: a]", "[context: Notes: a]"])
def test_other_lines_are_none(line: str):
    assert read_context(line) is None


@given(
    st.lists(st.tuples(st.sampled_from(ARTIFACT_KINDS), st.text(min_size=1).filter(str.strip)), unique=True)
)
def test_any_names_survive(attached: list[Named]):
    line = write_context(attached)
    assert "\n" not in line
    found = read_context(line)
    assert found is not None
    assert sorted(found[0]) == sorted(attached)
    assert found[1] == ()


@given(st.text())
def test_no_line_is_an_error(text: str):
    read_context(f"[Context: {text}]")
