"""Counts of a request: made once, kept while it goes on, and stretched to what its server says."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.tokenizer import WordTokenizer
from workbench.context.count.counting import TokenizerCounter
from workbench.context.watch.measuring import (
    measured,
    partly_tokens,
    piece_tokens,
    scaled_to_report,
    shared_pieces,
)
from workbench.context.watch.pieces import Pieces, Place
from workbench.domain.message import Image
from workbench.domain.model import PictureRule
from workbench.domain.watch.request import WatchedRequest

COUNTER = TokenizerCounter(WordTokenizer(), WORD_MODEL)


def asked(*texts: str) -> WatchedRequest:
    into = Pieces()
    for n, words in enumerate(texts):
        into.add_text(Place(f"messages[{n}]", "user", n), words)
    return WatchedRequest("openai", "word-1", into.all())


def test_a_piece_costs_its_words_and_its_framing():
    assert [one.tokens for one in measured(asked("one two three"), (), COUNTER).pieces] == [4 + 3]


def test_a_picture_costs_what_its_model_says():
    into = Pieces()
    into.add(Place("p", "user", 0), "picture", "", image=Image("d", width=1500, height=750))
    rule = PictureRule("pixels", pixels_per_token=750)
    card = TokenizerCounter(WordTokenizer(), replace(WORD_MODEL, pictures=rule))

    assert piece_tokens(into.all()[0], card) == 4 + 1500


def test_what_was_counted_before_keeps_its_count_and_its_text():
    first = measured(asked("one", "two"), (), COUNTER)
    again = asked("one", "two", "three")
    second = measured(again, first.pieces, TokenizerCounter(WordTokenizer(), WORD_MODEL))

    assert second.pieces[0] is first.pieces[0]
    assert second.pieces[1].text is first.pieces[1].text
    assert second.pieces[1].layer == "L4_STRIP"


def test_a_request_sums_to_what_its_server_counts():
    request = measured(asked("one two", "three four five"), (), COUNTER)
    told = scaled_to_report(request, 0, 17)

    assert (told.tokens, told.exact) == (17, True)
    assert [one.tokens for one in told.pieces] == [7, 10]


def test_only_what_is_new_is_stretched_where_the_rest_was_before():
    request = measured(asked("one two", "three four five"), (), COUNTER)

    assert [one.tokens for one in scaled_to_report(request, 1, 14).pieces] == [6, 8]


def test_what_stands_before_the_last_mark_is_told_apart():
    """Anthropic reports what it read and wrote up to the last mark, and what came after it."""
    request = measured(asked("one two", "three four five", "six"), (), COUNTER)
    first, second, third = request.pieces
    marked = replace(request, pieces=(first, replace(second, mark="5m"), third))

    assert [one.tokens for one in scaled_to_report(marked, 0, 22, 14).pieces] == [6, 8, 8]
    assert [one.tokens for one in scaled_to_report(marked, 0, 22, 4).pieces] == [7, 8, 7]


def test_a_count_that_cannot_be_is_not_believed():
    """Ollama drops the front of a long request and reports the rest; some servers report what they read anew."""
    request = measured(asked("one two " * 50), (), COUNTER)

    for told in (None, 0, 9, 9000):
        assert scaled_to_report(request, 0, told) == request


def test_two_texts_may_begin_alike():
    before, after = (measured(asked("Hello.", f"one two three {n}"), (), COUNTER) for n in (4, 5))

    assert shared_pieces(before.pieces, after.pieces) == 1
    assert partly_tokens(before.pieces, after.pieces, COUNTER) == 6
    assert partly_tokens(before.pieces, before.pieces, COUNTER) == 0
