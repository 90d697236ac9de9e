"""A text in sections: all of it, none too long, under its own headings; and an outline that says where it all is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.steps_taken import lines_run
from tests.fakes.turns import artifact
from workbench.context.shorten.compact import Shortening
from workbench.context.shorten.outline import outlined_text, sections_of
from workbench.domain.settings.context_settings import CompactionSettings

HOW = Shortening(CompactionSettings(verbatim_chars=100))
PROSE = "# One\n" + "first words here. " * 20 + "\n\n## Two\n" + "second words there. " * 20 + "\n"
CODE = (
    "import os\n\n\nclass Cat:\n    name = 1\n\n    def purr(self):\n"
    + "        x = 1\n" * 40
    + "\n\ndef walk(dog):\n"
    + "    y = 2\n" * 60
)


def test_headings_begin_sections():
    found = tuple(sections_of("a.md", PROSE))
    assert [(one.title, one.first_line, one.last_line) for one in found] == [("One", 1, 3), ("Two", 4, 5)]
    assert [one.anchor for one in found] == ["L1-3", "L4-5"]


def test_declarations_begin_sections():
    titles = [one.title for one in sections_of("a.py", CODE)]
    assert titles == ["class Cat:", "def walk(dog):"]
    short = outlined_text(artifact("a.py", CODE), HOW)
    assert short is not None
    assert short.split("\n")[:4] == [
        "lines 1–3: …",
        "lines 4–6: class Cat:",
        "lines 7–49: def purr(self):",
        "lines 50–110: def walk(dog):",
    ]


def test_a_line_without_end_is_cut_too():
    found = tuple(sections_of("a.txt", "x" * 5_000))
    assert [one.end - one.start for one in found] == [1_600, 1_600, 1_600, 200]
    assert {one.first_line for one in found} == {1}


def test_an_outline_says_what_there_is_where_and_how_to_have_it():
    short = outlined_text(artifact("a.md", PROSE), HOW)
    assert short == (
        "lines 1–3: One\nlines 4–5: Two\n"
        f"[an outline of {len(PROSE):,} characters; sections that matter for a question are quoted before it; "
        "without a tool to read a.md, ask for a.md]"
    )


def test_what_cannot_be_had_again_has_no_outline_and_neither_has_what_is_short():
    assert outlined_text(artifact("a.md", PROSE, recoverable=False), HOW) is None
    assert outlined_text(artifact("a.md", "short"), HOW) is None


def test_of_very_many_sections_some_are_named_and_the_gaps_counted():
    text = "".join(f"# Heading {n}\n{'word ' * 60}\n" for n in range(500))
    short = outlined_text(artifact("a.md", text), HOW)
    assert short is not None
    lines = short.split("\n")
    assert len([line for line in lines if line.startswith("lines ")]) == 60
    assert "… 14 more lines" in lines


@given(
    st.text("ab#\n .é👩‍👧", max_size=400).map(lambda text: text * 9),
    st.sampled_from(["a.md", "a.py", "a.log", "a"]),
)
def test_sections_are_the_whole_text_in_order_and_none_is_too_long(text: str, name: str):
    found = tuple(sections_of(name, text))
    assert "".join(text[one.start : one.end] for one in found) == text
    assert all(one.end - one.start <= 1_600 for one in found)
    assert all(one.first_line <= one.last_line for one in found)
    assert tuple(sections_of(name, text)) == found


def test_a_letter_with_thousands_of_marks_takes_no_more_steps_than_other_text():
    """To find where such a letter begins, every cut went back all the way."""
    marked = "e" + "\u0301" * 16_000
    found = tuple(sections_of("a.md", marked))
    assert "".join(marked[one.start : one.end] for one in found) == marked
    plain = lines_run(lambda: list(sections_of("a.md", "e" * 16_000)))
    assert lines_run(lambda: list(sections_of("a.md", marked))) < 20 * plain
