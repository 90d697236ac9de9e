"""Foreign text is shown as what it is, and changes nothing around it."""

from __future__ import annotations

import textwrap
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import Qt, QTextDocument

from workbench.ui.widgets.plain import MAX_NAME, MAX_TIP, TIP_COLUMNS, _wrapped, shown, tip

FOREIGN = st.text(alphabet=st.characters(), max_size=400)


def read(told: str) -> QTextDocument:
    """A tooltip as Qt takes it."""
    document = QTextDocument()
    (document.setHtml if Qt.mightBeRichText(told) else document.setPlainText)(told)
    return document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("auth.py", "auth.py"),
        ("Grüße, 世界, 🙂", "Grüße, 世界, 🙂"),
        ("invoice\u202efdp.exe", "invoice⟨U+202E⟩fdp.exe"),
        ("a\nb", "a⟨U+000A⟩b"),
        ("a\tb", "a⟨U+0009⟩b"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("next\u0085line", "next⟨U+0085⟩line"),
        ("lone\ud800surrogate", "lone⟨U+D800⟩surrogate"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("\u2066isolate\u2069", "⟨U+2066⟩isolate⟨U+2069⟩"),
        ("", ""),
    ],
)
def test_what_is_hidden_is_written_out(text: str, expected: str):
    assert shown(text) == expected


@given(FOREIGN)
def test_nothing_hidden_is_left_and_it_stays_one_short_line(text: str):
    made = shown(text)
    assert len(made) <= MAX_NAME
    assert not any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in made)
    made.encode("utf-8")


@given(FOREIGN)
def test_showing_twice_changes_nothing_more(text: str):
    assert shown(shown(text)) == shown(text)


def test_a_long_name_keeps_its_beginning_and_its_end():
    made = shown("src/" + "very/" * 100 + "auth.py")
    assert made.startswith("src/very/")
    assert made.endswith("auth.py")
    assert "…" in made


def test_a_tower_of_marks_does_not_grow_over_the_lines_above():
    assert len(shown("a" + "\u0301" * 60)) < 8


@given(FOREIGN)
def test_a_tooltip_shows_the_text_and_no_markup(text: str):
    document = read(tip(text))
    marked = tip(text).removeprefix("<p style='white-space:pre'>")
    assert marked == tip(text) or "<" not in marked.removesuffix("</p>")
    assert marked != tip(text) or not Qt.mightBeRichText(tip(text))
    assert len(document.toPlainText()) <= MAX_TIP + 60


def test_a_tooltip_is_escaped_because_it_guesses():
    """`<b>x</b>` in a file's name would be set in bold, and `<img>` would be looked for."""
    made = tip("<img src=x> & <b>bold</b>")
    document = read(made)
    assert document.toPlainText() == "<img src=x> & <b>bold</b>"


def test_a_tooltip_keeps_its_own_lines_and_wraps_long_ones():
    document = read(tip("first\nsecond " + "word " * 30))
    lines = document.toPlainText().split("\n")
    assert lines[0] == "first"
    assert len(lines) > 3
    assert max(len(line) for line in lines) <= 56


def test_no_text_is_no_tooltip():
    assert tip("") == ""


@given(st.lists(st.text("ab-—’. é", max_size=70), max_size=12).map(" ".join))
def test_plain_words_are_wrapped_as_python_wraps_them(line: str):
    assert _wrapped(line) == (textwrap.wrap(line, TIP_COLUMNS, replace_whitespace=False) or [""])
