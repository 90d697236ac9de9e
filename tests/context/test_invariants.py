"""The checker notices every rule that is broken: each is broken here on purpose, in an envelope that was right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.turns import artifact, assistant, build, result, selection, shelved, system, user
from workbench.context.invariants import violations
from workbench.domain.change import Built
from workbench.domain.envelope import Layer, Pruned, WireMessage
from workbench.domain.message import ToolCall
from workbench.domain.segment import LayerName, Segment
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings, FilterSettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning

LONG = artifact("long", "word " * 100)
SETTINGS = ContextSettings(
    model="word-1",
    system_prompt="Be kind.",
    tools=(ToolDefinition("read"),),
    compaction=CompactionSettings(verbatim_chars=100, section_chars=10),
)
TALK = (user("u1"), assistant("a1", "", "c1"), result("r1", "c1"), assistant("a2"))


def right(settings: ContextSettings = SETTINGS, **changes: Any) -> Built:
    """A request with something in every place where something can be wrong."""
    given: dict[str, Any] = {
        "library": (shelved(artifact("a")), shelved(LONG)),
        "attached": (artifact("a"), artifact("new"), selection()),
        "history": TALK,
        "question": user("q"),
        "now": "noon",
        **changes,
    }
    return build(settings, **given)


def with_layer(built: Built, name: LayerName, change: Callable[[Layer], Layer]) -> Built:
    layers = tuple(change(layer) if layer.name == name else layer for layer in built.envelope.layers)
    return replace(built, envelope=replace(built.envelope, layers=layers))


def with_segment(built: Built, segment_id: str, layer: LayerName, **changes: Any) -> Built:
    """Change a segment wherever it stands: in its layer and in its message."""

    def changed(segment: Segment) -> Segment:
        hit = (segment.id, segment.layer) == (segment_id, layer)
        return replace(segment, **changes) if hit else segment

    built = with_layer(
        built, layer, lambda one: replace(one, segments=tuple(changed(s) for s in one.segments))
    )
    messages = tuple(
        replace(message, segments=tuple(changed(s) for s in message.segments))
        for message in built.envelope.messages
    )
    return with_messages(built, messages)


def with_messages(built: Built, messages: tuple[WireMessage, ...]) -> Built:
    return replace(built, envelope=replace(built.envelope, messages=messages))


def without(built: Built, name: LayerName, segment_id: str) -> Built:
    """Take a segment off its layer and off the wire, its tokens left to the total."""

    def shorter(layer: Layer) -> Layer:
        rows = [row for row in zip(layer.segments, layer.tokens, strict=True) if row[0].id != segment_id]
        return Layer(name, tuple(s for s, _ in rows), tuple(tokens for _, tokens in rows))

    def bare(message: WireMessage) -> WireMessage:
        kept = (s for s in message.segments if (s.id, s.layer) != (segment_id, name))
        return replace(message, segments=tuple(kept))

    cut = with_layer(built, name, shorter)
    cut = with_messages(cut, tuple(bare(message) for message in cut.envelope.messages))
    total = sum(layer.total_tokens for layer in cut.envelope.layers)
    return replace(cut, envelope=replace(cut.envelope, total_tokens=total))


def test_a_correct_build_has_no_findings():
    assert violations(right()) == ()
    assert violations(build()) == ()
    assert violations(right(tuning=Tuning(excluded=frozenset({"u1"})))) == ()
    assert violations(right(attached=(selection(),), tuning=Tuning(excluded=frozenset({"selection"})))) == ()


def test_layer_order():
    built = right()
    swapped = replace(built, envelope=replace(built.envelope, layers=built.envelope.layers[::-1]))
    assert (
        violations(swapped)[0]
        == "layers stand in the order L5_USER, L3_TURN, L4_STRIP, L2_PREVIOUS, L1_SYSTEM"
    )


def test_unique_ids():
    doubled = with_segment(right(), "long", "L2_PREVIOUS", id="a")
    assert "L2_PREVIOUS: the id 'a' occurs 2 times" in violations(doubled)


def test_once_in_full():
    again = with_segment(right(), "a", "L3_TURN", form="full")
    assert violations(again) == ("'a' is in full in L3 although the library knows it",)


def test_an_override_may_be_in_full_although_the_library_knows_it():
    assert violations(with_segment(right(), "a", "L3_TURN", form="full", override=True)) == ()


REFERENCE = ("'a' is a reference without a full and equal copy in the library",)


def test_a_reference_to_nothing():
    assert violations(without(right(), "L2_PREVIOUS", "a")) == REFERENCE


def test_a_reference_to_a_preview():
    broken = with_segment(right(), "a", "L2_PREVIOUS", form="trimmed")
    assert violations(broken) == REFERENCE


def test_a_reference_to_an_older_copy():
    assert violations(with_segment(right(), "a", "L2_PREVIOUS", content_digest="old")) == REFERENCE


def test_sums():
    built = right()
    total = built.envelope.total_tokens
    broken = replace(built, envelope=replace(built.envelope, total_tokens=total + 1))
    assert violations(broken) == (f"the layers sum to {total}, not to {total + 1}",)


def test_negative_counts():
    def moved(layer: Layer) -> Layer:
        first, second, *others = layer.tokens
        return replace(layer, tokens=(-1, first + second + 1, *others))

    assert violations(with_layer(right(), "L4_STRIP", moved)) == ("a segment has a negative count",)


UNSHOWN = ("the layers do not show what the messages carry",)


@pytest.mark.parametrize("name", ["L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L3_TURN", "L5_USER"])
def test_a_layer_that_shows_what_is_not_sent(name: LayerName):
    """The inspector must not show one thing and the wire carry another, in any layer."""
    last = right().envelope.layer(name).segments[-1]
    broken = with_layer(
        right(),
        name,
        lambda one: replace(one, segments=(*one.segments[:-1], replace(last, text=last.text + "!"))),
    )
    assert UNSHOWN[0] in violations(broken)


def test_messages_that_stand_in_another_order_than_shown():
    system_message, *others = right(history=(user("u"), assistant("a"))).envelope.messages
    broken = with_messages(right(history=(user("u"), assistant("a"))), (system_message, *others[::-1]))
    assert violations(broken) == UNSHOWN


def test_results_that_stand_in_another_order_than_shown():
    history = (user("u"), assistant("a", "", "c1", "c2"), result("r1", "c1", "1"), result("r2", "c2", "2"))
    built = right(history=history)
    messages = tuple(
        replace(message, segments=message.segments[::-1]) if message.role == "tool" else message
        for message in built.envelope.messages
    )
    assert violations(with_messages(built, messages)) == UNSHOWN


def test_a_message_that_is_carried_but_not_shown():
    extra = WireMessage("x", "user", (right().envelope.layer("L5_USER").segments[-1],))
    built = right()
    assert violations(with_messages(built, (*built.envelope.messages, extra))) == UNSHOWN


VERBATIM = ("'selection' cannot be recovered, but is not sent verbatim",)


def test_a_selection_that_was_shortened():
    assert violations(with_segment(right(), "selection", "L3_TURN", text="sel…")) == VERBATIM


def test_a_selection_that_is_missing():
    assert violations(without(right(), "L3_TURN", "selection")) == VERBATIM


def test_an_essential_selection_that_was_dropped():
    broken = without(right(), "L3_TURN", "selection")
    pruned = replace(broken.envelope.cuts, pruned=(Pruned("selection", 1, 5, "over the window"),))
    assert violations(replace(broken, envelope=replace(broken.envelope, cuts=pruned))) == VERBATIM


def test_a_selection_may_be_dropped_where_the_user_allowed_it():
    tight = replace(SETTINGS, attachment_budget_tokens=0)
    assert violations(right(tight, attached=(selection(essential=False),))) == ()


def test_a_selection_may_be_filtered_out():
    filtered = replace(SETTINGS, filters=FilterSettings(exclude_kinds=frozenset({"selection"})))
    assert violations(right(filtered)) == ()


def test_a_selection_in_the_library():
    broken = with_segment(right(), "a", "L2_PREVIOUS", recoverable=False)
    assert violations(broken) == ("'a' cannot be recovered, but was promoted",)


def test_history_with_something_attached_to_it():
    broken = with_segment(right(), "u1", "L4_STRIP", text="<file_context>…</file_context>question")
    assert violations(broken) == ("the message 'u1' is not sent as it was said",)


def test_trimmed_history_is_not_what_was_said_and_may_be():
    assert violations(with_segment(right(), "a2", "L4_STRIP", text="[trimmed]", form="trimmed")) == ()


def test_a_system_message_with_more_than_l1_and_l2():
    built = right(history=())
    head, last = built.envelope.messages
    messages = (replace(head, segments=(*head.segments, *last.segments)),)
    assert violations(with_messages(built, messages)) == ("the message 'system' holds more than L1 and L2",)


def test_the_library_in_another_message():
    built = right(history=())
    head, last = built.envelope.messages
    messages = (
        replace(head, segments=head.segments[:1]),
        replace(last, segments=(*head.segments[1:], *last.segments)),
    )
    assert violations(with_messages(built, messages)) == (
        "the message 'q' holds more than L1 and L2",
        "the message 'q' holds L1 or L2",
    )


def test_a_message_of_history_may_be_called_system():
    """Ids in a trajectory are the writer's own."""
    empty = ContextSettings(model="word-1")
    assert violations(build(empty, history=(user("system"),), question=user("q"))) == ()
    assert violations(right(history=(system("system"), user("u")))) == ()


