"""The memo: what was counted once is never counted again, and an edit costs only its neighbourhood."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.real_encodings import O200K
from tests.fakes.tokenizer import WordTokenizer
from workbench.context.count import memo as memo_module
from workbench.context.count.memo import CountMemo, DigestCounts
from workbench.domain.segment import Segment
from workbench.domain.text import digest_bytes

PAGE = "".join(f"line {n} of a long page\n" for n in range(400))


def test_it_goes_by_the_name_of_what_it_remembers():
    assert CountMemo(WordTokenizer()).name == "words"


@pytest.mark.parametrize("text", ["short", "long " * 100, PAGE], ids=["short", "long", "page"])
def test_a_text_is_counted_once(text: str):
    tokenizer = WordTokenizer()
    memo = CountMemo(tokenizer)
    assert memo.count(text) == memo.count(text) == WordTokenizer().count(text)
    assert tokenizer.asked == [text]


def _segments(*texts: str) -> list[Segment]:
    return [Segment("m", "L4_STRIP", "user", text, "") for text in texts]


def test_many_texts_are_counted_once_in_one_go_and_kept():
    tokenizer = WordTokenizer()
    memo = CountMemo(tokenizer)
    memo.count("two words")
    memo.count_all(_segments("two words", "one", "three more words", "one", PAGE))
    assert tokenizer.asked == ["two words", "one", "three more words", PAGE]
    assert [memo.count(text) for text in ("one", "three more words", PAGE)] == [
        1,
        3,
        WordTokenizer().count(PAGE),
    ]
    assert len(tokenizer.asked) == 4
    assert memo.take_new().keys() == {digest_bytes(text) for text in tokenizer.asked}


def test_a_page_counted_in_one_go_is_counted_by_its_changed_words_afterwards():
    """Also among many: each of the files that are attached may be the one that was edited."""
    tokenizer = WordTokenizer()
    memo = CountMemo(tokenizer)
    memo.count_all(_segments("one", PAGE))
    tokenizer.asked.clear()
    memo.count_all(_segments("two", edited := PAGE + "another line\n"))
    assert memo.count(edited) == WordTokenizer().count(edited)
    assert max(map(len, tokenizer.asked)) < 100


def test_counts_that_are_known_already_are_not_counted_in_one_go():
    known = CountMemo(WordTokenizer())
    known.count("three more words")
    tokenizer = WordTokenizer()
    memo = CountMemo(tokenizer, known.counts)
    memo.count_all(_segments("three more words"))
    assert memo.count("three more words") == 3
    assert (tokenizer.asked, memo.take_new()) == ([], {})


def test_a_question_is_counted_by_what_a_key_changed_whatever_else_is_counted_between():
    tokenizer = WordTokenizer()
    memo, question = CountMemo(tokenizer), "some words of a question " * 20
    memo.count(question)
    for number in range(3):
        memo.count(f"{number} another text of that length" * 15)
    tokenizer.asked.clear()
    assert memo.count(question + "q") == WordTokenizer().count(question + "q")
    assert max(map(len, tokenizer.asked)) < 20


@pytest.mark.parametrize("text", ["short", "long " * 100, PAGE], ids=["short", "long", "page"])
def test_counts_survive_their_memo(text: str):
    """The store hands them back in after a restart, and nothing is counted again."""
    counts = CountMemo(WordTokenizer())
    tokens = counts.count(text)
    tokenizer = WordTokenizer()
    assert CountMemo(tokenizer, DigestCounts(counts.counts)).count(text) == tokens
    assert tokenizer.asked == []


def test_long_texts_are_remembered_by_their_digest_alone():
    memo = CountMemo(WordTokenizer())
    memo.count(PAGE)
    (key,) = memo.counts
    assert isinstance(key, bytes)
    assert len(key) == 32


@pytest.mark.parametrize("place", [0, 24, len(PAGE) // 2, len(PAGE)])
def test_an_edit_of_a_page_counts_only_what_is_near_it(place: int):
    tokenizer = WordTokenizer()
    memo = CountMemo(tokenizer)
    memo.count(PAGE)
    tokenizer.asked.clear()
    edited = PAGE[:place] + "new words " + PAGE[place:]
    assert memo.count(edited) == WordTokenizer().count(edited)
    assert max(map(len, tokenizer.asked)) < 100


def test_a_page_that_has_nothing_to_do_with_the_last_one_is_counted_in_full():
    memo = CountMemo(WordTokenizer())
    memo.count(PAGE)
    other = "something else " * 1000
    assert memo.count(other) == WordTokenizer().count(other)


def test_several_pages_are_edited_in_turn():
    tokenizer = WordTokenizer()
    memo = CountMemo(tokenizer)
    pages = [letter * 40 + "\n" + PAGE.replace("line", letter) for letter in "abcd"]
    for page in pages:
        memo.count(page)
    tokenizer.asked.clear()
    for page in pages:
        assert memo.count(page + "more") == WordTokenizer().count(page + "more")
    assert max(map(len, tokenizer.asked)) < 100


@settings(max_examples=tries(50))
@given(
    places=st.lists(st.integers(0, len(PAGE)), min_size=1, max_size=6),
    typed=st.sampled_from(["x", "\n", " ", "/", "\r\n", "é", "\n\n/", "😀", ""]),
    cut=st.integers(0, 30),
)
def test_typing_and_deleting_is_counted_exactly(places: list[int], typed: str, cut: int):
    memo, text = CountMemo(O200K), PAGE
    memo.count(text)
    for place in places:
        text = text[:place] + typed + text[place + cut :]
        assert memo.count(text) == O200K.count(text)


def test_shared_starts_are_the_tokenizer_s_own():
    assert CountMemo(WordTokenizer()).common_prefix("a b c", "a b d") == 2


def test_half_characters_are_not_taken_for_question_marks():
    memo = CountMemo(O200K)
    for text in ("a?.b" * 40, "a\ud800.b" * 40):
        assert memo.count(text) == O200K.count(text)


def test_a_memo_apart_knows_what_is_known_and_changes_nothing_until_it_is_taken_over():
    """It counts in a thread, where nothing that the loop uses may change."""
    tokenizer = WordTokenizer()
    memo = CountMemo(tokenizer)
    memo.count("known before")
    memo.take_new()
    apart = memo.copy()
    tokenizer.asked.clear()
    assert (apart.count("known before"), apart.count(PAGE)) == (2, WordTokenizer().count(PAGE))
    assert tokenizer.asked == [PAGE]
    assert (len(memo.counts), memo.take_new(), apart.name) == (1, {}, "words")
    memo.merge(apart)
    tokenizer.asked.clear()
    assert memo.count(PAGE) == WordTokenizer().count(PAGE)
    assert tokenizer.asked == []
    assert len(memo.counts) == 2
    assert len(memo.take_new()) == 1


def test_long_text_is_counted_apart_in_pieces():
    tokenizer = WordTokenizer()
    apart = CountMemo(tokenizer).copy()
    assert apart.count(PAGE * 20) == 20 * WordTokenizer().count(PAGE)
    assert len(tokenizer.asked) > 1


def test_of_many_counts_those_are_kept_that_are_asked_for(monkeypatch):
    """With a million messages in the store, counts of chats that were closed long ago must not stay."""
    monkeypatch.setattr(memo_module, "_MOST_COUNTS", 10)
    counts, used = DigestCounts(), digest_bytes("used")
    counts.know({used: 7})
    for number in range(100):
        counts.know({number.to_bytes(32): number})
        assert counts.find(used) == 7
        assert len(counts) <= 10
    assert counts.find((99).to_bytes(32)) == 99
    assert counts.find((3).to_bytes(32)) is None


def test_a_long_draft_is_not_at_hand_once_for_every_letter():
    memo, text = CountMemo(WordTokenizer()), PAGE
    memo.count(text)
    for _ in range(50):
        text += "x"
        memo.count(text)
    assert (list(memo._hot), len(memo.take_new())) == ([text], 1)
