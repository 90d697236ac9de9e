"""L4: what was said, as a provider accepts it; whatever is taken out is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import RENDERERS, assistant, result, segment, system, user
from workbench.context.assembly.history import History, bare_text, normalise, without_checkpoints
from workbench.context.assembly.select import Admission
from workbench.context.count.memo import CountMemo
from workbench.domain.chunk import EnvironmentChunk, WorkingFlowChunk
from workbench.domain.envelope import Repair, WireMessage
from workbench.domain.message import Entry, Image, Message, ToolCall
from workbench.domain.settings.context_settings import FilterSettings
from workbench.domain.turn import Tuning


def history(*entries: Entry, excluded: frozenset[str] = frozenset(), **changes: Any) -> History:
    tuning = Tuning(changes.pop("pinned", frozenset()), excluded)
    return normalise(entries, Admission(FilterSettings(**changes), excluded), tuning, RENDERERS)


def shape(found: History) -> list[tuple[str, list[str]]]:
    return [(message.role, [s.id for s in message.segments]) for message in found.messages]


def test_alternating_messages_go_out_as_they_are():
    found = history(user("u", "one"), assistant("a", "two"))
    assert [(m.id, m.role, m.content, m.merged) for m in found.messages] == [
        ("u", "user", "one", False), ("a", "assistant", "two", False),
    ]  # fmt: skip
    assert found.repairs == ()


def test_consecutive_messages_of_one_role_become_one():
    (message,) = history(user("u1", "one"), user("u2", "two")).messages
    assert (message.id, message.content, message.merged) == ("u1", "one\n\ntwo", True)


def test_merged_tool_results_have_nothing_between_them():
    """They go out as one message each."""
    found = history(assistant("a", "", "c1", "c2"), result("r1", "c1"), result("r2", "c2"))
    assert shape(found) == [("assistant", ["a"]), ("tool", ["r1", "r2"])]
    assert [s.lead for s in found.messages[1].segments] == ["", ""]


def test_of_two_results_for_one_call_the_last_wins():
    found = history(assistant("a", "", "c"), result("r1", "c"), result("r2", "c"), user("u"))
    assert shape(found) == [("assistant", ["a"]), ("tool", ["r2"]), ("user", ["u"])]
    assert found.repairs == (Repair("r1", "a later result for the same call stands after it"),)


def test_a_call_without_a_result_is_removed_and_the_words_stay():
    found = history(assistant("a", "let me see", "c1", "c2"), result("r", "c2"), user("u"))
    assert [call.id for call in found.messages[0].segments[0].tool_calls] == ["c2"]
    assert found.repairs == (Repair("a", "call without a result"),)


def test_a_message_that_was_only_a_dangling_call_is_removed():
    found = history(user("u1"), assistant("a", "", "c"), user("u2"))
    assert shape(found) == [("user", ["u1", "u2"])]
    assert found.repairs == (Repair("a", "call without a result"),)


def test_a_dangling_call_at_the_end_is_removed():
    assert shape(history(user("u"), assistant("a", "", "c"))) == [("user", ["u"])]


def test_a_dangling_call_with_a_picture_keeps_the_picture():
    drawn = Message("a", "assistant", (), (Image("d"),), (ToolCall("c", "draw", "{}"),))
    (message,) = history(drawn).messages
    assert (message.segments[0].images, message.segments[0].tool_calls) == ((Image("d"),), ())


def test_a_result_that_no_call_asked_for_is_removed():
    found = history(user("u"), result("r", "x"), assistant("a"))
    assert shape(found) == [("user", ["u"]), ("assistant", ["a"])]
    assert found.repairs == (Repair("r", "result for 'x', which no call asked for"),)


def test_a_result_must_stand_right_after_its_call():
    found = history(assistant("a", "words", "c"), user("u"), result("r", "c"))
    assert shape(found) == [("assistant", ["a"]), ("user", ["u"])]
    assert [repair.id for repair in found.repairs] == ["a", "r"]


def test_an_excluded_call_takes_its_result_along():
    found = history(user("u"), assistant("a", "", "c"), result("r", "c"), excluded=frozenset({"a"}))
    assert shape(found) == [("user", ["u"])]


def test_everything_said_is_kept_in_order_even_what_is_not_sent():
    found = history(user("u"), assistant("a"), excluded=frozenset({"a"}))
    assert [s.id for s in found.said] == ["u", "a"]


def test_neighbours_of_an_excluded_message_merge():
    found = history(user("u1"), assistant("a"), user("u2"), excluded=frozenset({"a"}))
    assert shape(found) == [("user", ["u1", "u2"])]


@pytest.mark.parametrize(
    ("entry", "placeholder"),
    [
        (assistant("m"), "[trimmed]"),
        (user("m"), None),
        (system("m"), None),
    ],
    ids=["assistant", "user", "system"],
)
def test_answers_may_be_trimmed_and_questions_not(entry: Message, placeholder: str | None):
    found = history(entry).said[0]
    assert (found.placeholder, found.essential) == (placeholder, placeholder is None)


def test_a_pinned_message_may_not_be_trimmed():
    found = history(assistant("a"), pinned=frozenset({"a"})).said[0]
    assert (found.placeholder, found.essential) == (None, True)


def test_a_trimmed_chunk_keeps_its_tags():
    chunk = EnvironmentChunk("e", "long output", "tool_result", name="read")
    (found,) = history(chunk).said
    assert found.placeholder == found.text.replace("long output", "[trimmed]")


def test_a_chunk_of_the_user_s_may_not_be_trimmed():
    (found,) = history(WorkingFlowChunk("w", "stop", "user_intervention")).said
    assert found.placeholder is None


def test_checkpoint_marks_are_taken_out_of_what_was_said():
    assert bare_text(user("u", "a<checkpoint_id>42</checkpoint_id>b")) == "ab"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("", ""),
        ("plain", "plain"),
        ("<checkpoint_id>1</checkpoint_id>", ""),
        ("a<checkpoint_id>1</checkpoint_id>b<checkpoint_id>2</checkpoint_id>c", "abc"),
        ("a<checkpoint_id>never closed", "a<checkpoint_id>never closed"),
        ("</checkpoint_id>a", "</checkpoint_id>a"),
        ("<checkpoint_id>a\nb</checkpoint_id>c", "c"),
        ("<checkpoint_id><checkpoint_id>1</checkpoint_id>2", "2"),
        ("x<checkpoint_id>1</checkpoint_id><checkpoint_id>y", "x<checkpoint_id>y"),
    ],
)
def test_only_closed_checkpoint_marks_are_taken_out(text: str, bare: str):
    assert without_checkpoints(text) == bare


@pytest.mark.parametrize(
    "unit",
    [
        "<checkpoint_id>",
        "</checkpoint_id>",
        "<checkpoint_id>1</checkpoint_id>",
        "</checkpoint_id><checkpoint_id>",
    ],
)
def test_hostile_marks_are_taken_out_in_linear_time(unit: str):
    """A search that starts again at every opening took 40 s a megabyte."""
    text = unit * (3_000_000 // len(unit))
    assert len(without_checkpoints(text)) <= len(text)


def test_hostile_history_is_normalised_in_linear_time():
    doubled = [result(f"r{n}", "c") for n in range(20_000)]
    found = history(assistant("a", "", "c"), *doubled)
    assert shape(found) == [("assistant", ["a"]), ("tool", ["r19999"])]
    assert len(found.repairs) == 19_999


def test_a_message_left_out_costs_nothing_and_can_be_brought_back():
    found = segment("m", "text", lead="\n\n", tool_calls=(ToolCall("c", "f", "{}"),)).left_out
    assert (found.sent, found.text, found.lead, found.tool_calls, found.original) == (
        False,
        "",
        "",
        (),
        "text",
    )


def test_what_an_earlier_request_has_just_the_same_is_taken_from_it():
    """Opening a chat must not make, digest and count thousands of messages anew that were kept with it."""
    said = (
        user("u1", "one"),
        assistant("a1", "two"),
        user("u2", "three"),
        assistant("a2", "", "c"),
        result("r", "c"),
    )
    sent = history(*said).messages
    again = normalise(said, Admission(FilterSettings()), Tuning(), RENDERERS, sent)
    assert again == replace(history(*said), messages=again.messages)
    assert [one is two for one, two in zip(again.messages, sent, strict=True)] == [True] * 3 + [False] * 2


@pytest.mark.parametrize(
    "now",
    [
        (user("u", "other"), assistant("a", "two")),
        (user("u", "one"), user("a", "two")),
        (user("u", "one"), assistant("a", "two", "c"), result("r", "c")),
        (user("u", "one"), Message("a", "assistant", ("two",), (Image("digest"),))),
    ],
)
@pytest.mark.parametrize("pinned", [frozenset(), frozenset({"a"})])
def test_what_is_another_now_is_made_anew(now: tuple[Entry, ...], pinned: frozenset[str]):
    sent = history(user("u", "one"), assistant("a", "two")).messages
    again = normalise(now, Admission(FilterSettings()), Tuning(pinned), RENDERERS, sent)
    made = history(*now, pinned=pinned)
    assert (again.said, [shown(one) for one in again.messages]) == (
        made.said,
        [shown(one) for one in made.messages],
    )


def shown(message: WireMessage) -> tuple[object, ...]:
    return message.id, message.role, message.segments, message.merged


def test_a_message_is_digested_once(monkeypatch: pytest.MonkeyPatch):
    """For its content, for what is sent and for its count: they are the same text."""
    (message,) = history(user("u", "one")).messages
    monkeypatch.setattr("workbench.domain.segment.digest_text", pytest.fail)
    monkeypatch.setattr("workbench.context.count.memo.digest_bytes", pytest.fail)
    assert message.segments[0].digest == message.segments[0].content_digest
    assert CountMemo(WordTokenizer()).count_segment(message.segments[0]) > 0
