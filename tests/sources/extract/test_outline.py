"""Outlines of plain text: whole lines, within one another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.files.document import Document, DocumentKind
from workbench.domain.files.document_parts import find_section, heading_anchor
from workbench.sources.extract.outline import (
    Anchors,
    line_starts,
    markdown_headings,
    outline,
    row_blocks,
    sections_of_headings,
    table_notes,
)
from workbench.sources.extract.symbols import symbols_in

LINES = st.lists(
    st.sampled_from(
        ["# a", "## b", "### c", "text", "", "===", "---", "```", "def f():", "    x = 1", "class A:", "}", "{",
         "function f() {", "class B {", "  g() {", "\\section{a}", "[t]", "end", "def m", "create table t (", ");"]
    ),
    max_size=25,
)  # fmt: skip


@given(
    LINES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([".md", ".py", ".js", ".rb", ".sql", ".toml", ".tex"]),
)
def test_a_section_is_whole_lines_within_the_one_it_belongs_to(lines: list[str], end: str, ending: str):
    text = end.join(lines)
    sections = outline("markdown" if ending == ".md" else "code", f"a{ending}", text)
    starts = {0, *(place + 1 for place, letter in enumerate(text) if letter == "\n"), len(text)}
    open_ones: list[tuple[int, int]] = []
    for one in sections:
        assert one.start in starts
        assert one.end in starts
        assert one.start < one.end
        while open_ones and open_ones[-1][0] >= one.level:
            open_ones.pop()
        if open_ones and ending == ".md":
            assert one.end <= open_ones[-1][1]
        open_ones.append((one.level, one.end))
    assert len({one.anchor for one in sections}) == len(sections)


@given(st.lists(st.sampled_from(["a", "b", "a~2", "a b", "a/b", "", "a~3"]), max_size=12))
def test_anchors_are_those_that_headings_have(titles: list[str]):
    taken: list[str] = []
    anchors = Anchors()
    for title in titles:
        taken.append(heading_anchor(title, taken))
        assert anchors.new(title) == taken[-1]


def test_a_heading_goes_to_the_next_of_its_level():
    text = "# A\n1\n## B\n2\n# C\n3\n"
    found = sections_of_headings(markdown_headings(text), len(text))
    assert [text[one.start : one.end] for one in found] == ["# A\n1\n## B\n2\n", "## B\n2\n", "# C\n3\n"]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("~~~\n# no\n~~~\n# yes\n", ["yes"]),
        ("```` \n```\n# no\n````\n# yes #\n", ["yes"]),
        ("    # code\n#no\n####### no\n", []),
        ("- item\n---\ntext\n---\n", ["text"]),
        ("| a |\n---\n", []),
        ("# [link](x) and **bold**\n", ["link and bold"]),
        ("#\n", [""]),
        ("a\rb\r# c\r", ["c"]),
    ],
)
def test_what_is_a_heading(text: str, titles: list[str]):
    assert [one[0] for one in markdown_headings(text)] == titles


def test_a_decorated_method_begins_with_its_decorator():
    text = (
        "class A:\r\n    @one\r\n    @two(\r\n        3)\r\n    def b(self):\r\n        pass\r\n\r\nx = 1\r\n"
    )
    document = Document(text, sections=outline("code", "a.py", text))
    part = find_section(document, "A.b")
    assert part is not None
    assert text[part.start : part.end] == text[text.index("    @one") : text.index("\r\nx")]


def test_braces_in_strings_and_comments_do_not_count():
    text = "function a() {\n  x = '}'; // }\n  /* } */\n  y = `\n}`;\n}\nfunction b() {}\n"
    assert [(one.name, one.first, one.last) for one in symbols_in(".js", text)] == [("a", 1, 6), ("b", 7, 7)]


def test_a_language_that_is_not_known_has_no_outline():
    assert symbols_in(".zzz", "class A {}") == []
    assert outline("text", "a.txt", "# no heading\n") == ()
    assert outline("markdown", "a.md", "# a\n" + "x" * 8_000_001) == ()


def test_a_table_says_how_it_is_written_and_is_cut_in_blocks():
    text = "a;b\n" + "1;2\n" * 1300
    assert table_notes(text) == ("1,300 rows below the first, 2 columns, separated by semicolons",)
    blocks = row_blocks(text)
    assert [one.anchor for one in blocks] == ["L2-501", "L502-1001", "L1002-1301"]
    document = Document(text, sections=blocks)
    for one in blocks:
        found = find_section(document, one.anchor)
        assert found is not None
        assert (found.start, found.end) == (one.start, one.end)
    assert table_notes("no table at all") == ()
    assert len(row_blocks("x\n" * 500_000)) <= 200
    assert line_starts("a\r\nb\rc\n") == [0, 3, 5, 7]


@pytest.mark.parametrize(
    ("kind", "text", "part"),
    [
        ("markdown", "# Caches\n\n## L1\nfast\n\n## L2\nslow\n", "## L2\nslow\n"),
        ("code", "import os\n\ndef L2(x):\n    return x\n", "def L2(x):\n    return x\n"),
    ],
)
def test_a_heading_or_symbol_called_as_a_line_is_found_by_its_own_anchor(
    kind: DocumentKind, text: str, part: str
):
    document = Document(text, sections=outline(kind, "a.py", text))
    (listed,) = (one for one in document.sections if one.title == "L2")
    assert find_section(document, listed.anchor) == listed
    assert text[listed.start : listed.end] == part
    line = find_section(document, "L2")
    assert line is not None
    assert line.title == "line 2"
