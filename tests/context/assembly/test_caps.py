"""Last-N and the token cap: what they cut is emptied in place, calls and results stay together."""

from __future__ import annotations

from tests.fakes.counter import LetterCounter
from tests.fakes.turns import RENDERERS, assistant, result, system, user
from workbench.context.assembly.history import normalise
from workbench.context.assembly.previews import Capping, cap_history
from workbench.context.assembly.select import Admission
from workbench.domain.envelope import WireMessage
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import FilterSettings, HistorySettings
from workbench.domain.turn import Tuning

TALK = (user("u1", "12345"), assistant("a1", "12345"), user("u2", "12345"), assistant("a2", "12345"))
CALLED = (
    user("u1"),
    assistant("a1", "", "c1", "c2"),
    result("r1", "c1"),
    result("r2", "c2"),
    assistant("a2", "ok"),
)


def messages(*said: Message) -> tuple[WireMessage, ...]:
    return normalise(said, Admission(FilterSettings()), Tuning(), RENDERERS).messages


def capped(
    *said: Message, last_n: int | None = None, tokens: int | None = None, pinned: str = ""
) -> list[list[str]]:
    settings = HistorySettings(last_n_messages=last_n, max_tokens=tokens)
    found = cap_history(messages(*said), Capping(settings, frozenset(pinned.split()), LetterCounter()))
    return [[segment.id for segment in message.segments] for message in found]


def test_without_caps_history_is_the_same_object():
    said = messages(*TALK)
    assert cap_history(said, Capping(HistorySettings(), frozenset(), LetterCounter())) is said


def test_the_last_n_stay_and_the_rest_keep_their_places_empty():
    """Trim boundaries are indices in this list; it must not get shorter."""
    assert capped(*TALK, last_n=2) == [[], [], ["u2"], ["a2"]]
    assert capped(*TALK, last_n=3) == [[], ["a1"], ["u2"], ["a2"]]


def test_last_zero_is_none_and_a_large_n_is_all():
    assert capped(*TALK, last_n=0) == [[], [], [], []]
    assert capped(*TALK, last_n=99) == [["u1"], ["a1"], ["u2"], ["a2"]]


def test_merged_messages_are_counted_and_cut_one_by_one():
    assert capped(user("u1"), user("u2"), assistant("a"), last_n=2) == [["u2"], ["a"]]


def test_a_cut_group_is_renamed_after_what_remains_and_loses_its_separator():
    said = messages(user("u1", "one"), user("u2", "two"))
    (found,) = cap_history(said, Capping(HistorySettings(last_n_messages=1), frozenset(), LetterCounter()))
    assert (found.id, found.content, found.merged) == ("u2", "two", False)


def test_the_token_cap_keeps_the_longest_run_of_newest():
    # Each message costs 6: five letters and its framing.
    assert capped(*TALK, tokens=12) == [[], [], ["u2"], ["a2"]]
    assert capped(*TALK, tokens=17) == [[], [], ["u2"], ["a2"]]
    assert capped(*TALK, tokens=18) == [[], ["a1"], ["u2"], ["a2"]]
    assert capped(*TALK, tokens=0) == [[], [], [], []]


def test_a_gap_is_not_filled_with_something_older_that_would_fit():
    said = (user("u1", "1"), assistant("a1", "x" * 50), user("u2", "1"))
    assert capped(*said, tokens=10) == [[], [], ["u2"]]


def test_both_caps_hold_together():
    assert capped(*TALK, last_n=1, tokens=100) == [[], [], [], ["a2"]]
    assert capped(*TALK, last_n=3, tokens=6) == [[], [], [], ["a2"]]


def test_system_records_and_pinned_messages_stay():
    said = (system("s", "rules"), *TALK)
    assert capped(*said, last_n=1, pinned="u1") == [["s"], ["u1"], [], [], ["a2"]]


def test_what_is_pinned_is_paid_first():
    assert capped(*TALK, tokens=12, pinned="u1") == [["u1"], [], [], ["a2"]]


def test_what_is_pinned_stays_even_beyond_the_cap():
    assert capped(*TALK, tokens=0, pinned="u1") == [["u1"], [], [], []]


def test_a_result_whose_call_was_cut_goes_with_it():
    assert capped(*CALLED, last_n=2) == [[], [], [], ["a2"]]


def test_a_call_that_stays_keeps_all_its_results():
    assert capped(*CALLED, last_n=1, pinned="a1") == [[], ["a1"], ["r1", "r2"], ["a2"]]


def test_a_pinned_result_keeps_its_call_and_so_the_call_s_other_results():
    assert capped(*CALLED, last_n=1, pinned="r2") == [[], ["a1"], ["r1", "r2"], ["a2"]]


def test_the_cap_counts_the_partners_that_stay():
    """A call kept by a pin brings results along; they are part of what earlier messages cost."""
    said = (user("u1", "x"), assistant("a1", "", "c1"), result("r1", "c1", "12345"), assistant("a2", "12345"))
    assert capped(*said, tokens=18, pinned="a1") == [[], ["a1"], ["r1"], []]
    assert capped(*said, tokens=19, pinned="a1") == [[], ["a1"], ["r1"], ["a2"]]


def test_a_pinned_part_of_a_merged_message_is_paid_once():
    said = (user("u1", "123"), user("u2", "123"))
    # Framing 1, three letters twice, and the blank line between them.
    assert capped(*said, tokens=9, pinned="u1") == [["u1", "u2"]]
    assert capped(*said, tokens=8, pinned="u1") == [["u1"]]


def test_of_a_run_of_messages_the_newest_that_fit_stay():
    """Ten messages of one speaker are one message on the wire, and were all or nothing."""
    said = [user(f"u{number}", "12345") for number in range(10)]
    # Framing 1, five letters each, and a blank line between two.
    assert capped(*said, tokens=20) == [["u7", "u8", "u9"]]
    assert capped(*said, tokens=6) == [["u9"]]
    assert capped(*said, tokens=5) == [[]]


def test_results_that_have_no_room_go_out_as_placeholders_the_oldest_first():
    said = (
        user("u"),
        assistant("a1", "", "c1", "c2"),
        result("r1", "c1", "x" * 100),
        result("r2", "c2", "y" * 20),
    )
    cap = Capping(HistorySettings(max_tokens=80), frozenset(), LetterCounter())
    found = cap_history(messages(*said), cap)
    assert [[(one.id, one.form) for one in message.segments] for message in found] == [
        [],
        [("a1", "full")],
        [("r1", "trimmed"), ("r2", "full")],
    ]
    # Nothing left of the results: the call goes with them.
    assert capped(*said, tokens=10) == [[], [], []]
