"""The neutral form: exactly what goes to the provider."""

from __future__ import annotations

from tests.fakes.turns import segment, wire
from workbench.context.outgoing import neutral_messages
from workbench.domain.message import Image, ToolCall


def test_a_plain_message_is_its_text():
    assert neutral_messages([wire("m", "user", "text")]) == [{"id": "m", "role": "user", "content": "text"}]


def test_merged_segments_are_one_content():
    message = wire("m", "user", segment("m", "one"), segment("n", "two", lead="\n\n"), merged=True)
    assert neutral_messages([message]) == [{"id": "m", "role": "user", "content": "one\n\ntwo"}]


def test_calls_stand_beside_the_words():
    call = segment("a", "words", tool_calls=(ToolCall("c", "read", '{"path":"x"}'),))
    assert neutral_messages([wire("a", "assistant", call)]) == [
        {
            "id": "a",
            "role": "assistant",
            "content": "words",
            "tool_calls": [{"id": "c", "name": "read", "arguments": '{"path":"x"}'}],
        }
    ]


def test_a_call_without_words_has_empty_content():
    call = segment("a", "", tool_calls=(ToolCall("c", "read", "{}"),))
    assert neutral_messages([wire("a", "assistant", call)])[0]["content"] == ""


def test_merged_results_go_out_one_by_one():
    results = (segment("r1", "one", tool_call_id="c1"), segment("r2", "two", tool_call_id="c2"))
    assert neutral_messages([wire("r1", "tool", *results, merged=True)]) == [
        {"id": "r1", "role": "tool", "content": "one", "tool_call_id": "c1"},
        {"id": "r2", "role": "tool", "content": "two", "tool_call_id": "c2"},
    ]


def test_pictures_stand_after_the_text():
    message = wire("m", "user", segment("m", "look", images=(Image("d1", 85), Image("d2"))))
    assert neutral_messages([message])[0]["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image", "digest": "d1", "tokens": 85},
        {"type": "image", "digest": "d2", "tokens": None},
    ]


def test_a_picture_alone_has_no_text_part():
    message = wire("m", "user", segment("m", "", images=(Image("d"),)))
    assert neutral_messages([message])[0]["content"] == [{"type": "image", "digest": "d", "tokens": None}]
