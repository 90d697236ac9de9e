"""Which passages matter, why, and how many of them fit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.near_words import NearWords, packed
from workbench.context.recall.rank import explain, marks, ranked, ranking

NEAR = NearWords(
    packed({"vessel": [("boat", 0.9), ("ship", 0.6)], "boat": [("vessel", 0.9)], "ship": [("vessel", 0.6)]})
)
WORDS = (
    "boat",
    "boats",
    "ship",
    "vessel",
    "harbour",
    "went",
    "go",
    "the",
    "Anna",
    "users_api",
    "Haus",
    "上海",
    "🎉",
    "in May",
)
texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
speakers = st.sampled_from(("user", "assistant", "tool", "Anna", "Ben"))
times = st.sampled_from(("", "2026-05-03T10:00:00Z", "2026-08-01T10:00:00Z"))
talks = st.lists(st.tuples(texts, speakers, times), max_size=14)


def index_of(said) -> PassageIndex:
    index = PassageIndex()
    for number, (text, speaker, when) in enumerate(said):
        index.add(Passage(str(number), text, speaker, when))
    return index


def talk(*said: str) -> PassageIndex:
    return index_of([(text, "user", "") for text in said])


def keys(index: PassageIndex, question: str, near: NearWords | None = None) -> list[str]:
    return [match.key for match in ranked(index, question, near)]


QUIET = (
    "Nice weather today.",
    "Lunch was late.",
    "Music played.",
    "Rain again.",
    "Coffee first.",
    "Trains stood.",
)


def test_other_forms_and_near_words_find_a_message():
    index = talk("We went by vessel.", *QUIET)
    assert keys(index, "Where did they go?")[0] == "0"
    assert keys(index, "Which boats?", NEAR)[0] == "0"
    assert keys(index, "Which boats?") == []


def test_what_is_asked_just_before_finds_its_answer():
    index = talk(*QUIET[:4], "What did you buy at the market?", "A blue vase.", *QUIET[:4])
    assert keys(index, "market purchases")[:2] == ["4", "3"]
    assert "5" in keys(index, "market purchases")


def test_a_named_speaker_counts_double_and_a_role_half_more():
    people = index_of(
        [("a red boat", "Anna", ""), *[(text, "Ben", "") for text in QUIET], ("a red boat", "Ben", "")]
    )
    assert keys(people, "What did Ben say about the boat?")[0] == "7"
    assert keys(people, "What did Anna say about the boat?")[0] == "0"
    roles = index_of(
        [("a red boat", "user", ""), *[(text, "tool", "") for text in QUIET], ("a red boat", "assistant", "")]
    )
    assert keys(roles, "What did you tell about the boat?")[0] == "7"
    assert keys(roles, "Did I say boat?")[0] == "0"


QUIET_TOOL = [(text, "tool", "") for text in QUIET]


def _greeted(times: int, *more: tuple[str, str, str]) -> PassageIndex:
    """Two roles of whom the assistant is called Claude and the user Anna, each by the other."""
    greetings = [("Thanks, Claude! Noted.", "user", ""), ("Hi Anna, here it is.", "assistant", "")] * times
    return index_of(
        [("a red boat", "user", ""), *greetings, *more, *QUIET_TOOL, ("a red boat", "assistant", "")]
    )


def test_whom_the_other_one_calls_by_a_name_is_a_named_speaker():
    index = _greeted(3)
    last = str(len(index) - 1)
    assert keys(index, "What did Claude say about the boat?")[0] == last
    assert keys(index, "What did Anna say about the boat?")[0] == "0"
    assert keys(index, "Did I say boat?")[0] == "0"


def test_a_name_that_is_rarely_called_or_by_both_is_a_word_like_any_other():
    assert _greeted(2).names_of_roles() == {}
    both = _greeted(3, ("Hi Anna, hi Claude!", "user", ""))
    assert both.names_of_roles() == {"claude": "assistant"}
    assert index_of([("Thanks, Python. Hello world", "tool", "")] * 5).names_of_roles() == {}
    assert index_of([("thanks, dear all, hi there", "user", "")] * 5).names_of_roles() == {}


def test_a_month_brings_what_was_said_then():
    index = index_of(
        [
            ("a boat", "user", "2026-08-01"),
            *[(text, "user", "") for text in QUIET],
            ("a boat", "user", "2026-05-09"),
        ]
    )
    assert keys(index, "Which boat was in May?")[0] == "7"


@pytest.mark.parametrize(
    "question",
    ["What of 9 May?", "What of the 9th of May 2026?", "What of May 9?", "5月9日?", "Was am 9. Mai?"],
)
def test_a_day_brings_what_was_said_then_and_in_the_next_days(question):
    days = ("2026-05-01", "2026-05-09", "2026-05-12", "2026-05-13", "2026-06-09")
    index = index_of([("a boat", "user", day) for day in days])
    assert sorted(keys(index, question)[:2]) == ["1", "2"]
    assert keys(index, question.replace("9", "28"))[0] == "0"  # nothing was said then: the month counts


def test_the_kind_of_something_is_no_word_of_a_question():
    index = talk("A kind word.", *QUIET, "The boat is a yawl.")
    assert keys(index, "What kind of boat is it?")[0] == str(len(index) - 1)
    assert keys(index, "Who was kind?")[0] == "0"


@pytest.mark.parametrize("question", ["", "   ", "what did the", "?!", "🎉", "\0", "\ud800", "zebra"])
def test_a_question_that_says_nothing_finds_nothing(question):
    index = talk("We went by vessel.", *QUIET)
    assert not ranked(index, question, NEAR)
    assert len(ranked(index, question, NEAR)) == 0
    assert keys(PassageIndex(), question) == []


def test_equals_are_in_the_order_in_which_they_were_said():
    index = talk("red boat", *QUIET, "red boat", *QUIET, "red boat")
    assert keys(index, "red boat")[:3] == ["0", "7", "14"]


@given(talks, texts)
def test_slices_give_the_same_as_one_go_whatever_is_remembered(said, question):
    index = index_of(said)
    at_once = list(ranked(index, question, NEAR))
    assert list(ranked(index, question, NEAR)) == at_once
    assert list(ranked(index_of(said), question, NEAR)) == at_once
    scores = [match.score for match in at_once]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert [
        match for number, match in enumerate(at_once) if ranked(index, question, NEAR)[number] != match
    ] == []


@given(talks, texts, texts, st.integers(0, 30))
def test_a_message_that_comes_in_between_counts(said, later, question, after):
    """A ranking that went on with places of an older index would give scores to the wrong messages."""
    index = index_of(said)
    steps, number, result = ranking(index, question, NEAR), 0, None
    while result is None:
        if number == after:
            index.add(Passage("later", later, "user"))
        try:
            next(steps)
        except StopIteration as done:
            result = done.value
        number += 1
    if number > after:
        fresh = index_of(said)
        fresh.add(Passage("later", later, "user"))
        assert list(result) == list(ranked(fresh, question, NEAR))


@given(talks, texts)
def test_the_parts_of_an_explanation_add_up_to_the_score(said, question):
    index = index_of(said)
    for match in ranked(index, question, NEAR):
        why = explain(index, question, NEAR, match.key)
        assert why.score == pytest.approx(match.score)
        assert sum(word.part for word in why.words) == pytest.approx(match.score)
        passage = index.passages[index.places[match.key]]
        assert passage is not None
        found = marks(passage.text, why.words)
        for word in why.words:
            assert word.word in question
            if word.kind in ("exact", "near"):
                place = passage.text.index(word.found)
                assert any(mark.start <= place and place + len(word.found) <= mark.end for mark in found), (
                    word,
                    found,
                )
        assert all(one.end <= other.start for one, other in pairwise(found))


def test_an_explanation_tells_the_word_the_form_and_the_kind():
    index = talk("Yesterday we went out by boat.", *QUIET)
    why = explain(index, "Did they go on a vessel?", NEAR, "0")
    assert [(word.word, word.found, word.kind) for word in why.words] == [
        ("go", "went", "exact"),
        ("vessel", "boat", "near"),
    ]
    assert [
        (mark.start, mark.end, mark.kind) for mark in marks("Yesterday we went out by boat.", why.words)
    ] == [
        (13, 17, "exact"),
        (25, 29, "near"),
    ]
    beside = explain(index, "Did they go on a vessel?", NEAR, "1")
    assert [(word.found, word.kind) for word in beside.words] == [("", "neighbour"), ("", "neighbour")]
    assert explain(index, "vessel", NEAR, "nobody").words == ()


def test_many_are_in_the_same_order_as_when_all_are_put_in_order_at_once():
    """Only the best are sorted at first; the steps must meet without a gap."""
    index = talk(
        *[f"{'boat ' * (number % 7)} {'harbour ' * (number % 3)} word{number}" for number in range(2_500)]
    )
    matches = ranked(index, "boat in the harbour", NEAR)
    best = matches[:40]
    everything = list(matches)
    assert best == everything[:40]
    assert matches[-1] == everything[-1]
    assert [match.score for match in everything] == sorted(
        (match.score for match in everything), reverse=True
    )
    assert sorted(int(match.key) for match in everything) == list(range(2_500))
    for match in everything[::250]:
        assert explain(index, "boat in the harbour", NEAR, match.key).score == pytest.approx(match.score)
    with pytest.raises(IndexError):
        matches[2_500]


def test_a_very_long_line_is_one_more_message():
    index = talk("boat " * 200_000, *QUIET, "one boat")
    assert set(keys(index, "boat")) >= {"0", "7"}
