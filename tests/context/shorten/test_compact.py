"""Compaction: structure and preview, cut where a reader would cut, with the way back to the whole."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.turns import artifact, selection
from workbench.context.shorten.compact import Shortening, compact_text, headings
from workbench.domain.settings.context_settings import CompactionSettings

READS = frozenset({"read"})


def compacted(text: str, **changes: Any) -> list[str]:
    """The compacted text without its last line, which says how to recover it."""
    given = {"verbatim_chars": 10, "section_chars": 20, "max_sections": 20, **changes}
    short = compact_text(artifact("doc.md", text), Shortening(CompactionSettings(**given), READS))
    assert short is not None
    body, _, note = short.rpartition("\n")
    assert note == f"[compacted from {len(text):,} characters; to have it in full: read doc.md]"
    return body.split("\n")


def test_without_a_tool_for_it_nobody_is_sent_to_read():
    """A model without tools would try to call one, or pretend to have."""
    short = compact_text(artifact("doc.md", "word " * 2_000), Shortening(CompactionSettings()))
    assert short is not None
    assert short.endswith(
        "[compacted from 10,000 characters; without a tool to read doc.md, ask for what is missing]"
    )


def test_up_to_the_limit_it_goes_out_verbatim():
    assert compact_text(artifact("a", "x" * 5000), Shortening(CompactionSettings())) is None
    assert compact_text(artifact("a", "x" * 5001), Shortening(CompactionSettings())) is not None


@pytest.mark.parametrize("size", [5001, 1_000_000])
def test_what_cannot_be_recovered_is_never_compacted(size: int):
    assert compact_text(selection(text="x" * size), Shortening(CompactionSettings())) is None


def test_a_text_that_would_not_get_shorter_is_left_alone():
    assert (
        compact_text(artifact("a", "some words " * 10), Shortening(CompactionSettings(10, 500, 20))) is None
    )


def test_without_headings_four_previews_are_kept():
    (line,) = compacted("x" * 1000, section_chars=50)
    assert line == "x" * 200 + " …"


def test_headings_keep_their_sections_previews():
    text = "# One\n" + "first. " * 40 + "\n## Two\n" + "second " * 40
    assert compacted(text) == ["# One", "first. first. first. …", "", "## Two", "second second second …"]


def test_what_stands_before_the_first_heading_is_previewed_too():
    assert compacted("opening words here and more of them\n# One\n" + "body " * 60)[:2] == [
        "opening words here …",
        "",
    ]


def test_a_heading_without_a_body_stands_alone():
    assert compacted("# One\n# Two\n" + "body " * 60)[:3] == ["# One", "", "# Two"]


def test_sections_beyond_the_limit_are_counted():
    text = "\n".join(f"# Heading {n}\n" + "words " * 30 for n in range(30))
    lines = compacted(text, max_sections=10)
    assert sum(line.startswith("# ") for line in lines) == 10
    assert lines[-1] == "[20 more sections omitted]"


def test_one_omitted_section_is_singular():
    text = "\n".join(f"# Heading {n}\n" + "words " * 30 for n in range(3))
    assert compacted(text, max_sections=2)[-1] == "[1 more section omitted]"


@pytest.mark.parametrize("fence", ["```", "~~~", "  ```"])
def test_a_comment_in_fenced_code_is_not_a_heading(fence: str):
    text = f"# Real\n{fence}sh\n# not a heading\n{fence}\n# Also real\n" + "body " * 80
    headings = [line for line in compacted(text, section_chars=60) if line.startswith("# ")]
    assert headings == ["# Real", "# not a heading", "# Also real"]
    assert compacted(text, section_chars=60).count("# not a heading") == 1


def test_only_headings_outside_code_count_as_sections():
    text = "# Real\n```\n# comment\n# comment\n```\n" + "body " * 80
    assert compacted(text, max_sections=1)[-1] != "[2 more sections omitted]"


@pytest.mark.parametrize("line", ["#hashtag", "####### seven", "#", "# "])
def test_a_line_that_only_looks_like_a_heading_is_text(line: str):
    assert len(compacted(f"{line}\n" + "x" * 400, section_chars=50)) == 2


def test_the_cut_is_at_a_paragraph_if_there_is_one():
    (line,) = compacted("One sentence.\n\nTwo. Three four. " + "x" * 400, section_chars=5)
    assert line == "One sentence. …"


def test_otherwise_at_a_sentence():
    (line,) = compacted("Just one sentence. Another " + "x" * 400, section_chars=8)
    assert line == "Just one sentence. …"


def test_otherwise_at_a_word():
    (line,) = compacted("alpha beta gamma delta epsilon zeta eta theta " * 9, section_chars=5)
    assert line == "alpha beta gamma …"


def test_a_cut_in_the_first_half_would_throw_away_too_much():
    (line,) = compacted("One. " + "x" * 400, section_chars=10)
    assert line == "One. " + "x" * 35 + " …"


@pytest.mark.parametrize(
    "character", ["e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "ก\u0e49"], ids=ascii
)
@pytest.mark.parametrize("limit", range(1, 8))
def test_a_character_of_several_code_points_stays_whole(character: str, limit: int):
    (line,) = compacted(character * 400, section_chars=limit)
    assert line.removesuffix(" …").replace(character, "") == ""


@given(text=st.text(min_size=300), limit=st.integers(1, 40))
def test_a_preview_is_a_beginning_of_the_text_within_its_limit(text: str, limit: int):
    settings = CompactionSettings(verbatim_chars=10, section_chars=limit, max_sections=20)
    short = compact_text(artifact("a", text.replace("#", "x")), Shortening(settings))
    if short is not None:
        preview = short.rpartition("\n")[0].removesuffix(" …")
        assert text.replace("#", "x").startswith(preview)
        assert len(preview) <= 4 * limit


def test_hostile_text_is_compacted_in_linear_time():
    """A search that starts again at every line would take minutes on a megabyte of heading marks."""
    for unit in ("#", "# \n", "```\n", " ", "\n", ". ", '.")', "\u0301"):
        compact_text(artifact("a", unit * (1_000_000 // len(unit))), Shortening(CompactionSettings()))


_HEADING = re.compile(r"^#{1,6}[ \t]+\S.*$", re.MULTILINE)
_FENCE = re.compile(r"^[ ]{0,3}(```|~~~)", re.MULTILINE)
pieces = st.sampled_from(
    ["#", "##", " ", "\n", "```", "~~~", "`", "a", "\t", "\r", "    ", "# x", "\n# y\n", "\n```\n", "\u2028"]
)


@given(st.lists(pieces, max_size=14).map("".join))
def test_headings_are_found_where_every_line_is_tried(text: str):
    """Only lines with a mark in them are tried, because trying all of a megabyte takes long."""
    fences = [found.start() for found in _FENCE.finditer(text)]
    tried = [found.start() for found in _HEADING.finditer(text)]
    outside = [start for start in tried if sum(fence < start for fence in fences) % 2 == 0]
    assert list(headings(text)) == outside
