"""What was said in this very turn stands after its question, as native messages that nothing trims."""

from __future__ import annotations

from tests.fakes.turns import RENDERERS, assistant, build, result, segment, user
from workbench.context.assembly.draft import after_the_question, round_messages
from workbench.context.invariants import violations
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings

ROUNDS = (assistant("a", "", "c1", "c2"), result("r1", "c1", "one"), result("r2", "c2", "two"))


def test_rounds_are_native_messages_of_the_turn():
    asked, results = round_messages(ROUNDS, RENDERERS)
    assert (asked.role, [call.id for call in asked.segments[0].tool_calls]) == ("assistant", ["c1", "c2"])
    assert (results.role, [one.text for one in results.segments]) == ("tool", ["one", "two"])
    for one in (*asked.segments, *results.segments):
        assert (one.layer, one.essential, one.placeholder) == ("L3_TURN", True, None)
    assert round_messages((), RENDERERS) == ()


def test_they_stand_after_the_question():
    built = build(question=user("q"), rounds=ROUNDS)
    assert [message.role for message in built.envelope.messages] == ["user", "assistant", "tool"]
    assert [s.id for s in built.envelope.layer("L3_TURN").segments] == ["a", "r1", "r2"]
    assert violations(built) == ()


def test_a_call_without_a_result_is_not_sent():
    """A turn that was stopped between two of its calls is continued with those that have a result."""
    asked, results = round_messages(ROUNDS[:2], RENDERERS)
    assert [call.id for call in asked.segments[0].tool_calls] == ["c1"]
    assert len(results.segments) == 1


def test_nothing_of_a_turn_is_trimmed_however_full_it_is():
    history = tuple(entry for n in range(20) for entry in (user(f"u{n}"), assistant(f"a{n}", "word " * 20)))
    settings = ContextSettings(
        model="word-1",
        context_window=300,
        reserved_output_tokens=0,
        history=HistorySettings(keep_last_n_assistant=0),
    )
    built = build(settings, history=history, question=user("q"), rounds=ROUNDS)
    assert built.envelope.cuts.trimmed_messages != ()
    assert [s.form for s in built.envelope.layer("L3_TURN").segments] == ["full"] * 3
    assert built.envelope.fits


def test_wire_order_puts_rounds_last_and_leaves_the_rest():
    shown = [
        segment("tool result", layer="L3_TURN"), segment("a", layer="L3_TURN"),
        segment("r1", layer="L3_TURN"), segment("q", layer="L5_USER"),
    ]  # fmt: skip
    assert [one.id for one in after_the_question(shown, ROUNDS)] == ["tool result", "q", "a", "r1"]


def test_a_message_of_history_with_the_same_id_stays_where_it_is():
    shown = [segment("a", layer="L4_STRIP"), segment("q", layer="L5_USER")]
    assert [one.id for one in after_the_question(shown, ROUNDS)] == ["a", "q"]