def test_a_compaction_without_a_way_back():
    broken = with_segment(right(), "long", "L2_PREVIOUS", text="in short")
    assert violations(broken) == ("'long' is compacted without saying how to have it whole",)


def test_a_compaction_that_is_not_written_down():
    built = right()
    cuts = replace(built.envelope.cuts, compacted=())
    assert violations(replace(built, envelope=replace(built.envelope, cuts=cuts))) == (
        "'long' is compacted without saying how to have it whole",
    )


def test_a_selection_that_was_compacted():
    assert "'long' cannot be recovered, but is compacted" in violations(
        with_segment(right(), "long", "L2_PREVIOUS", recoverable=False)
    )


def test_a_call_without_its_result():
    assert (
        violations(without(right(), "L4_STRIP", "r1"))[0]
        == "the message 'r1' leaves calls and results unpaired"
    )


def test_a_result_without_its_call():
    broken = with_segment(right(), "a1", "L4_STRIP", tool_calls=())
    assert violations(broken) == ("the message 'r1' leaves calls and results unpaired",)


def test_a_call_at_the_end_of_the_request():
    built = right(question=None, now=None, attached=())
    broken = with_segment(built, "a2", "L4_STRIP", tool_calls=(ToolCall("c2", "read", "{}"),))
    assert violations(broken) == ("the request ends with calls that have no result",)


def test_the_newest_question_is_missing():
    broken = without(right(), "L5_USER", "q")
    assert violations(broken) == ("the newest question is not in the request",)


def test_ten_thousand_messages_are_checked_in_linear_time():
    history = tuple(m for n in range(5_000) for m in (user(f"u{n}", f"{n}"), assistant(f"a{n}", f"{n}")))
    assert violations(build(ContextSettings(model="word-1", context_window=10**9), history=history)) == ()


def test_what_was_purged_is_not_in_the_request():
    purged = Tuning(purged=frozenset({"a", "long"}))
    assert violations(right(tuning=purged)) == ("'long' was purged, but is in the request",)
