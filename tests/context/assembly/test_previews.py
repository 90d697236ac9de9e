"""Old results of tools: whole, then in short with how to have them again, then a placeholder."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.long_texts import long_code, long_log
from tests.fakes.turns import RENDERERS, artifact, assistant, turn_inputs, user, word_counter
from workbench.context.assemble import Assembly, assemble
from workbench.context.assembly.memory import BuildMemory
from workbench.context.assembly.previews import Previews, calls_in, how_again
from workbench.context.compare import compare
from workbench.context.invariants import violations
from workbench.context.shorten.compact import Shortening
from workbench.domain.change import Built
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.envelope import TrimState, WireMessage
from workbench.domain.message import Message, ToolCall
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings, HistorySettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning

READ = ToolDefinition("read", "Reads.", "{}")
COUNTER = word_counter()
LOG_TEXT = long_log(3, 400, "the planted trouble")


def limits(window: int, **changes: Any) -> ContextSettings:
    given: dict[str, Any] = {
        "reserved_output_tokens": 0,
        "compaction": CompactionSettings(tool_results="preview"),
        "tools": (READ,),
        "history": HistorySettings(keep_last_n_assistant=1),
        **changes,
    }
    return ContextSettings(model="word-1", context_window=window, **given)


def looked(number: int, text: str = LOG_TEXT, path: str = "server.log") -> tuple[Message, ...]:
    """A turn in which a file was read."""
    arguments = json.dumps({"path": path})
    call = ToolCall(f"c{number}", "read", arguments)
    return (
        user(f"question {number}"),
        Message(f"call {number}", "assistant", (), tool_calls=(call,)),
        Message(f"result {number}", "tool", (text,), tool_call_id=call.id),
        assistant(f"answer {number}", "said so"),
    )


def made(chosen: ContextSettings, before: Built | None = None, **changes: Any) -> Built:
    inputs = turn_inputs(chosen, **{"question": user("now"), **changes})
    built = Built(inputs, assemble(inputs, Assembly(COUNTER, RENDERERS), before))
    assert violations(built) == ()
    return built


def result(built: Built, number: int) -> Segment:
    (found,) = (s for s in built.envelope.layer("L4_STRIP").segments if s.id == f"result {number}")
    return found


def forms(built: Built, *numbers: int) -> list[str]:
    return [result(built, number).form for number in numbers]


WHOLE = made(limits(10**6), history=looked(1)).envelope.total_tokens


def test_with_room_for_it_a_result_goes_out_whole():
    built = made(limits(10**6), history=looked(1))
    assert forms(built, 1) == ["full"]
    assert built.envelope.cuts.compacted == ()


def test_over_the_threshold_it_is_shortened_by_its_shape_before_anything_is_trimmed():
    built = made(limits(WHOLE), history=looked(1))
    segment = result(built, 1)
    assert (segment.form, built.envelope.cuts.trim.boundary, built.envelope.cuts.trimmed_messages) == (
        "compacted", 0, (),
    )  # fmt: skip
    assert "the planted trouble" in segment.text
    assert segment.text.startswith(LOG_TEXT.split("\n")[0])
    note = (
        f'[compacted from {len(LOG_TEXT):,} characters; to have it again: call read {{"path": "server.log"}}]'
    )
    assert segment.text.endswith(note)
    (told,) = built.envelope.cuts.compacted
    assert (told.id, told.recover_with) == ("result 1", 'call read {"path": "server.log"}')
    assert told.from_tokens > told.to_tokens


def test_the_longest_is_shortened_first_and_no_more_than_is_needed():
    history = (*looked(1), *looked(2, LOG_TEXT * 3), *looked(3))
    whole = made(limits(10**6), history=history).envelope.total_tokens
    built = made(limits(whole), history=history)
    assert forms(built, 1, 2, 3) == ["full", "compacted", "full"]


def test_when_that_is_not_enough_the_boundary_moves_over_it_as_before():
    tight = limits(110)
    built = made(tight, history=(*looked(1), *looked(2)))
    assert forms(built, 1) == ["trimmed"]
    assert result(built, 1).text == "[trimmed]"
    assert result(built, 1).original == LOG_TEXT


def test_as_a_placeholder_setting_nothing_is_shortened():
    plain = limits(WHOLE, compaction=CompactionSettings())
    built = made(plain, history=looked(1))
    assert forms(built, 1) == ["trimmed"]
    assert built.envelope.cuts.compacted == ()


def test_what_is_pinned_short_or_of_this_turn_stays_whole():
    pinned = Tuning(pinned=frozenset({"result 1"}))
    assert forms(made(limits(WHOLE), history=looked(1), tuning=pinned), 1) == ["full"]
    history = looked(1, "word " * 900)
    whole = made(limits(10**6), history=history).envelope.total_tokens
    assert forms(made(limits(whole), history=history), 1) == ["trimmed"]
    asked, call, got, _ = looked(1)
    now = made(limits(WHOLE), question=asked, rounds=(call, got))
    assert now.envelope.layer("L3_TURN").segments[-1].form == "full"


def test_what_was_shortened_stays_as_it_was_sent():
    first = made(limits(WHOLE), history=looked(1))
    more = (*looked(1), user("more"), assistant("much", "said " * 30))
    second = made(limits(WHOLE), history=more, trim=first.envelope.cuts.trim)
    roomy = made(limits(10 * WHOLE), history=more, trim=first.envelope.cuts.trim)
    assert result(first, 1).text == result(second, 1).text == result(roomy, 1).text
    assert second.envelope.cuts.trim.fitted == first.envelope.cuts.trim.fitted
    before = made(limits(WHOLE), history=more, trim=second.envelope.cuts.trim)
    assert [m.content for m in before.envelope.messages] == [m.content for m in second.envelope.messages]


def test_a_result_that_is_another_by_now_is_not_cut_as_it_was():
    first = made(limits(WHOLE), history=looked(1))
    changed = looked(1, LOG_TEXT + "one more line\n")
    assert forms(made(limits(10**6), history=changed, trim=first.envelope.cuts.trim), 1) == ["full"]


def test_an_attached_text_is_not_cut_where_old_results_can_be():
    one = artifact("a.py", long_code(5, 300))
    whole = made(limits(10**6), history=looked(1, LOG_TEXT * 2), attached=(one,)).envelope.total_tokens
    built = made(limits(whole), history=looked(1, LOG_TEXT * 2), attached=(one,))
    assert forms(built, 1) == ["compacted"]
    assert [s.form for s in built.envelope.layer("L3_TURN").segments] == ["full"]


def test_shortening_is_told_as_a_cause():
    one = made(limits(10**6), history=looked(1))
    other = made(limits(WHOLE), history=looked(1))
    causes = [(cause.cause, cause.subject) for cause in compare(one, other, COUNTER).causes]
    assert ("trimmed", "result 1") in causes


@pytest.mark.parametrize("ending", ["log", "py"])
def test_what_a_command_of_a_question_gave_back_is_shortened_within_its_tags(ending: str):
    text = LOG_TEXT if ending == "log" else long_code(2, 400)
    body = f'read {{"path": "a.{ending}"}}\n{text}'
    chunk = EnvironmentChunk(
        id="result 1", body=body, action="tool_result", name="read", call_id="result 1", success=True
    )
    history = (chunk, user("question"), assistant("answer", "said so"))
    whole = made(limits(10**6), history=history).envelope.total_tokens
    built = made(limits(whole), history=history)
    segment = result(built, 1)
    assert segment.form == "compacted"
    assert segment.placeholder is not None
    opening, closing = segment.placeholder.split("[trimmed]")
    assert segment.text.startswith(opening)
    assert segment.text.endswith(closing)
    assert segment.text.count(closing.strip()) == 1
    assert f'call read {{"path": "a.{ending}"}}]' in segment.text


def test_a_log_that_is_begun_anew_carries_them_short_and_goes_on_so():
    chosen = limits(WHOLE, layout="append_only")
    first = made(chosen, history=looked(1))
    assert forms(first, 1) == ["compacted"]
    history = (*looked(1), user("now"), assistant("so", "short"))
    asked = replace(user("then"), id="then")
    second = made(chosen, first, history=history, question=asked, turn=2)
    assert (second.envelope.rebuilt, result(second, 1).text) == (None, result(first, 1).text)
    pinned = Tuning(pinned=frozenset({"result 1"}))
    third = made(chosen, first, history=history, question=asked, turn=2, tuning=pinned)
    assert (third.envelope.rebuilt, forms(third, 1)) == ("history_edited", ["full"])


def test_how_to_have_it_again_names_only_what_is_there():
    call = ToolCall("c", "read", '{"path": "a"}')
    message = WireMessage(
        "m", "assistant", (Segment("m", "L4_STRIP", "assistant", "", "", tool_calls=(call,)),)
    )
    calls = calls_in([message])
    one = Segment("r", "L4_STRIP", "tool", "text", "", placeholder="[trimmed]", tool_call_id="c")
    assert how_again(one, calls, frozenset({"read"})) == 'call read {"path": "a"}'
    assert how_again(one, calls, frozenset()) == 'ask for the result of read {"path": "a"}'
    long = {"c": replace(call, arguments=json.dumps({"text": "x" * 999}))}
    assert how_again(one, long, frozenset({"read"})) == "call read as before"


def test_a_result_whose_call_is_not_known_is_left_alone():
    one = Segment("r", "L4_STRIP", "tool", "text " * 2_000, "", placeholder="[trimmed]", tool_call_id="gone")
    messages = (WireMessage("r", "tool", (one,)),)
    assert Previews(messages, Shortening(CompactionSettings()), BuildMemory()).largest(messages, 0, 1) == []


@settings(max_examples=tries(25), deadline=None)
@given(
    st.lists(st.tuples(st.integers(200, 4_000), st.sampled_from([None, 150, 400]), st.booleans()), max_size=6)
)
def test_what_is_remembered_makes_no_request_different(steps: list[tuple[int, int | None, bool]]):
    """Windows and lengths one after the other with one memory, and each with none."""
    memory, trim = BuildMemory(), TrimState()
    for window, most, log in steps:
        one = artifact("a.py", long_code(1, 250), most_tokens=most)
        chosen = limits(window, layout="append_only" if log else "layered")
        inputs = turn_inputs(
            chosen, question=user("now"), history=(*looked(1), *looked(2)), attached=(one,), trim=trim
        )
        warm, cold = (
            assemble(inputs, Assembly(COUNTER, RENDERERS, kept)) for kept in (memory, BuildMemory())
        )
        assert [m.content for m in warm.messages] == [m.content for m in cold.messages]
        assert (warm.cuts, warm.total_tokens) == (cold.cuts, cold.total_tokens)
        assert violations(Built(inputs, warm)) == ()
        trim = warm.cuts.trim
