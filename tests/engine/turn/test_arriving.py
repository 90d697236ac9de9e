"""One answer, collected part by part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.answer import (
    Accepted,
    CallMade,
    Failure,
    Finished,
    Progressed,
    Retrying,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.message import Message, Thought, ToolCall
from workbench.domain.usage import Usage
from workbench.engine.turn.answering import Arriving

CALL = ToolCall("c1", "read", "{}")


def arrived(*parts: object, begun: str = "") -> Arriving:
    arriving = Arriving(
        "a1", Message("a0", "assistant", (begun,), thinking=(Thought("hm"),)) if begun else None
    )
    for part in parts:
        arriving.take(part)  # type: ignore[arg-type]
    return arriving


def test_the_parts_make_one_message():
    whole = arrived(ThinkingGrew("hm"), TextGrew("Let me "), TextGrew("look."), CallMade(CALL))
    assert whole.message == Message(
        "a1", "assistant", ("Let me look.",), tool_calls=(CALL,), thinking=(Thought("hm"),)
    )


def test_a_signature_closes_a_thought():
    parts = [ThinkingGrew("one "), ThinkingGrew("thought"), ThinkingGrew("", "signed"), ThinkingGrew("next")]
    assert arrived(*parts).message.thinking == (Thought("one thought", "signed"), Thought("next"))


def test_an_answer_that_is_continued_goes_on_with_its_text():
    begun = arrived(begun="So far")
    assert (begun.text, begun.has_content) == ("So far", False)
    assert arrived(TextGrew(" and on"), begun="So far").text == "So far and on"
    assert begun.message.thinking == (Thought("hm"),)


def test_a_later_usage_replaces_an_earlier_one():
    arriving = arrived(UsageReported(Usage(1)), UsageReported(Usage(2)))
    assert arriving.usage == Usage(2)


def test_an_end_without_a_reason_is_an_end():
    assert (arrived(TextGrew("x")).finished, arrived(Finished(None)).finished) == (False, True)
    assert arrived(Finished("length")).finish_reason == "length"


def test_waiting_is_no_content():
    waiting = arrived(
        Progressed("Loading"), Retrying(1, 0.5, Failure("rate", "busy")), UsageReported(Usage(1))
    )
    assert not waiting.has_content
    assert waiting.message == Message("a1", "assistant")


@given(st.lists(st.text(max_size=5)))
def test_looking_at_the_text_in_between_changes_nothing(pieces: list[str]):
    arriving = Arriving("a1")
    for piece in pieces:
        arriving.take(TextGrew(piece))
        assert arriving.text == arriving.message.text
    assert arriving.text == "".join(pieces)


def test_what_the_model_was_really_given_is_remembered():
    assert arrived(TextGrew("Yes.")).sent_digest == ""
    whole = arrived(Accepted("first"), Retrying(1, 0.5, Failure("network", "x")), Accepted("second"))
    assert (whole.sent_digest, whole.has_content) == ("second", False)
