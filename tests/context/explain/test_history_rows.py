"""Rows of history: what each turn costs, whether it is there, and what bringing it back would cost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.turns import assistant, build, user
from tests.fakes.views import around, rows_of
from workbench.context.explain.view import history_key
from workbench.domain.change import Built
from workbench.domain.envelope import TrimState
from workbench.domain.message import Image, Message, ToolCall
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings, HistorySettings
from workbench.domain.shown.envelope_view import RowKey, SegmentRow
from workbench.domain.text import digest_chain
from workbench.domain.turn import Tuning

SETTINGS = ContextSettings(model="word-1")
TALK = tuple(
    m for n in range(1, 5) for m in (user(f"u{n}", "why so"), assistant(f"a{n}", "one two three four"))
)


def rows(settings: ContextSettings = SETTINGS, read: int | None = None, **changes: Any) -> list[SegmentRow]:
    built = build(settings, **{"history": TALK, "turn": 5, "question": user("q"), **changes})
    return rows_of(around(built), "L4_STRIP", read)


def test_a_turn_is_a_row_of_all_its_messages():
    first = rows()[0]
    assert (first.key, first.members) == (RowKey("L4_STRIP", "u1"), ("u1", "a1"))
    assert (first.kind, first.name, first.first_turn, first.last_turn) == ("turn", "", 1, 1)
    assert (first.tokens, first.state, first.counted) == ((4 + 2) + (4 + 4), "sent", True)
    assert (first.priority, first.tunable, first.excludable, first.full_tokens) == (None, True, True, None)


def test_trimmed_turns_are_one_row_that_knows_what_it_was():
    first, *others = rows(trim=TrimState(6))
    assert (first.first_turn, first.last_turn, first.state) == (1, 3, "trimmed")
    assert first.members == ("u1", "a1", "u2", "a2", "u3", "a3")
    assert (first.tokens, first.full_tokens) == (3 * (6 + 5), 3 * 14)
    assert [row.first_turn for row in others] == [4]


def test_a_turn_with_a_result_in_short_says_so_and_knows_what_it_was():
    call = ToolCall("c", "read", '{"path": "a.log"}')
    looked = (
        user("u0"),
        Message("call", "assistant", (), tool_calls=(call,)),
        Message("result", "tool", ("".join(f"line {n} of it\n" for n in range(600)),), tool_call_id="c"),
        assistant("a0", "so"),
    )
    tight = replace(
        SETTINGS,
        context_window=1_500,
        reserved_output_tokens=0,
        compaction=CompactionSettings(tool_results="preview"),
    )
    first, *others = rows(tight, history=(*looked, *TALK), turn=6)
    assert (first.state, first.reason.code, first.counted) == ("compacted", "preview", True)
    assert first.full_tokens is not None
    assert first.full_tokens > first.tokens
    assert [row.state for row in others] == ["sent"] * 4


def test_turns_beyond_a_cap_are_listed_at_what_they_would_cost():
    capped = replace(SETTINGS, history=HistorySettings(last_n_messages=2))
    gone, kept = rows(capped)
    assert (gone.state, gone.counted, gone.tokens, gone.cache) == ("dropped", False, 3 * 14, "none")
    assert (gone.first_turn, gone.last_turn) == (1, 3)
    assert (kept.state, kept.counted, kept.tokens) == ("sent", True, 14)


def test_a_turn_cut_in_the_middle_knows_what_it_was():
    capped = replace(SETTINGS, history=HistorySettings(last_n_messages=3))
    cut = rows(capped)[1]
    assert (cut.state, cut.counted, cut.tokens, cut.full_tokens) == ("trimmed", True, 8, 14)


def test_a_turn_that_was_left_out_is_listed_and_can_be_put_back():
    out = rows(tuning=Tuning(excluded=frozenset({"u2", "a2"})))[1]
    assert (out.state, out.counted, out.tokens, out.excludable) == ("excluded", False, 14, True)


def test_a_pinned_turn_says_so():
    assert [row.pinned for row in rows(tuning=Tuning(pinned=frozenset({"a2"})))] == [
        False,
        True,
        False,
        False,
    ]


def test_what_is_cached_goes_on_through_the_turns():
    assert [(row.cache, row.cached_tokens) for row in rows(read=20)] == [
        ("hit", 14),
        ("part", 6),
        ("new", 0),
        ("new", 0),
    ]


def test_the_digest_is_over_what_is_sent_of_it():
    built = build(SETTINGS, history=TALK, turn=5, question=user("q"))
    segments = built.envelope.layer("L4_STRIP").segments
    assert rows()[0].digest == digest_chain([segments[0].digest, segments[1].digest])
    out = rows(tuning=Tuning(excluded=frozenset({"u1", "a1"})))[0]
    assert out.digest == digest_chain([segments[0].content_digest, segments[1].content_digest])


def test_a_picture_of_unknown_cost_is_an_estimate():
    shown = Message("u1", "user", ("Look",), (Image("d"),))
    assert rows(history=(shown,), turn=2)[0].state == "estimated"


def test_the_key_changes_with_what_the_rows_depend_on():
    def request(settings: ContextSettings = SETTINGS, **changes: Any) -> Built:
        return build(settings, **{"history": TALK, "turn": 5, "question": user("q"), **changes})

    def key(built: Built, previous: Built | None = None) -> tuple[object, ...]:
        return history_key(built.envelope.layer("L4_STRIP"), around(built, previous))

    one = request()
    assert key(one) == key(request(question=user("q", "another")))
    moved = replace(one.envelope.cuts, trim=TrimState(1))
    others = [
        key(request(tuning=Tuning(pinned=frozenset({"a2"})))),
        key(request(trim=TrimState(2))),
        key(request(turn=6)),
        key(request(history=TALK[2:])),
        key(request(replace(SETTINGS, counter="chars4"))),
        key(replace(one, envelope=replace(one.envelope, cuts=moved))),
        key(one, request(history=TALK[:2])),
        key(one, request(history=TALK[:4])),
    ]
    assert all(other != key(one) for other in others)
    assert others[-1] != others[-2]
