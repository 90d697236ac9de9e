"""Summaries in requests: they stand for their messages, and nothing of a conversation is torn by them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.turns import RENDERERS, artifact, assistant, result, turn_inputs, user, word_counter
from tests.fakes.views import around, rows_of
from workbench.context.assemble import Assembly, assemble
from workbench.context.assembly.select import Admission
from workbench.context.assembly.summaries import RECOVERY, summarised_in, usable_summaries
from workbench.context.compare import compare
from workbench.context.invariants import violations
from workbench.context.report import excluded_ids
from workbench.domain.change import Built, Cause
from workbench.domain.envelope import TrimState
from workbench.domain.message import Entry
from workbench.domain.settings.context_settings import (
    CompactionSettings,
    ContextSettings,
    FilterSettings,
    HistorySettings,
)
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning

SETTINGS = ContextSettings(model="word-1", reserved_output_tokens=0)
WORDS = "word" + " word" * 30
TALK = tuple(m for n in range(1, 7) for m in (user(f"u{n}", f"why {n}"), assistant(f"a{n}", WORDS)))
MIDDLE = Summary("s", "They asked why 2 and 3.", ("u2", "a2", "u3", "a3"), "outline", "2026-01-01", 2, 3)
FREE = Admission(FilterSettings())


def request(*summaries: Summary, before: Built | None = None, **changes: Any) -> Built:
    tuning = Tuning(summaries=summaries, pinned=frozenset(changes.pop("pinned", ())))
    given = {"history": TALK, "turn": 7, "question": user("q"), "tuning": tuning, **changes}
    inputs = turn_inputs(given.pop("settings", SETTINGS), **given)
    built = Built(inputs, assemble(inputs, Assembly(word_counter(), RENDERERS), before))
    assert violations(built) == ()
    return built


def said(built: Built) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in built.envelope.messages]


def test_a_summary_stands_for_its_messages_and_names_them():
    built = request(MIDDLE)
    (_, asked), answered, (role, text), *_ = said(built)
    assert (asked, answered, role) == ("why 1", ("assistant", WORDS), "user")
    opening, told, *_ = text.split("\n")
    assert opening.startswith("<progress_summary")
    assert 'compacted_at="2026-01-01" original_count="4"' in opening
    assert told == "[turns 2–3, 4 messages, in short]"
    assert text.endswith("\n\nwhy 4")
    assert excluded_ids(built) == ["u2", "a2", "u3", "a3"]
    (compacted,) = built.envelope.cuts.compacted
    assert (compacted.id, compacted.recover_with) == ("s", RECOVERY)
    assert compacted.from_tokens > 60 > compacted.to_tokens


def test_rows_say_where_the_messages_went():
    rows = rows_of(around(request(MIDDLE)), "L4_STRIP")
    found = [(row.kind, row.first_turn, row.last_turn, row.reason.code, row.counted) for row in rows]
    assert found[:4] == [
        ("turn", 1, 1, "", True),
        ("summary", 2, 3, "summary", True),
        ("turn", 2, 3, "in_summary", False),
        ("turn", 4, 4, "", True),
    ]
    assert not any(row.excludable or row.tunable for row in rows[1:3])


def test_two_summaries_side_by_side_keep_their_own_rows():
    second = Summary("t", "Why 4.", ("u4", "a4"), first_turn=4, last_turn=4)
    rows = rows_of(around(request(second, MIDDLE)), "L4_STRIP")
    assert [(row.kind, row.first_turn, row.last_turn) for row in rows[1:5]] == [
        ("summary", 2, 3), ("turn", 2, 3), ("summary", 4, 4), ("turn", 4, 4),
    ]  # fmt: skip


def test_a_summary_stands_only_while_exactly_its_messages_are_sent():
    """The words of a message that was left out later went on being sent; one that was put back was sent nowhere."""

    def sent(summary: Summary, *out: str, kinds: tuple[str, ...] = ()) -> tuple[bool, set[str]]:
        filters = FilterSettings(exclude_kinds=frozenset(kinds))
        tuning = Tuning(summaries=(summary,), excluded=frozenset(out))
        built = request(tuning=tuning, settings=replace(SETTINGS, filters=filters))
        there = {segment.id for message in built.envelope.messages for segment in message.segments}
        assert any(repair.id == "s" for repair in built.envelope.cuts.repairs) is ("s" not in there)
        return "s" in there, there & set(MIDDLE.replaces)

    assert sent(MIDDLE) == (True, set())
    assert sent(MIDDLE, "u2") == (False, {"a2", "u3", "a3"})
    assert sent(MIDDLE, kinds=("user",)) == (False, {"a2", "a3"})
    without = replace(MIDDLE, replaces=("u2", "a2", "a3"))
    assert sent(without, "u3") == (True, set())
    assert sent(without) == (False, set(MIDDLE.replaces))


def test_a_row_of_a_turn_says_that_a_message_of_it_is_left_out_and_the_rest_in_a_summary():
    without = replace(MIDDLE, replaces=("a2", "u3", "a3"))
    tuning = Tuning(summaries=(without,), excluded=frozenset({"u2"}))
    rows = rows_of(around(request(tuning=tuning)), "L4_STRIP")
    found = [(row.kind, row.first_turn, row.last_turn, row.reason.code) for row in rows[1:4]]
    assert found == [("summary", 2, 2, "summary"), ("turn", 2, 2, "left_out"), ("turn", 3, 3, "in_summary")]


def test_a_result_whose_call_is_left_out_is_not_torn_from_it():
    tuning = Tuning(summaries=(replace(MIDDLE, replaces=("r1", "a1")),), excluded=frozenset({"u1", "c1"}))
    assert len(usable_summaries(CALLED, tuning, Admission(FilterSettings(), tuning.excluded))) == 1


CALLED = (user("u1"), assistant("c1", "", "k"), result("r1", "k"), assistant("a1"), *TALK[2:])


@pytest.mark.parametrize(
    ("history", "replaces", "pinned"),
    [
        (TALK[:4] + TALK[6:], MIDDLE.replaces, ()),  # a message of it was deleted
        (TALK, ("u2", "a3"), ()),  # not one after the other
        (TALK, MIDDLE.replaces, ("a2",)),  # one was pinned since
        (CALLED, ("u1", "c1"), ()),  # a call without its result
        (CALLED, ("r1", "a1"), ()),  # a result without its call
        (TALK, (), ()),
    ],
)
def test_a_summary_that_cannot_stand_is_not_used(
    history: tuple[Entry, ...], replaces: tuple[str, ...], pinned: tuple[str, ...]
):
    built = request(replace(MIDDLE, replaces=replaces), history=history, pinned=pinned)
    assert summarised_in(built) == {}
    assert "progress_summary" not in str(said(built))
    assert "a2" in {segment.id for message in built.envelope.messages for segment in message.segments}


def test_a_filter_that_keeps_summaries_out_brings_the_messages_back():
    kinds = FilterSettings(exclude_kinds=frozenset({"working_flow"}))
    built = request(MIDDLE, settings=replace(SETTINGS, filters=kinds))
    assert summarised_in(built) == {}
    assert ("user", "why 2") in said(built)


def test_no_cap_takes_a_summary_and_nothing_trims_it():
    capped = request(MIDDLE, settings=replace(SETTINGS, history=HistorySettings(last_n_messages=2)))
    assert "progress_summary" in str(said(capped))
    tight = replace(
        SETTINGS, context_window=130, history=HistorySettings(threshold=1.0, keep_last_n_assistant=0)
    )
    trimmed = request(MIDDLE, settings=tight)
    assert trimmed.envelope.cuts.trimmed_messages
    assert "They asked why 2 and 3." in str(said(trimmed))


def test_applying_one_is_one_cause_and_in_a_log_a_reason_to_begin_anew():
    before, after = request(), request(MIDDLE)
    causes = compare(before, after, word_counter()).causes
    assert Cause("history_edited", "s") in causes
    assert not [one for one in causes if one.cause == "trimmed" or one.subject in MIDDLE.replaces]
    log = replace(SETTINGS, layout="append_only")
    first = request(settings=log, history=TALK[:-2], turn=6, question=TALK[-2])
    grown = request(settings=log, before=first)
    assert grown.envelope.rebuilt is None
    begun = request(MIDDLE, settings=log, before=first)
    assert begun.envelope.rebuilt == "history_edited"
    asked = replace(begun.inputs, question=user("q"))
    later = request(
        MIDDLE, settings=log, history=(*TALK, user("q"), assistant("aq")), turn=8, question=user("z"),
        before=Built(asked, begun.envelope),
    )  # fmt: skip
    assert later.envelope.rebuilt is None
    assert said(later)[-2:] == [("assistant", "answer"), ("user", "question")]


@given(st.integers(0, 11), st.integers(0, 3), st.integers(1, 3))
@settings(max_examples=tries(60))
def test_the_boundary_never_goes_back(boundary: int, first: int, length: int):
    """What was trimmed stays trimmed, whatever run of turns a summary stands for, and nothing after it falls."""
    turns = range(first + 1, min(first + length, 5) + 1)
    ids = tuple(key for n in turns for key in (f"u{n}", f"a{n}"))
    state = TrimState(boundary, TALK[boundary].id)
    plain = request(trim=state)
    short = request(Summary("s", "why", ids, first_turn=turns[0], last_turn=turns[-1]), trim=state)
    assert set(ids) == set(summarised_in(short))
    trimmed = set(plain.envelope.cuts.trimmed_messages)
    assert set(short.envelope.cuts.trimmed_messages) == trimmed - set(ids)
    again = request(Summary("s", "why", ids), trim=short.envelope.cuts.trim)
    assert again.envelope.cuts.trimmed_messages == short.envelope.cuts.trimmed_messages
    undone = request(trim=short.envelope.cuts.trim)
    assert trimmed <= set(undone.envelope.cuts.trimmed_messages)


def test_summaries_stand_in_the_order_of_what_they_replace():
    later = Summary("t", "Why 5.", ("u5", "a5"))
    assert [one.id for one in usable_summaries(TALK, Tuning(summaries=(later, MIDDLE)), FREE)] == ["s", "t"]


FILE = artifact("a.md", "\n".join(f"Line {n} of it says something about 4{n}." for n in range(400)))
OF_FILE = Summary("f", "Lines about 41 and more.", ("a.md",), "word-1", content_digest=FILE.content_digest)


def attached(*summaries: Summary, settings: ContextSettings = SETTINGS, **changes: Any) -> Built:
    given: dict[str, Any] = {"attached": (FILE,), "history": (), "turn": 1, **changes}
    return request(*summaries, settings=settings, **given)


def text_of(built: Built, key: str = "a.md") -> str:
    return next(s.text for m in built.envelope.messages for s in m.segments if s.id == key)


def test_a_summary_of_a_file_stands_where_it_must_be_shortened_and_where_somebody_wants_it():
    wide = replace(SETTINGS, context_window=100_000)
    assert OF_FILE.text not in text_of(attached(OF_FILE, settings=wide)), "whole where it fits"
    wanted = attached(replace(OF_FILE, preferred=True), settings=wide)
    assert OF_FILE.text in text_of(wanted)
    assert [one.id for one in wanted.envelope.cuts.compacted] == ["a.md"]
    (row,) = rows_of(around(wanted), "L3_TURN")
    assert (row.reason.code, row.state) == ("as_summary", "compacted")
    tight = attached(OF_FILE, settings=replace(SETTINGS, context_window=1_500))
    assert OF_FILE.text in text_of(tight)
    assert OF_FILE.text not in text_of(attached(settings=replace(SETTINGS, context_window=1_500)))


def test_other_content_other_kinds_and_verbatim_kinds_have_no_summary():
    wanted = replace(OF_FILE, preferred=True)
    wide = replace(SETTINGS, context_window=100_000)
    edited = replace(FILE, text=FILE.text + " More.")
    assert text_of(attached(wanted, settings=wide, attached=(edited,))).count("More.") == 1
    for kinds in (
        CompactionSettings(summary_kinds=frozenset({"note"})),
        CompactionSettings(verbatim_kinds=frozenset({"file"})),
    ):
        assert FILE.text in text_of(attached(wanted, settings=replace(wide, compaction=kinds)))
    verbatim = replace(SETTINGS, context_window=1_500, compaction=kinds)
    assert "compacted" not in {s.form for s in attached(settings=verbatim).envelope.layer("L3_TURN").segments}


def test_a_log_is_begun_anew_for_a_summary_of_a_file_and_when_it_is_undone():
    log = replace(SETTINGS, layout="append_only", context_window=100_000)
    first = attached(settings=log)
    talk: tuple[Entry, ...] = (user("q"), assistant("a"))
    said: dict[str, Any] = {"history": talk, "turn": 2, "question": user("z")}
    short = attached(replace(OF_FILE, preferred=True), settings=log, before=first, **said)
    assert (short.envelope.rebuilt, OF_FILE.text in text_of(short)) == ("asked", True)
    talk = (*talk, user("z"), assistant("b"))
    more: dict[str, Any] = {"history": talk, "turn": 3, "question": user("y")}
    kept = attached(replace(OF_FILE, preferred=True), settings=log, before=short, **more)
    assert kept.envelope.rebuilt is None
    undone = attached(settings=log, before=short, **more)
    assert (undone.envelope.rebuilt, FILE.text in text_of(undone)) == ("asked", True)
