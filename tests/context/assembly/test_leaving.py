"""A full chat goes on: its oldest exchanges leave whole, one line says so, and what fits again is back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.catalogue import CACHED_MODEL, WORD_MODEL
from tests.fakes.counter import LetterCounter
from tests.fakes.effort import tries
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import artifact, assistant, build, result, segment, user, wire
from workbench.context.assembly.leaving import LEFT, Leaving, RemainingHistory, spans_of
from workbench.context.count.calibration import CalibratedCounter
from workbench.context.invariants import violations
from workbench.domain.change import Built
from workbench.domain.envelope import TrimState, WireMessage
from workbench.domain.memo import Growing
from workbench.domain.message import Role
from workbench.domain.model import Calibration
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.turn import LibraryEntry, Tuning


def full(window: int, keep: int = 2, **changes: Any) -> ContextSettings:
    rules = HistorySettings(threshold=1.0, when_full="exchanges", keep_last_n_assistant=keep, **changes)
    return ContextSettings(model="word-1", context_window=window, reserved_output_tokens=0, history=rules)


def talk(turns: int, words: int = 40) -> tuple[Any, ...]:
    return tuple(
        m for n in range(turns) for m in (user(f"u{n}", "asked " * 10), assistant(f"a{n}", "said " * words))
    )


def made(chosen: ContextSettings, **changes: Any) -> Built:
    built = build(chosen, **{"question": user("q", "what now"), "model": CACHED_MODEL, **changes})
    assert violations(built) == ()
    return built


def ids(built: Built) -> list[str]:
    return [segment.id for message in built.envelope.messages for segment in message.segments]


def test_the_oldest_exchanges_leave_whole_and_one_line_at_the_head_of_what_stays_says_so():
    built = made(full(300), history=talk(8))
    envelope = built.envelope
    left = envelope.cuts.trimmed_messages
    assert left[:4] == ("u0", "a0", "u1", "a1")
    assert not set(left) & set(ids(built))
    first = envelope.messages[0] if envelope.messages[0].role == "user" else envelope.messages[1]
    assert (first.segments[0].id, first.segments[1].id) == (LEFT, f"u{len(left) // 2}")
    assert first.content.startswith(f"[{len(left) // 2} turns before this one, ")
    assert envelope.total_tokens <= 300
    gone = [s for s in envelope.layer("L4_STRIP").segments if s.form == "trimmed"]
    assert [(s.id, s.sent, s.text) for s in gone] == [(key, False, "") for key in left]


def test_what_left_stays_away_while_the_request_is_under_its_threshold():
    first = made(full(400), history=talk(8))
    state = first.envelope.cuts.trim
    more = (user("u8", "and"), assistant("a8", "yes"))
    second = made(full(400), history=(*talk(8), *more), trim=state)
    assert second.envelope.cuts.trimmed_messages == first.envelope.cuts.trimmed_messages
    texts = [[m.content for m in b.envelope.messages] for b in (first, second)]
    assert texts[0][:-1] == texts[1][: len(texts[0]) - 1]


@pytest.mark.parametrize("change", ["window", "keep", "threshold"])
def test_with_other_limits_the_boundary_is_found_anew_so_that_what_fits_again_is_back(change: str):
    first = made(full(300), history=talk(8))
    assert first.envelope.cuts.trimmed_messages
    other = {
        "window": full(2_000),
        "keep": full(2_000, keep=3),
        "threshold": full(2_000, headroom=0.9),
    }[change]
    second = made(other, history=talk(8), trim=first.envelope.cuts.trim)
    assert (second.envelope.cuts.trimmed_messages, second.envelope.cuts.trim) == ((), TrimState())


def test_an_exchange_with_a_pinned_message_stays():
    built = made(full(300), history=talk(8), tuning=Tuning(pinned=frozenset({"a1"})))
    assert {"u1", "a1"} <= set(ids(built))
    assert {"u0", "a0", "u2", "a2"} <= set(built.envelope.cuts.trimmed_messages)


@pytest.mark.parametrize("stays", [8, 1])
def test_the_line_stands_where_the_gap_is(stays: int):
    """It stood before a pinned first turn, and told of turns before that one."""
    window = 300 if stays > 1 else 150
    built = made(full(window, keep=0), history=talk(8), tuning=Tuning(pinned=frozenset({"a0"})))
    said = ids(built)
    assert said[:2] == ["u0", "a0"]
    assert said[2] == LEFT
    strip = [one.id for one in built.envelope.layer("L4_STRIP").segments]
    left = built.envelope.cuts.trimmed_messages
    assert strip.index(LEFT) == 2 + len(left)
    assert f"[{len(left) // 2} turns before this one, " in built.envelope.messages[2].content


def test_corrected_counts_change_nothing_of_what_left_or_of_the_line_about_it():
    card = replace(CACHED_MODEL, exact=False)
    counters = [CalibratedCounter(WordTokenizer(), card, Calibration(ratio)) for ratio in (1.0, 1.1)]
    first = build(full(400), counters[0], question=user("q", "what now"), model=card, history=talk(8))
    given = {"history": (*talk(8), user("q", "what now"), assistant("qa", "this")), "turn": 2}
    state = first.envelope.cuts.trim
    again = [
        build(full(400), one, question=user("r", "and"), model=card, trim=state, **given) for one in counters
    ]
    texts = [[one.content for one in built.envelope.messages] for built in again]
    assert (texts[0], first.envelope.cuts.trim.left[0] > 0) == (texts[1], True)
    assert again[1].envelope.total_tokens > again[0].envelope.total_tokens


def test_without_a_cache_what_left_is_back_as_soon_as_it_has_room():
    long, short = (user("q", "what " * words) for words in (200, 2))
    first = made(full(400), history=talk(6), question=long, model=WORD_MODEL)
    assert first.envelope.cuts.trimmed_messages
    for model, back in ((WORD_MODEL, True), (CACHED_MODEL, False)):
        second = made(full(400), history=talk(6), question=short, model=model, trim=first.envelope.cuts.trim)
        fewer = len(second.envelope.cuts.trimmed_messages) < len(first.envelope.cuts.trimmed_messages)
        assert fewer == back


def test_a_call_leaves_with_its_result():
    tools = (
        user("u", "look"),
        assistant("c", "", "t1"),
        result("r", "t1", "found " * 60),
        assistant("a", "there"),
    )
    built = made(full(200, keep=1), history=(*tools, *talk(3)))
    assert {"u", "c", "r", "a"} <= set(built.envelope.cuts.trimmed_messages)


def test_the_longest_answers_of_turns_that_stay_are_put_in_short_before_those_leave():
    long = "".join(f"Fact {n} is that {n} follows {n - 1}.\n" for n in range(400))
    history = (user("u0", "one"), assistant("a0", long), user("u1", "two"), assistant("a1", "short"))
    built = made(full(1_500), history=history)
    strip = {one.id: one.form for one in built.envelope.layer("L4_STRIP").segments}
    assert (strip, built.envelope.cuts.trimmed_messages) == (
        {"u0": "full", "a0": "compacted", "u1": "full", "a1": "full"},
        (),
    )
    again = made(
        full(1_500), history=(*history, user("u2", "x"), assistant("a2", "y")), trim=built.envelope.cuts.trim
    )
    assert again.envelope.messages[1].content == built.envelope.messages[1].content


def test_where_nothing_of_history_can_stay_the_question_carries_the_line():
    built = made(full(60), history=talk(3, 60))
    last = built.envelope.messages[-1]
    assert [segment.id for segment in last.segments] == [LEFT, "q"]
    assert (built.envelope.fits, len(built.envelope.cuts.trimmed_messages)) == (True, 6)


def test_a_chat_of_five_hundred_turns_in_a_small_window_goes_on():
    """And moves its beginning seldom: each time costs what a cache holds."""
    state, moved = TrimState(), 0
    for turns in range(1, 501, 7):
        built = build(full(600), history=talk(turns), question=user("q"), trim=state, turn=turns + 1)
        assert built.envelope.fits
        moved += built.envelope.cuts.trim.boundary != state.boundary
        state = built.envelope.cuts.trim
    assert moved <= 500 // 7


def test_placeholders_stay_where_nobody_chose_otherwise():
    chosen = ContextSettings(model="word-1", context_window=300, reserved_output_tokens=0)
    built = made(chosen, history=talk(8))
    assert "u0" in ids(built)
    assert built.envelope.cuts.trim.basis is None


def test_an_exchange_is_what_a_person_asked_and_all_that_follows_it():
    roles: list[Role] = ["assistant", "user", "assistant", "tool", "user"]
    messages = [wire(f"m{place}", role, "said") for place, role in enumerate(roles)]
    assert spans_of(messages) == [(0, 1), (1, 4), (4, 5)]
    assert spans_of(messages[1:], 1) == [(1, 4), (4, 5)]
    assert spans_of(()) == []


_history = st.builds(talk, st.integers(0, 12), st.integers(1, 90))


@settings(max_examples=tries(200))
@given(
    window=st.integers(80, 1_500),
    keep=st.integers(0, 4),
    history=_history,
    log=st.booleans(),
    held=st.booleans(),
)
def test_whatever_leaves_the_request_is_whole_and_within_its_limit(
    window: int, keep: int, history: Any, log: bool, held: bool
):
    attached = (artifact("log", "word " * 900),) if held else ()
    chosen = full(window, keep)
    if log:
        chosen = ContextSettings(
            model="word-1",
            context_window=window,
            reserved_output_tokens=0,
            history=chosen.history,
            layout="append_only",
        )
    built = made(chosen, history=history, attached=attached)
    envelope = built.envelope
    gone = set(envelope.cuts.trimmed_messages)
    for n in range(len(history) // 2):
        assert (f"u{n}" in gone) == (f"a{n}" in gone)
    assert envelope.fits or gone >= {message.id for message in history}
    assert (LEFT in ids(built)) == bool(gone)


class AskedCounter(LetterCounter):
    """Counts letters, and how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """Remembered."""
        self.asked += 1
        return super().costs(message)


