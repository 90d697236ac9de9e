"""Messages and tools as OpenAI-compatible servers expect them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.answers import question
from workbench.domain.answer import ModelFailed
from workbench.domain.message import Image, Thought, ToolCall
from workbench.domain.request import ModelRequest, Picture, RequestMessage
from workbench.domain.tool import ToolDefinition
from workbench.providers.openai.body import openai_messages, openai_tools


def request(*messages: RequestMessage) -> ModelRequest:
    return replace(question(), messages=messages, pictures={"d": Picture("image/png", b"\x89PNG")})


def test_text_is_sent_byte_for_byte_and_in_order():
    said = [("system", "S\n"), ("user", " U "), ("assistant", "A"), ("user", "漢"), ("assistant", "And so")]
    messages = [RequestMessage(str(n), role, text) for n, (role, text) in enumerate(said)]  # type: ignore[arg-type]
    assert openai_messages(request(*messages), thoughts=True) == [{"role": r, "content": t} for r, t in said]


def test_calls_and_their_results_keep_their_ids():
    call = ToolCall("c", "look", '{"a": 1}')
    rows = openai_messages(
        request(
            RequestMessage("a", "assistant", "", tool_calls=(call, ToolCall("d", "see", ""))),
            RequestMessage("r", "tool", "done", tool_call_id="c"),
        ),
        thoughts=True,
    )
    assert rows == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}},
                {"id": "d", "type": "function", "function": {"name": "see", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "content": "done", "tool_call_id": "c"},
    ]


def test_words_and_pictures_keep_their_order():
    """Two pictures after the words of both: which was the first screen, and which the second?"""
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
    mixed = RequestMessage(
        "u", "user", "onetwo", (Image("d"), Image("d"), Image("d")), image_places=(0, 3, 6)
    )
    (row,) = openai_messages(request(mixed), thoughts=True)
    one, two = ({"type": "text", "text": text} for text in ("one", "two"))
    assert row["content"] == [url, one, url, two, url]


def test_pictures_are_sent_as_they_are_after_the_text():
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
    with_text, without = openai_messages(
        request(
            RequestMessage("u", "user", "t", (Image("d"),)), RequestMessage("v", "user", "", (Image("d"),))
        ),
        thoughts=True,
    )
    assert with_text["content"] == [{"type": "text", "text": "t"}, url]
    assert without["content"] == [url]


def test_a_missing_picture_is_a_failure_with_a_name():
    with pytest.raises(ModelFailed) as failed:
        openai_messages(request(RequestMessage("u", "user", "t", (Image("other"),))), thoughts=True)
    assert failed.value.failure.kind == "request"


@pytest.mark.parametrize("thoughts", [True, False])
def test_thoughts_go_back_only_with_calls_and_only_where_wanted(thoughts: bool):
    thinking = (Thought("one "), Thought("two"))
    called = RequestMessage("a", "assistant", "", tool_calls=(ToolCall("c", "f", "{}"),), thinking=thinking)
    plain = RequestMessage("b", "assistant", "x", thinking=thinking)
    first, second = openai_messages(request(called, plain), thoughts=thoughts)
    assert first.get("reasoning_content") == ("one two" if thoughts else None)
    assert "reasoning_content" not in second


def test_text_that_no_encoding_carries_is_repaired():
    assert (
        openai_messages(request(RequestMessage("u", "user", "a\ud800")), thoughts=True)[0]["content"]
        == "a\ufffd"
    )


def test_a_tool_is_sent_with_its_whole_schema():
    schema = '{"type":"object","properties":{"a":{"anyOf":[{"type":"null"}]}},"additionalProperties":false}'
    (row,) = openai_tools((ToolDefinition("look", "Looks.", schema),))
    assert row["type"] == "function"
    assert row["function"]["name"] == "look"
    assert row["function"]["description"] == "Looks."
    assert row["function"]["parameters"]["additionalProperties"] is False
    assert row["function"]["parameters"]["properties"]["a"] == {"anyOf": [{"type": "null"}]}
