"""Why a row is as it is: each code with the facts that earn it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, assistant, build, fake_builder, result, selection, shelved, user
from tests.fakes.views import around, layers_of, rows_of
from workbench.context.explain.reasons import pruned_reason
from workbench.context.explain.row_facts import RowFacts
from workbench.domain.change import Built
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.envelope import Pruned, TrimState
from workbench.domain.message import Image, Message
from workbench.domain.segment import LayerName
from workbench.domain.settings.context_settings import (
    CompactionSettings,
    ContextSettings,
    FilterSettings,
    HistorySettings,
)
from workbench.domain.shown.envelope_view import NO_REASON, Reason
from workbench.domain.tool import ToolDefinition
from workbench.domain.trajectory import TrajectoryTurn
from workbench.domain.turn import Tuning
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.replay import play_turn

SETTINGS = ContextSettings(model="word-1", system_prompt="Be kind.")
TALK = (user("u1"), assistant("a1", "one two three"), user("u2"), assistant("a2", "one two three"))
LONG = "word " * 60


def request(settings: ContextSettings = SETTINGS, **changes: Any) -> Built:
    return build(settings, **{"turn": 3, "history": TALK, "question": user("q"), **changes})


def reasons(surroundings: RowFacts, name: LayerName) -> list[Reason]:
    return [row.reason for row in rows_of(surroundings, name)]


def layer_reasons(built: Built, previous: Built | None) -> dict[str, Reason]:
    return {layer.name[:2]: layer.reason for layer in layers_of(around(built, previous))}


def test_a_first_request_has_nothing_to_be_compared_with():
    found = layer_reasons(request(), None)
    assert found == {"L1": NO_REASON, "L2": NO_REASON, "L4": NO_REASON, "L3": NO_REASON, "L5": NO_REASON}


def test_layers_are_compared_with_those_of_the_request_before():
    shelf = (shelved(artifact("a")),)
    before = request(turn=2, history=TALK[:2], library=shelf)
    after = request(library=shelf, attached=(artifact("b"),))
    assert layer_reasons(after, before) == {
        "L1": Reason("unchanged", number=2),
        "L2": Reason("unchanged", number=2),
        "L4": Reason("grew", number=2),
        "L3": Reason("rebuilt"),
        "L5": NO_REASON,
    }


def test_a_layer_that_is_not_what_it_was_has_changed():
    before = request(turn=2, library=(shelved(artifact("a")),))
    after = request(
        replace(SETTINGS, system_prompt="Be brief."), library=(shelved(artifact("b")),), trim=TrimState(2)
    )
    found = layer_reasons(after, before)
    assert [found[name].code for name in ("L1", "L2", "L4")] == ["changed", "changed", "changed"]


def test_instructions_stand_first_and_tools_are_estimated():
    built = request(replace(SETTINGS, tools=(ToolDefinition("read"),)))
    assert reasons(around(built), "L1_SYSTEM") == [Reason("estimated"), Reason("always_first")]


def test_an_instruction_that_is_not_what_it_was_says_so():
    before = request(replace(SETTINGS, system_prompt="Be brief."))
    assert reasons(around(request(), before), "L1_SYSTEM") == [Reason("changed", "system")]


def test_turns_of_history_are_new_trimmed_pinned_or_nothing_special():
    before = request(history=TALK[:2])
    assert reasons(around(request(), before), "L4_STRIP") == [NO_REASON, Reason("first_time", number=2)]
    assert reasons(around(request()), "L4_STRIP") == [NO_REASON, NO_REASON]
    trimmed = request(trim=TrimState(2))
    assert reasons(around(trimmed), "L4_STRIP") == [Reason("boundary", number=2), NO_REASON]
    pinned = request(tuning=Tuning(pinned=frozenset({"a1"})))
    assert reasons(around(pinned, before), "L4_STRIP")[0] == Reason("pinned")


def test_turns_of_history_that_are_not_there_say_why():
    capped = request(replace(SETTINGS, history=HistorySettings(last_n_messages=1)))
    assert reasons(around(capped), "L4_STRIP") == [Reason("over_budget"), Reason("over_budget")]
    out = request(tuning=Tuning(excluded=frozenset({"u1", "a1", "u2"})))
    assert reasons(around(out), "L4_STRIP") == [Reason("left_out", number=2), Reason("left_out", number=1)]
    filtered = request(replace(SETTINGS, filters=FilterSettings(exclude_kinds=frozenset({"agent"}))))
    assert reasons(around(filtered), "L4_STRIP") == [Reason("left_out")]
    orphan = request(history=(result("r", "nobody"),))
    assert reasons(around(orphan), "L4_STRIP") == [Reason("repaired")]


def test_a_guess_is_called_one():
    picture = Message("u1", "user", ("Look",), (Image("d"),))
    assert reasons(around(request(history=(picture,))), "L4_STRIP") == [Reason("estimated")]


def test_library_and_turn_say_where_an_artifact_comes_from():
    known = artifact("a")
    built = request(library=(shelved(known, attached=True),), attached=(known, artifact("b")))
    seen = around(built, attached_in={"a": 1})
    assert reasons(seen, "L2_PREVIOUS") == [Reason("promoted", "a", 1)]
    assert reasons(seen, "L3_TURN") == [Reason("in_library", "a"), Reason("attached_now", "b")]


def test_two_copies_say_which_is_newer():
    old, new = artifact("a", "old"), artifact("a", "new")
    built = request(
        replace(SETTINGS, freshness="freeze"), library=(shelved(old, attached=True),), attached=(new,)
    )
    assert reasons(around(built), "L2_PREVIOUS") == [Reason("older_copy", "a")]
    assert reasons(around(built), "L3_TURN") == [Reason("newer_copy", "a")]


def test_what_was_detached_stays_in_a_log_until_it_is_rebuilt():
    builder = fake_builder(WORD_MODEL)
    settings = replace(SETTINGS, layout="append_only")
    first = TrajectoryTurn(settings, attach=(artifact("a"),), question=user("q1"), reply=(assistant("a1"),))
    second = TrajectoryTurn(settings, detach=("a",), question=user("q2"))
    conversation, sent = play_turn(Conversation("talk"), first, builder)
    conversation = after_turn(conversation, sent.built, first.reply)
    _, prepared = play_turn(conversation, second, builder)
    assert reasons(around(prepared.built, sent.built), "L2_PREVIOUS") == [Reason("until_rebuild", "a")]


def test_a_pasted_text_that_was_detached_keeps_its_name_in_a_log():
    """It is in no library: its row had neither a name nor a reason."""
    builder, settings = fake_builder(WORD_MODEL), replace(SETTINGS, layout="append_only")
    pasted = replace(selection("pasted", "some words"), title="notes.txt")
    first = TrajectoryTurn(settings, attach=(pasted,), question=user("q1"), reply=(assistant("a1"),))
    second = TrajectoryTurn(settings, detach=("pasted",), question=user("q2"), reply=(assistant("a2"),))
    conversation, sent = play_turn(Conversation("talk"), first, builder)
    conversation = after_turn(conversation, sent.built, first.reply)
    conversation, then = play_turn(conversation, second, builder)
    facts = around(then.built, sent.built)
    assert [row.name for row in rows_of(facts, "L2_PREVIOUS")] == ["notes.txt"]
    assert reasons(facts, "L2_PREVIOUS") == [Reason("until_rebuild", "pasted")]
    conversation = after_turn(conversation, then.built, second.reply)
    _, later = play_turn(conversation, TrajectoryTurn(settings, question=user("q3")), builder)
    assert [row.name for row in rows_of(around(later.built, then.built), "L2_PREVIOUS")] == ["pasted"]


def test_a_text_that_a_cache_alone_keeps_short_says_so():
    tight = replace(SETTINGS, context_window=500, reserved_output_tokens=0)
    built = request(tight, attached=(artifact("a", "word " * 2_000),))
    held = replace(built.envelope, cuts=replace(built.envelope.cuts, held=frozenset({"a"})))
    assert reasons(around(built), "L3_TURN") == [Reason("shortened", "a")]
    assert reasons(around(replace(built, envelope=held)), "L3_TURN") == [Reason("kept_short", "a")]


def test_a_shortened_artifact_says_so():
    tight = replace(
        SETTINGS, context_window=75, reserved_output_tokens=0, compaction=CompactionSettings(50, 10, 2)
    )
    built = request(tight, history=(), attached=(artifact("a", LONG),))
    assert reasons(around(built), "L3_TURN") == [Reason("shortened", "a")]


def test_what_is_pinned_and_too_large_is_why_the_request_does_not_fit():
    tight = replace(SETTINGS, context_window=60, reserved_output_tokens=0)
    built = request(tight, history=(), attached=(selection("s", LONG),))
    assert reasons(around(built), "L3_TURN") == [Reason("pinned", "s")]


def test_a_file_that_changed_on_the_disk_says_when():
    known = artifact("a")
    built = request(library=(shelved(known, attached=True),), attached=(known,))
    seen = around(built, disk={"a": ("changed", "2026-01-01T14:02:00Z")})
    assert reasons(seen, "L2_PREVIOUS") == [Reason("changed_on_disk", "2026-01-01T14:02:00Z")]
    assert reasons(seen, "L3_TURN") == [Reason("in_library", "a")]


def test_what_fell_says_to_which_limit_and_at_what_priority():
    assert pruned_reason(Pruned("a", 5, 10, "over attachment budget")) == Reason("over_budget", "a", 10)
    assert pruned_reason(Pruned("a", 5, 10, "over the window")) == Reason("over_window", "a", 10)


def test_calls_and_results_of_this_very_turn_are_named():
    rounds = (assistant("a", "", "c1"), result("r", "c1"))
    chunk = EnvironmentChunk("e", "listing", "tool_result")
    built = request(rounds=rounds, tool_results=(chunk,))
    assert reasons(around(built), "L3_TURN") == [
        Reason("tool_result"),
        Reason("tool_call", "read"),
        Reason("tool_result"),
    ]
    begun = request(rounds=(assistant("a", "I began"),))
    assert reasons(around(begun), "L5_USER")[-1] == Reason("begun")


def test_what_somebody_wants_shorter_says_to_how_much_unless_it_was_cut_further():
    one = artifact("a.log", "".join(f"line {n} of it\n" for n in range(900)), most_tokens=300)
    built = request(history=(), attached=(one,))
    assert reasons(around(built), "L3_TURN") == [Reason("shortened_by_you", "a.log", 300)]
    shelf = request(library=(shelved(one, attached=True),), attached=(one,))
    assert reasons(around(shelf), "L2_PREVIOUS") == [Reason("shortened_by_you", "a.log", 300)]
    tight = replace(
        SETTINGS,
        context_window=300,
        reserved_output_tokens=0,
        compaction=CompactionSettings(section_chars=50),
    )
    further = request(tight, history=(), attached=(one,))
    assert reasons(around(further), "L3_TURN") == [Reason("shortened", "a.log")]
