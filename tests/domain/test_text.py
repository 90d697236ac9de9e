"""Text that can be sent, and digests that are the same everywhere."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from workbench.domain import text
from workbench.domain.search_words import word_line, words_of
from workbench.domain.text import digest_chain, digest_text, repair_text


@pytest.mark.parametrize("text", ["", "plain", "é漢😀", "\0$`\\", "ab\u202ecd", "\ufffd", "\ufeff"])
def test_text_that_can_be_sent_stays_the_same_object(text: str):
    assert repair_text(text) is text or repair_text(text) == text


@pytest.mark.parametrize(
    ("text", "sent"), [("a\ud800b", "a\ufffdb"), ("\udfff", "\ufffd"), ("\ude00\ud83d", "\ufffd\ufffd")]
)
def test_lone_surrogates_are_replaced(text: str, sent: str):
    assert repair_text(text) == sent
    assert sent.encode()


def test_a_digest_is_sha_256_of_utf_8():
    assert digest_text("é") == hashlib.sha256("é".encode()).hexdigest()


def test_texts_that_differ_in_half_characters_have_different_digests():
    """Taken for one another, a changed file would be sent as a reference to the old one."""
    assert len({digest_text(text) for text in ("\ud800", "\ud801", "\ufffd", "?", "")}) == 5


def test_a_chain_depends_on_the_order_and_the_cuts():
    one, two = digest_text("1"), digest_text("2")
    assert digest_chain([one, two]) == digest_chain((one, two))
    assert (
        len({digest_chain([one, two]), digest_chain([two, one]), digest_chain([one]), digest_chain([])}) == 4
    )


@pytest.mark.parametrize(
    "text", ["", "Two words", "a_b-c.D9\x00\n\t~x", "Été 漢字 K\u0301", "".join(map(chr, range(128)))]
)
def test_what_is_indexed_are_the_words_of_a_text(text: str):
    assert word_line(text).split() == words_of(text)


class CountingHash:
    """SHA-256 that notes how many bytes it was given."""

    read = 0

    def __init__(self, hashed: Any = None) -> None:
        self._hashed = hashed or hashlib.sha256()

    def update(self, some: bytes) -> None:
        CountingHash.read += len(some)
        self._hashed.update(some)

    def copy(self) -> CountingHash:
        return CountingHash(self._hashed.copy())

    def hexdigest(self) -> str:
        return str(self._hashed.hexdigest())


def test_a_long_text_that_goes_on_is_read_from_where_it_differs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text, "_sha256", CountingHash)
    draft = "".join(f"line {number} of a long draft é漢\ud83d\n" for number in range(40_000))
    edits = (
        draft,
        draft + "x",
        draft[:-1],
        draft[:500_000] + "y" + draft[500_000:],
        "z" + draft,
        draft[:70_000],
    )
    read = []
    for edited in edits:
        CountingHash.read = 0
        assert digest_text(edited) == hashlib.sha256(edited.encode("utf-8", "surrogatepass")).hexdigest()
        read.append(CountingHash.read)
    whole = len(draft.encode("utf-8", "surrogatepass"))
    assert read[0] == whole
    assert max(read[1:3]) < 100_000
    assert read[3] < whole - 400_000
    assert read[4] > whole
