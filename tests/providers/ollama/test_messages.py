"""Messages, tools and options as Ollama expects them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.answers import question
from workbench.domain.message import Image, Thought, ToolCall
from workbench.domain.request import ModelRequest, Picture, RequestMessage
from workbench.domain.tool import ToolDefinition
from workbench.providers.ollama.messages import ollama_body, ollama_messages


def request(*messages: RequestMessage) -> ModelRequest:
    return replace(question(), messages=messages, pictures={"d": Picture("image/png", b"\x89PNG")})


def test_the_window_is_always_named_and_nothing_may_be_dropped_silently():
    assert ollama_body(question("Why?", window_tokens=9000), "m") == {
        "model": "m",
        "messages": [{"role": "user", "content": "Why?"}],
        "stream": True,
        "options": {"num_ctx": 9000},
        "truncate": False,
        "shift": False,
    }


def test_parameters_are_options_and_some_stand_beside_them():
    parameters = {"temperature": 0.5, "stop": "x", "seed": None, "reasoning_effort": "low", "format": "json"}
    asked = replace(question(), parameters=parameters, max_output_tokens=50)
    body = ollama_body(asked, "m")
    assert body["options"] == {"temperature": 0.5, "stop": ["x"], "num_ctx": 4096, "num_predict": 50}
    assert (body["think"], body["format"]) == ("low", "json")


def test_parameters_cannot_change_what_is_asked_nor_how_long_a_model_stays():
    parameters = {
        "num_ctx": 1,
        "num_predict": 1,
        "stream": False,
        "keep_alive": 0,
        "model": "x",
        "options": {},
    }
    body = ollama_body(replace(question(), parameters=parameters), "m")
    assert body["options"] == {"num_ctx": 4096}
    assert (body["stream"], body["model"], "keep_alive" in body) == (True, "m", False)


def test_calls_have_objects_for_arguments_and_results_the_tools_name():
    rows = ollama_messages(
        request(
            RequestMessage("a", "assistant", "", tool_calls=(ToolCall("c", "look", '{"a": "ü"}'),)),
            RequestMessage("r", "tool", "done", tool_call_id="c"),
            RequestMessage("s", "tool", "lost", tool_call_id="unknown"),
        )
    )
    call = {"id": "c", "function": {"name": "look", "arguments": {"a": "ü"}}}
    assert rows[0] == {"role": "assistant", "content": "", "tool_calls": [call]}
    assert rows[1] == {"role": "tool", "content": "done", "tool_call_id": "c", "tool_name": "look"}
    assert rows[2]["tool_name"] == ""


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("", {}),
        ("{broken", {"arguments": "{broken"}),
        ("[1]", {"arguments": [1]}),
        ("[" * 99999, {"arguments": "[" * 99999}),
    ],
)
def test_arguments_that_are_no_object_become_one(text: str, arguments: dict[str, object]):
    """Ollama answers anything else with an error, and the chat would be stuck."""
    message = RequestMessage("a", "assistant", "", tool_calls=(ToolCall("c", "f", text),))
    assert ollama_messages(request(message))[0]["tool_calls"][0]["function"]["arguments"] == arguments


def test_pictures_are_sent_as_base64():
    (row,) = ollama_messages(request(RequestMessage("u", "user", "t", (Image("d"),))))
    assert row == {"role": "user", "content": "t", "images": ["iVBORw=="]}


def test_thoughts_go_back_with_the_calls_they_led_to():
    thinking = (Thought("hm"),)
    called = RequestMessage("a", "assistant", "", tool_calls=(ToolCall("c", "f", "{}"),), thinking=thinking)
    first, second = ollama_messages(request(called, RequestMessage("b", "assistant", "x", thinking=thinking)))
    assert (first["thinking"], "thinking" in second) == ("hm", False)


def test_a_tool_is_sent_with_its_whole_schema():
    """The official client's own types would drop what they do not know of a schema."""
    schema = '{"type":"object","properties":{"a":{"anyOf":[]}},"additionalProperties":false}'
    body = ollama_body(replace(question(), tools=(ToolDefinition("look", "Looks.", schema),)), "m")
    assert body["tools"][0]["function"]["parameters"]["properties"] == {"a": {"anyOf": []}}


def test_pictures_keep_their_order_but_not_their_place_in_the_text():
    """Ollama's format is one text and one list of pictures."""
    pictures = {"a": Picture("image/png", b"a"), "b": Picture("image/png", b"b")}
    mixed = RequestMessage("u", "user", "onetwo", (Image("b"), Image("a")), image_places=(0, 3))
    (row,) = ollama_messages(replace(request(mixed), pictures=pictures))
    assert row == {"role": "user", "content": "onetwo", "images": ["Yg==", "YQ=="]}
