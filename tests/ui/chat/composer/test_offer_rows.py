"""What a row of the list behind an @ says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.completion_view import Offer, verdict_on
from workbench.ui.chat.composer.completion import OfferModel, OfferWords, offer_words

VIEW = replace(sample_view(), total_tokens=10_000, limit_tokens=16_000, threshold_tokens=12_800)


def said(offer: Offer) -> OfferWords:
    return offer_words(offer, verdict_on(offer, VIEW))


PART = Offer("part", "f", "@s#f", "s#f")
FILE = Offer("file", "a.md", "@docs/a.md", "docs/a.md", where="docs")


def costing(offer: Offer, tokens: int, **changes: object) -> Offer:
    return replace(offer, **{"tokens": tokens, "added_tokens": tokens, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("offer", "words"),
    [
        (Offer("command", "@search", "@search"), ("@search", "words in all files", "", "")),
        (FILE, ("a.md", "docs", "", "…")),
        (costing(PART, 2_480, pages=(24, 27)), ("f", "p. 24–27", "", "2,480")),
        (replace(PART, pages=(24, 24), tokens=9, attached=True), ("f", "p. 24", "chosen", "9")),
        (costing(PART, 3_000, lines=(3, 9)), ("f", "lines 3–9", "200 past trim", "3,000")),
        (
            costing(PART, 9_000, added_tokens=4_347, in_part=True),
            ("f", "", "rest is 1,547 past trim", "9,000"),
        ),
        (
            costing(Offer("whole", "s", "@s", "s", pages=(1, 84)), 61_240),
            ("whole file", "84 pages", "over by 55,240", "61,240"),
        ),
        (costing(FILE, 7_000, estimated=True), ("a.md", "docs", "over by 1,000", "≈ 7,000")),
        (replace(FILE, problem="it is no text"), ("a.md", "docs", "it is no text", "")),
        (Offer("chat", "Old plan", "@chat:x", "chat:x", tokens=5), ("Old plan", "chat", "", "5")),
        (
            Offer("attached", "tur\u202ened", "@t", "t", tokens=5, attached=True),
            ("tur⟨U+202E⟩ned", "", "attached", "5"),
        ),
    ],
)
def test_a_row_says_what_it_is_where_and_whether_it_fits(offer: Offer, words: tuple[str, str, str, str]):
    assert said(offer) == OfferWords(*words)


def test_a_request_without_a_trim_mark_says_only_what_is_over():
    offer = Offer("file", "a", "@a", "a", tokens=5_000, added_tokens=5_000)
    assert verdict_on(offer, replace(VIEW, threshold_tokens=None)).code == ""
    assert verdict_on(offer, None).code == ""


def test_the_same_offers_with_more_figures_are_no_new_list(qapp):
    model = OfferModel()
    offer = Offer("file", "a", "@a", "a")
    assert model.show_offers((offer,), VIEW)
    assert not model.show_offers((replace(offer, tokens=5),), VIEW)
    assert model.words_of(model.items[0]).tokens == "5"
