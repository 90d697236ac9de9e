"""What an adapter gets is what the envelope shows, and where a cache may keep it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, assistant, build, result, shelved, user
from workbench.context.outgoing import model_request, neutral_messages, request_messages
from workbench.domain.message import Image, Message, Thought
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition

SETTINGS = ContextSettings(model="word-1", system_prompt="Be brief.")


def test_every_message_is_sent_as_it_is_shown():
    built = build(
        SETTINGS,
        history=(user("u1", "one"), assistant("a1", "two")),
        attached=(artifact("a.md", "Alpha."),),
        question=user("q", "three"),
    )
    sent = request_messages(built)
    assert [(m.id, m.role, m.text) for m in sent] == [
        (m.id, m.role, m.content) for m in built.envelope.messages
    ]
    assert "Alpha." in sent[-1].text


def test_merged_results_are_a_message_each():
    history = (
        user("u1"),
        assistant("a1", "", "c1", "c2"),
        result("r1", "c1", "one"),
        result("r2", "c2", "two"),
    )
    *_, first, second, question = request_messages(build(history=history, question=user("q")))
    assert [(m.role, m.text, m.tool_call_id) for m in (first, second)] == [
        ("tool", "one", "c1"), ("tool", "two", "c2"),
    ]  # fmt: skip
    # The last of them ends what the next request has in common with this one; so does the question.
    assert (first.cache_marks, second.cache_marks, question.cache_marks) == ((), (3,), (8,))


def test_the_system_message_is_marked_where_its_layers_end():
    shelf = (shelved(artifact("a.md", "Alpha.")),)
    system = request_messages(build(SETTINGS, library=shelf, question=user("q")))[0]
    assert len(system.cache_marks) == 2
    assert system.text[: system.cache_marks[0]] == "Be brief."
    assert system.cache_marks[1] == len(system.text)


def test_thoughts_go_back_within_their_turn_only():
    thought = (Thought("hm", "signed"),)
    old = replace(assistant("a1", "said"), thinking=thought)
    new = Message("a2", "assistant", ("",), tool_calls=assistant("x", "", "c1").tool_calls, thinking=thought)
    built = build(history=(user("u1"), old), question=user("q"), rounds=(new, result("r", "c1")))
    thinking = {m.id: m.thinking for m in request_messages(built)}
    assert (thinking["a1"], thinking["a2"]) == ((), thought)


def test_pictures_stay_with_their_message():
    picture = Image("digest", tokens=3)
    *_, question = request_messages(build(question=replace(user("q"), images=(picture,))))
    assert question.images == (picture,)


@pytest.mark.parametrize(
    ("reserved", "most", "sent"), [(100, None, 100), (100, 50, 50), (40, 50, 40), (0, None, None)]
)
def test_an_answer_may_be_as_long_as_was_reserved_and_the_model_allows(
    reserved: int, most: int | None, sent: int | None
):
    settings = replace(SETTINGS, reserved_output_tokens=reserved)
    built = build(settings, model=replace(WORD_MODEL, max_output_tokens=most), question=user("q"))
    assert model_request(built).max_output_tokens == sent


def test_what_the_request_is_about_goes_along():
    tool = ToolDefinition("read")
    request = model_request(build(replace(SETTINGS, tools=(tool,), context_window=500), question=user("q")))
    assert (request.model, request.conversation, request.window_tokens, request.tools) == (
        "word-1", "talk", 500, (tool,),
    )  # fmt: skip


def mixed(message_id: str) -> Message:
    """A picture, words, a picture, words."""
    images = (Image("first", after=0), Image("second", after=1))
    return replace(user(message_id, "x"), texts=("one", "two"), images=images)


def test_the_pictures_of_a_message_stand_where_they_stood():
    first, second = Image("first", after=0), Image("second", after=1)
    *_, question = request_messages(build(question=mixed("q")))
    assert question.parts == (first, "one\n\n", second, "two")
    *_, earlier, _answer, _question = request_messages(
        build(history=(mixed("q"), assistant("a")), question=user("r"))
    )
    assert earlier.parts == (first, "one\n\n", second, "two")


def test_of_merged_messages_each_keeps_its_pictures():
    """A picture after the words of the next message would be taken for that one's."""
    said = (replace(user("p", "See this."), images=(Image("d"),)), user("q", "And this."), assistant("a"))
    *_, earlier, _answer, _question = request_messages(build(history=said, question=user("r")))
    assert earlier.parts == ("See this.", Image("d"), "\n\nAnd this.")


def test_the_report_has_the_parts_in_their_order():
    (row,) = neutral_messages(build(question=mixed("q")).envelope.messages[-1:])
    kinds = [(part["type"], part.get("text", part.get("digest"))) for part in row["content"]]
    assert kinds == [("image", "first"), ("text", "one\n\n"), ("image", "second"), ("text", "two")]


def test_another_order_is_another_segment():
    one = build(question=mixed("q")).envelope.layers[-1].digest
    other = build(question=replace(mixed("q"), images=(Image("first"), Image("second")))).envelope.layers[-1]
    assert other.digest != one
