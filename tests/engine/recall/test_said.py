"""The index of a chat follows its history: growth is added, another branch read anew, names recognised."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.turns import assistant, user
from workbench.context.recall.rank import ranked, run_to_end
from workbench.context.recall.terms import terms
from workbench.domain.message import Message
from workbench.engine.recall.finding import SaidIndex, words_of

TALK = tuple(user(f"m{n}", f"word{n} and something about trees number{n % 3}") for n in range(120))


def keys(said: SaidIndex) -> list[str]:
    return [passage.key for passage in said.index]


def test_what_is_new_is_added_to_what_is_known():
    said = SaidIndex()
    run_to_end(said.follow(TALK[:100], {}))
    index = said.index
    run_to_end(said.follow(TALK, {"m110": "2026-01-01T00:00:00Z"}))
    assert said.index is index
    assert keys(said) == [one.id for one in TALK]
    assert [passage.when_utc for passage in said.index][110] == "2026-01-01T00:00:00Z"


def test_another_branch_is_read_anew():
    said = SaidIndex()
    run_to_end(said.follow(TALK, {}))
    other = (*TALK[:50], user("edited", "nothing of this was said before"))
    run_to_end(said.follow(other, {}))
    assert keys(said) == [one.id for one in other]


def test_it_is_read_in_slices_and_another_reading_in_between_does_not_harm():
    said, other = SaidIndex(), tuple(reversed(TALK))
    steps = said.follow(TALK, {})
    assert next(steps, "over") is None
    run_to_end(said.follow(other, {}))
    run_to_end(steps)
    assert keys(said) == [one.id for one in TALK]


def test_names_that_messages_begin_with_are_speakers():
    lines = (
        "Anna: I bought a boat",
        "Ben: which colour?",
        "Anna: blue",
        "Ben: nice",
        "Anna: yes",
        "Ben: well",
    )
    talk = tuple(user(f"m{n}", line) for n, line in enumerate(lines))
    said = SaidIndex()
    run_to_end(said.follow(talk, {}))
    assert [(one.speaker, one.text) for one in said.index][:2] == [
        ("Anna", "I bought a boat"),
        ("Ben", "which colour?"),
    ]
    assert words_of(user("x", "Note: this is no name")) == ("Note: this is no name", "user")


def test_a_message_that_only_asks_the_same_is_known_for_it():
    said = SaidIndex()
    run_to_end(
        said.follow((user("q", "Where is my key?"), assistant("a", "Under the stone, my friend.")), {})
    )
    asked = frozenset(stem for term in terms("where is my key") for stem in term.stems)
    assert said.says_only("q", asked)
    assert not said.says_only("a", asked)
    assert not said.says_only("gone", asked)


@given(st.lists(st.integers(0, 12), max_size=6), st.lists(st.text("ab. \n", max_size=12), max_size=12))
def test_followed_step_by_step_is_the_same_as_read_at_once(cuts: list[int], texts: list[str]):
    talk = tuple(Message(f"m{n}", "user", (text,)) for n, text in enumerate(texts))
    said, fresh = SaidIndex(), SaidIndex()
    for cut in (*cuts, len(talk)):
        run_to_end(said.follow(talk[:cut], {}))
    run_to_end(fresh.follow(talk, {}))
    assert keys(said) == keys(fresh)
    found = [[(m.key, m.score) for m in ranked(one.index, "a ab b", None)] for one in (said, fresh)]
    assert found[0] == found[1]
