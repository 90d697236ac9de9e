"""The builder: one enforcement point that sees all layers, and the same bytes for the same inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.catalogue import CACHED_MODEL, WORD_MODEL
from tests.fakes.effort import tries
from tests.fakes.turns import (
    RENDERERS,
    artifact,
    assistant,
    build,
    result,
    selection,
    shelved,
    turn_inputs,
    user,
    word_counter,
)
from workbench.context.assemble import Assembly, assemble, layout_of
from workbench.context.assembly.memory import BuildMemory
from workbench.context.assembly.references import freshness_of
from workbench.context.count.counting import CharsCounter, RfcCounter
from workbench.context.invariants import violations
from workbench.domain.envelope import Envelope, TrimState
from workbench.domain.model import with_cache_seen
from workbench.domain.settings.context_settings import (
    CompactionSettings,
    ContextSettings,
    FilterSettings,
    HistorySettings,
)
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning

WORDS = "word" + " word" * 99
SETTINGS = ContextSettings(model="word-1", system_prompt="Be kind.", reserved_output_tokens=0)
TALK = tuple(m for n in range(4) for m in (user(f"u{n}"), assistant(f"a{n}", WORDS)))


def request(settings: ContextSettings = SETTINGS, **changes: Any) -> Envelope:
    built = build(settings, **{"question": user("q"), **changes})
    assert violations(built) == ()
    return built.envelope


def window(tokens: int, **changes: Any) -> ContextSettings:
    return replace(SETTINGS, context_window=tokens, **changes)


def test_only_a_question_goes_out_unchanged():
    (message,) = request(ContextSettings(model="word-1"), question=user("q", " $x </b> \0")).messages
    assert (message.role, message.content) == ("user", " $x </b> \0")


def test_nothing_at_all_is_an_empty_request():
    envelope = request(ContextSettings(model="word-1"), question=None)
    assert (envelope.messages, envelope.total_tokens, envelope.fits) == ((), 0, True)


def test_phases_end_in_reading_order():
    phases: list[str] = []
    assemble(turn_inputs(), Assembly(word_counter(), RENDERERS, lap=phases.append))
    assert phases == ["library", "process", "compact", "render"]


def test_the_attachment_budget_is_over_library_and_turn_together():
    tight = replace(SETTINGS, attachment_budget_tokens=60)
    library = (shelved(artifact("old", "word " * 40, priority=10)),)
    envelope = request(tight, library=library, attached=(artifact("new", "word " * 40),))
    assert [(p.id, p.reason) for p in envelope.cuts.pruned] == [("old", "over attachment budget")]


def test_the_window_drops_what_the_attachment_budget_allowed():
    envelope = request(window(100), attached=(artifact("big", WORDS),))
    assert [(p.id, p.reason) for p in envelope.cuts.pruned] == [("big", "over the window")]
    assert envelope.fits


def test_the_sum_of_all_layers_is_what_is_limited():
    """Each of these fits alone; the original guarded each layer by itself and sent 2.77 M tokens to a 1 M model."""
    everything = {
        "history": TALK[:2],
        "attached": (artifact("a", WORDS),),
        "library": (shelved(artifact("b", WORDS)),),
    }
    for name, part in everything.items():
        assert request(window(180), **{name: part}).cuts.forced is False
    assert request(window(180), **everything).fits


def test_history_is_trimmed_before_artifacts_are_dropped():
    envelope = request(window(250), history=TALK[:2], attached=(artifact("a", WORDS),))
    assert (envelope.cuts.trimmed_messages, envelope.cuts.pruned) == (("a0",), ())


def test_what_does_not_fit_says_by_how_much():
    envelope = request(window(10), question=user("q", WORDS))
    assert (envelope.fits, envelope.over_by_tokens) == (False, 4 + 2 + 4 + 100 + 2 - 10)


def test_essential_artifacts_stay_even_then():
    envelope = request(window(10), attached=(selection(text=WORDS),))
    assert (envelope.fits, envelope.cuts.pruned) == (False, ())


def test_tools_count_in_the_total_and_can_start_trimming():
    tools = tuple(ToolDefinition(f"tool{n}", "does something") for n in range(50))
    small = window(1000, history=HistorySettings(headroom=1.0, keep_last_n_assistant=1))
    assert request(small, history=TALK).cuts.trimmed_messages == ()
    assert request(replace(small, tools=tools), history=TALK).cuts.trimmed_messages == ("a0", "a1", "a2")


def test_caps_leave_messages_in_their_places_at_no_cost():
    envelope = request(replace(SETTINGS, history=HistorySettings(last_n_messages=2)), history=TALK)
    layer = envelope.layer("L4_STRIP")
    assert [s.form for s in layer.segments] == ["excluded"] * 6 + ["full"] * 2
    assert [message.id for message in envelope.messages] == ["system", "u3", "a3", "q"]


def test_without_a_threshold_nothing_is_trimmed():
    never = window(300, history=HistorySettings(threshold=None))
    envelope = request(never, history=TALK)
    assert (envelope.cuts.trimmed_messages, envelope.fits) == ((), False)


def test_filters_reach_every_layer():
    bare = replace(SETTINGS, filters=FilterSettings(include_only=frozenset({"u0"}), include_system=False))
    envelope = request(bare, history=TALK, attached=(artifact("a"),), library=(shelved(artifact("b")),))
    assert [message.id for message in envelope.messages] == ["u0", "q"]


def test_excluded_and_repaired_messages_are_written_down():
    history = (user("u"), assistant("a", "", "c"), result("r", "c"), assistant("b", "dangling", "d"))
    envelope = request(history=history, tuning=Tuning(excluded=frozenset({"u"})))
    assert [repair.id for repair in envelope.cuts.repairs] == ["b"]
    assert envelope.layer("L4_STRIP").segments[0].form == "excluded"


@pytest.mark.parametrize("counter", [CharsCounter(), RfcCounter()], ids=["chars4", "rfc"])
def test_estimates_sum_too(counter: Any):
    envelope = request(history=TALK, attached=(artifact("a"),), counter=counter)
    assert sum(layer.total_tokens for layer in envelope.layers) == envelope.total_tokens
    assert envelope.exact is False


def test_remembering_changes_nothing():
    memory, counter = BuildMemory(), word_counter()
    inputs = turn_inputs(window(400), history=TALK, question=user("q"), trim=TrimState(2))
    first, again, fresh = (
        assemble(inputs, Assembly(counter, RENDERERS, kept)) for kept in (memory, memory, BuildMemory())
    )
    assert digests(first) == digests(again) == digests(fresh)


def digests(envelope: Envelope) -> tuple[Any, ...]:
    layers = tuple((layer.digest, layer.tokens) for layer in envelope.layers)
    return (layers, envelope.cuts, [message.content for message in envelope.messages])


artifacts = st.builds(
    artifact, st.sampled_from("abcde"), st.sampled_from(["", "x", "word " * 30, "# One\n" + "words " * 60]),
    priority=st.integers(0, 10), essential=st.booleans(),
)  # fmt: skip
said = st.lists(
    st.sampled_from([user, assistant, lambda key: assistant(key, WORDS), lambda key: result(key, "c")]),
    max_size=6,
).map(lambda makers: tuple(make(f"m{n}") for n, make in enumerate(makers)))
tight_settings = st.builds(
    window,
    st.integers(1, 400),
    attachment_budget_tokens=st.none() | st.integers(0, 100),
    freshness=st.sampled_from(["refresh", "freeze"]),
    compaction=st.just(CompactionSettings(50, 10, 2)),
)
some_artifacts = st.lists(artifacts, max_size=3, unique_by=lambda one: one.key)


@settings(max_examples=tries(150))
@given(tight=tight_settings, history=said, attached=some_artifacts, known=some_artifacts)
def test_whatever_is_asked_nothing_is_violated_and_the_essential_stays(
    tight: ContextSettings, history: Any, attached: Any, known: Any
):
    library = tuple(map(shelved, known))
    envelope = request(tight, history=history, attached=tuple(attached), library=library)
    layers = (envelope.layer("L2_PREVIOUS"), envelope.layer("L3_TURN"))
    shown = {segment.id for layer in layers for segment in layer.segments}
    assert {one.key for one in attached if one.essential} <= shown
    droppable = [one for one in attached if not one.essential and one.key in shown]
    assert envelope.fits or not droppable


def test_a_cache_that_was_seen_is_spared_as_one_whose_rules_are_known():
    auto = ContextSettings(layout="auto", freshness="auto")
    for card, layout, freshness in (
        (WORD_MODEL, "layered", "refresh"),
        (with_cache_seen(WORD_MODEL), "append_only", "freeze"),
        (CACHED_MODEL, "append_only", "freeze"),
    ):
        assert (layout_of(auto, card), freshness_of(auto, card)) == (layout, freshness)
