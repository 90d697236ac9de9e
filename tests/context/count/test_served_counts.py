"""Counts from a server: known by content, noted where they are missing, learned once."""

from __future__ import annotations

import hashlib

from tests.fakes.tokenizer import WordTokenizer
from workbench.context.count import served
from workbench.context.count.served import ServedCounts


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def test_what_nobody_counted_is_estimated_and_noted_once():
    counts = ServedCounts(WordTokenizer())
    assert (counts.known("two words"), counts.known("two words")) == (None, None)
    assert counts.estimated("two words") == 2
    assert counts.missing() == ("two words",)


def test_nothing_is_nothing():
    counts = ServedCounts(WordTokenizer())
    assert counts.known("") == 0
    assert counts.missing() == ()


def test_what_was_learned_is_known_and_no_longer_missing():
    counts = ServedCounts(WordTokenizer())
    counts.known("one"), counts.known("two")
    counts.learn({"one": 7})
    assert (counts.known("one"), counts.missing()) == (7, ("two",))


def test_what_was_learned_is_handed_out_to_be_kept_once():
    counts = ServedCounts(WordTokenizer())
    counts.learn({"one": 7})
    new = counts.take_new()
    assert new.pop(digest("one")) == 7
    assert sorted(new.values()) == [1, 7]  # the sums, estimated and served
    assert counts.take_new() == {}


def test_estimates_are_corrected_by_what_the_server_counted_also_after_a_restart():
    """The estimate for the built-in model was 13 % low on the sample and 23 % on a large file, every time anew."""
    counts, later = ServedCounts(WordTokenizer()), ServedCounts(WordTokenizer())
    unseen = "new words " * 50
    assert counts.estimated(unseen) == 101
    counts.learn({"some words " * 200: 500})  # 400 by our own encoding
    assert counts.estimated(unseen) == 126
    later.recall(counts.take_new())
    assert later.estimated(unseen) == 126
    assert later.copy(WordTokenizer()).estimated(unseen) == 126


def test_a_few_words_say_nothing_about_an_encoding():
    counts = ServedCounts(WordTokenizer())
    counts.learn({"two words": 9})
    assert counts.estimated("new words " * 50) == 101


def test_what_was_kept_is_known_again_and_not_kept_again():
    counts = ServedCounts(WordTokenizer())
    counts.known("one")
    counts.recall({digest("one"): 7})
    assert (counts.known("one"), counts.missing(), counts.take_new()) == (7, (), {})


def test_every_lesson_is_a_revision_and_nothing_is_none():
    counts = ServedCounts(WordTokenizer())
    seen = [counts.revision]
    for lesson in ({}, {"a": 1}, {"b": 1}):
        counts.learn(lesson)
        seen.append(counts.revision)
    counts.recall({})
    assert (*seen, counts.revision) == (0, 0, 1, 2, 2)


def test_wishes_that_nobody_fulfils_do_not_pile_up(monkeypatch):
    """`replay` has no server: what it wants counted must not stay in memory for ever."""
    monkeypatch.setattr(served, "_MOST_MISSING", 3)
    counts = ServedCounts(WordTokenizer())
    for number in range(10):
        counts.known(f"text {number}")
    assert counts.missing() == ("text 7", "text 8", "text 9")


def test_texts_at_hand_are_let_go_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(served, "_HOT_CHARACTERS", 10)
    counts = ServedCounts(WordTokenizer())
    counts.learn({f"a text of some length {number}": number for number in range(5)})
    assert [counts.known(f"a text of some length {number}") for number in range(5)] == [0, 1, 2, 3, 4]
    assert len(counts._hot) < 5


def test_lone_surrogates_are_a_text_too():
    counts = ServedCounts(WordTokenizer())
    counts.learn({"\ud800": 3})
    assert counts.known("\ud800") == 3


def test_what_texts_share_is_an_estimate():
    assert ServedCounts(WordTokenizer()).shared_estimate("a b c", "a b d") == 2


def test_counts_apart_know_what_is_known_and_note_for_themselves():
    counts = ServedCounts(WordTokenizer())
    counts.learn({"two words": 3})
    apart = counts.copy(WordTokenizer())
    assert (apart.known("two words"), apart.known("never seen")) == (3, None)
    assert (apart.missing(), counts.missing()) == (("never seen",), ())
    apart.learn({"never seen": 4})
    assert counts.known("never seen") is None
