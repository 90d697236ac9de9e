"""Cuts: a text read in pieces comes to the same as the text read at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from tests.fakes.effort import tries
from workbench.ui.chat.text.blocks import Part
from workbench.ui.chat.text.markdown import piece_parts
from workbench.ui.chat.text.pieces import (
    PAGE_CHARS,
    PAGE_LINES,
    PIECE_CHARS,
    PIECE_LINES,
    page_end,
    pieces,
    settled_end,
)

PARTS = (
    "A paragraph with *some* `code`.\nIts second line.\n",
    "# A heading\n",
    "- one\n- two\n  with a second line\n  - nested\n- three\n",
    "1. first\n2. second\n\n   still second\n\n3. third\n",
    "1) other\n2) sign\n",
    "```python\nx = 1\n\n# not a heading\n```\n",
    "~~~\n```\n~~~\n",
    "> quoted\n> more\n\n> another\n",
    "| a | b |\n|---|--:|\n| 1 | 2 |\n",
    "$$\nx\n\n+ y\n$$\n",
    "\\[\na\n\n= b\n\\]\n",
    "- item\n\n  ```sh\n  ls\n\n  pwd\n  ```\n\n- next\n",
    "---\n",
    "Text before\n---\n",
    "* [ ] open\n* [x] done\n",
)


def document(seed: int) -> str:
    """Some of the parts in an order that a number stands for."""
    return "\n".join(islice(_parts(seed), 2 + seed % 7))


def _parts(seed: int) -> Iterator[str]:
    state = seed * 2_654_435_761 % 2**32
    while True:
        state = (state * 1_664_525 + 1_013_904_223) % 2**32
        yield PARTS[(state >> 16) % len(PARTS)]


@pytest.mark.parametrize("seed", range(tries(60)))
def test_a_growing_text_frozen_bit_by_bit_is_the_same_as_the_whole(seed: int):
    """Else an answer would jump when it is finished."""
    text = document(seed)
    parts, start, after_blank = list[Part](), 0, True
    for length in range(len(text) + 1):
        end, blank = settled_end(text[:length], start)
        if end > start:
            parts.extend(piece_parts(text[start:end], after_blank))
            start, after_blank = end, blank
    parts.extend(piece_parts(text[start:], after_blank))
    assert tuple(parts) == piece_parts(text)


@pytest.mark.parametrize("seed", range(8))
def test_a_long_text_read_in_pieces_is_the_same_as_the_whole(seed: int):
    text = "\n".join(document(number) for number in range(seed * 1_000, seed * 1_000 + 60))
    assert len(text) > PIECE_CHARS
    read = [
        part
        for piece in pieces(text)
        for part in piece_parts(text[piece.start : piece.end], piece.after_blank)
    ]
    assert tuple(read) == piece_parts(text)


def test_pieces_cover_the_text_and_are_small():
    text = "word " * 20_000
    found = list(pieces(text))
    assert "".join(text[piece.start : piece.end] for piece in found) == text
    assert max(piece.end - piece.start for piece in found) <= PIECE_CHARS


def test_many_short_lines_are_many_pieces():
    found = list(pieces("a\n" * (3 * PIECE_LINES)))
    assert len(found) >= 3


def test_a_fence_is_never_cut():
    code = "```\n" + "x = 1\n" * 3_000 + "```\n"
    text = f"before\n\n{code}\nafter\n"
    assert any(code in text[piece.start : piece.end] for piece in pieces(text))


def test_a_page_ends_after_so_many_letters_or_lines():
    assert page_end("a" * (2 * PAGE_CHARS)) == PAGE_CHARS
    assert page_end("\n" * 50_000) == PAGE_LINES
    assert page_end("short") == 5
    lines = ("x" * 999 + "\n") * 200
    assert page_end(lines) == PAGE_CHARS
    assert page_end(lines, len(lines) - 5_000) == len(lines)


def test_nothing_is_settled_before_something_new_begins():
    assert settled_end("A paragraph\n\n") == (0, True)
    assert settled_end("A paragraph\n\nN") == (13, True)
    assert settled_end("```\na\n\nb") == (0, True)
    assert settled_end("```\na\n```\n") == (0, True)
    assert settled_end("```\na\n```\nb") == (10, False)
    assert settled_end("- a\n- ") == (4, False)
    assert settled_end("- a\n--") == (0, True)
