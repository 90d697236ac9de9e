"""Files that a question names with an @."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.text.at_commands import can_be_named, mention_text, mentions


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("see @notes.md, then @src/a.py#Parser.read.", ["notes.md", "src/a.py#Parser.read"]),
        ('compare @"my spec.pdf#p3-5" with @b.md', ["my spec.pdf#p3-5", "b.md"]),
        ("@a.md @a.md twice", ["a.md"]),
        ("write to me@example.org and (@b.md)", []),
        ("@read notes.md @search words @ls", []),
        ("`@code.py` and\n```\n@more.py\n```\n", []),
        ("@ alone, @, and @@twice", []),
        ("@reading.md is no command", ["reading.md"]),
        ("first\n@second.md", ["second.md"]),
        ("@a.pdf#4.2-Clock-skew?", ["a.pdf#4.2-Clock-skew"]),
    ],
)
def test_what_a_question_names(question, names):
    assert [one.name for one in mentions(question)] == names


def test_a_mention_knows_where_it_stands():
    text = 'about @notes.md, and @"b c.md"!'
    assert [text[one.start : one.end] for one in mentions(text)] == ["@notes.md", '@"b c.md"']


@given(
    st.text(
        st.characters(
            blacklist_characters='"\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029`', blacklist_categories=["Cs"]
        ),
        min_size=1,
        max_size=30,
    )
)
def test_what_is_written_for_a_name_names_it(name):
    if name.strip() and name.isprintable():
        assert [one.name for one in mentions(f"about {mention_text(name)} now")] == [name]


@given(st.text(max_size=30))
def test_whatever_is_written_for_a_name_names_it_or_is_nothing(name: str):
    written = mention_text(name)
    assert [one.name for one in mentions(f"about {written} now")] == ([name] if written else [])


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a.md", "@a.md"), ("a b.md", '@"a b.md"'), (" lead.md", '@" lead.md"'), ("tail ", '@"tail "'),
        ("read", '@"read"'),
        ("@x.md", '@"@x.md"'), ("notes.md)", '@"notes.md)"'), ('a.md#Say-"hi"', ""), ("a`b.md", ""), ("a\tb.md", ""),
        (" ", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_name_is_written_so_that_it_comes_back_or_not_at_all(name: str, written: str):
    assert mention_text(name) == written


@pytest.mark.parametrize(
    ("name", "can"),
    [
        ("notes.md", True), ("my notes.md", True), ("a#b.md", True), ("read", True), ("end.", True), ("ünï.md", True),
        ("", False), (" lead", False), ("tail ", False), ('q"q', False), ("two\nlines", False), ("@at", True),
        ("tick`", False), ("tur\u202ened", False), ("half\udce9", False), ("x" * 1_001, False), ("\u2028", False),
    ],
)  # fmt: skip
def test_whether_a_name_can_be_written(name: str, can: bool):
    assert can_be_named(name) is can


@given(st.text(max_size=60))
def test_what_can_be_written_is_read_as_that_very_name(name: str):
    if can_be_named(name):
        assert [one.name for one in mentions(f"see {mention_text(name)} and more")] == [name]


def test_a_hundred_names_are_followed():
    assert len(mentions(" ".join(f"@f{n}.md" for n in range(100)))) == 100
