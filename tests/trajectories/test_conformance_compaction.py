"""Facts about compaction: what stays of an artifact that is no longer attached, and where it is cut."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trajectories.support import forms, replayed, said
from tests.trajectories.wire_reading import Block, read_wire

ASK = {"user": "Go", "reply": "Done"}


def shelved(text: str, kind: str = "file", **settings: Any) -> Block:
    """The library's copy of an artifact, once it is no longer attached."""
    attach = {"attach": [{"id": "docs/x.md", "kind": kind, "text": text}], **ASK}
    _, turn = replayed(attach, {"detach": ["docs/x.md"], **ASK}, **settings)
    (block,) = read_wire(said(turn)[0][1]).blocks
    return block


def sections(number: int, length: int) -> str:
    return "".join(f"## Part {n}\n\n{f'word{n} ' * (length // 6)}\n\n" for n in range(1, number + 1))


@pytest.mark.parametrize(("length", "form"), [(4_999, "full"), (5_000, "full"), (5_001, "compacted")])
def test_up_to_5000_characters_stay_verbatim(length: int, form: str):
    """Characters, not bytes: these have three bytes each."""
    text = "ש" * length
    _, turn = replayed(
        {"attach": [{"id": "a", "kind": "file", "text": text}], **ASK}, {"detach": ["a"], **ASK}
    )
    assert forms(turn, "L2") == [("a", form)]


def test_headings_stay_with_500_characters_a_section():
    body = shelved(sections(8, 900)).body
    assert [line for line in body.split("\n") if line.startswith("#")] == [
        f"## Part {n}" for n in range(1, 9)
    ]
    parts = body.split("## Part ")[1:]
    assert all(400 <= len(part) <= 520 for part in parts[:-1])


def test_twenty_sections_stay():
    body = shelved(sections(25, 300)).body
    assert body.count("## Part ") == 20
    assert "[5 more sections omitted]" in body


def test_of_30_sections_10_stay_and_20_are_said_to_be_omitted():
    body = shelved(sections(30, 300), compaction={"max_sections": 10}).body
    assert body.count("## Part ") == 10
    assert "20 more sections omitted" in body


def test_without_headings_it_is_cut_at_four_previews():
    body = shelved("A plain sentence. " * 400).body
    preview = body.rsplit("\n", 1)[0]
    assert 1_900 <= len(preview) <= 2_002
    body = shelved("A plain sentence. " * 400, compaction={"section_chars": 100}).body
    assert 300 <= len(body.rsplit("\n", 1)[0]) <= 402


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("file", "read docs/x.md"),
        ("note", "read docs/x.md"),
        ("url", "fetch docs/x.md"),
        ("folder", "ls docs/x.md"),
    ],
)
def test_source_type_and_how_to_recover_are_kept(kind: str, hint: str):
    block = shelved("word " * 2_000, kind)
    assert (block.attributes["source"], block.attributes["type"]) == ("docs/x.md", kind)
    assert hint in block.body.rsplit("\n", 1)[1]


@pytest.mark.parametrize(
    ("piece", "end"),
    [
        ("Some words here. More of them\n\n", "\n\n"),
        ("One sentence is here. ", "."),
        ("word" * 3 + " ", "word"),
    ],
    ids=["paragraph", "sentence", "word"],
)
def test_it_is_cut_where_something_ends(piece: str, end: str):
    """A cut in the middle of a word reads as another word."""
    text = piece * (6_000 // len(piece))
    preview = shelved(text).body.rsplit("\n", 1)[0].removesuffix(" …")
    assert text.startswith(preview)
    assert preview.endswith(end.strip() or "them")
    assert text[len(preview) :].startswith((" ", "\n"))


@pytest.mark.parametrize("character", ["e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "ก็", "कि", "❤\ufe0f"])
def test_it_is_never_cut_inside_a_character(character: str):
    """Whatever a reader sees as one character, in a text without a single word boundary."""
    for offset in range(4):
        text = "x" * offset + character * (6_000 // len(character) + 1)
        preview = shelved(text).body.rsplit("\n", 1)[0].removesuffix(" …")
        assert text.startswith(preview)
        assert (len(preview) - offset) % len(character) == 0
