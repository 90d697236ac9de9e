"""An index that grew is the index that would have been made at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.rank import ranked, read_question

WORDS = (
    "boat",
    "boats",
    "harbour",
    "went",
    "go",
    "red",
    "ERR_42",
    "Haus",
    "Häuser",
    "die",
    "und",
    "上海",
    "the",
    "is",
)
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
passages = st.lists(
    st.tuples(texts, st.sampled_from(("user", "assistant")), st.sampled_from(("", "a", "b"))), max_size=12
)


def index_of(said: list[tuple[str, str, str]]) -> PassageIndex:
    index = PassageIndex()
    for number, (text, speaker, group) in enumerate(said):
        index.add(Passage(str(number), text, speaker, group=group))
    return index


def order(index: PassageIndex, question: str) -> list[tuple[str, float]]:
    return [(match.key, match.score) for match in ranked(index, question, None)]


@given(passages, texts, texts, st.integers(0, 11))
def test_after_an_edit_and_a_removal_it_is_as_if_made_anew(said, edit, question, number):
    index = index_of(said)
    order(index, question)  # so that something is remembered that must not be used again
    key = str(number)
    if key in index:
        old = index.passages[index.places[key]]
        assert old is not None
        index.add(Passage(key, edit, old.speaker, group=old.group))
        changed = [*said[:number], (edit, *said[number][1:]), *said[number + 1 :]]
        assert order(index, question) == order(index_of(changed), question)
        index.remove(key)
        without = PassageIndex()
        for other in index:
            without.add(other)
        assert key not in index
        assert order(index, question) == order(without, question)
    index.remove("nobody")


def test_a_match_does_not_lift_neighbours_in_another_group():
    index = index_of([("a boat", "user", "a"), ("nothing", "user", "b"), ("little", "user", "b")])
    assert [key for key, _ in order(index, "boat")] == ["0"]
    together = index_of([("a boat", "user", "a"), ("nothing", "user", "a"), ("little", "user", "b")])
    assert [key for key, _ in order(together, "boat")] == ["0", "1"]


def test_a_question_of_one_word_is_read_in_the_languages_there_are():
    index = index_of([("Wir haben die Häuser in der Stadt gesehen", "user", "")] * 2)
    assert len(order(index, "Haus")) == 2


def test_german_compounds_are_found_by_their_first_part():
    index = index_of(
        [("Der Zahnarzttermin ist am Montag", "user", ""), *[("Das ist gut und schön", "user", "")] * 8]
    )
    assert order(index, "Wann muss ich zum Zahnarzt?")[0][0] == "0"


def test_a_month_is_one_only_where_it_is_meant():
    index = PassageIndex()
    for day in ("2026-04-30", "2026-05-20", "2026-06-09", "2026-06-11", "2025-05-02", "some day"):
        index.add(Passage(day, "x", "user", f"{day}T10:00:00Z"))

    def meant(question: str) -> list[str]:
        month = read_question(index, question).month
        return sorted(key for key, place in index.places.items() if month and place in month.places)

    assert meant("What did we see in May 2026?") == ["2026-05-20", "2026-06-09"]
    assert meant("Was war im Mai?") == ["2025-05-02", "2026-05-20", "2026-06-09"]
    assert meant("5月去了哪里") == ["2025-05-02", "2026-05-20", "2026-06-09"]
    assert meant("What may we see?") == []