def test_a_long_chat_is_priced_once_a_build_and_what_left_is_made_once():
    """A turn was priced when it left and again when that was told, and written anew in every request after it."""
    messages = tuple(
        wire(f"m{n}", "user" if n % 2 == 0 else "assistant", segment(f"m{n}", "said")) for n in range(100)
    )
    counter = AskedCounter()
    leaving = Leaving(frozenset(), "", lambda message: None)

    def left() -> tuple[WireMessage, ...]:
        return RemainingHistory(messages, leaving, 0, counter, Growing(), 90).sent()

    first = left()
    assert counter.asked <= len(messages) + 5
    assert [one is other for one, other in zip(left(), first, strict=True)] == [False] + [True] * 9
    assert messages[0].segments[0].gone is messages[0].segments[0].gone


def test_in_a_log_the_library_opens_the_question_where_all_of_history_left():
    """What is attached stays: it must not leave with the message that brought it."""
    note = artifact("a.md", text="kept " * 20)
    chosen, shelf = replace(full(120, keep=0), layout="append_only"), LibraryEntry(note, note, True)
    built = made(chosen, history=talk(3, 60), attached=(note,), library=(shelf,), turn=4)
    sent = [message for message in built.envelope.messages if message.role == "user"]
    assert [one.id for one in sent[0].segments] == [LEFT, "a.md", "q"]
    assert len(sent) == 1


@pytest.mark.parametrize("room", [350, 450, 10_000])
def test_an_exchange_that_comes_back_is_whole_and_counted_as_it_is_sent(room: int):
    """Put in short before it left, its answer came back in short at the price of the whole one."""
    messages = tuple(
        wire(
            f"m{n}",
            "user" if n % 2 == 0 else "assistant",
            segment(f"m{n}", "asked" if n % 2 == 0 else "said" * 25),
        )
        for n in range(8)
    )
    counter = LetterCounter()
    leaving = Leaving(
        frozenset(), "", lambda message: wire(message.id, "assistant", segment(message.id, "short"))
    )
    history = RemainingHistory(messages, leaving, 0, counter, Growing())
    history.shorten_answers(0, 8, 0)
    for span in history.spans[:3]:
        history.leave(span)
    history.give_back(room)
    sent, (raw, _) = history.sent(), history.priced()
    assert raw == sum(sum(counter.costs(message)) for message in sent)
    back = [one for one in sent if one.role == "assistant"]
    assert all(one in messages for one in back)
    turns, tokens = history.left
    gone = sum(sum(counter.costs(message)) for message in messages[: 2 * turns])
    assert turns == 4 - len(back)
    assert tokens == gone - 95 * turns  # what left in short is told by what it came to then
