"""Parameters, tools and pictures in the words of OpenAI's Responses interface."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.answers import question
from workbench.domain.message import Image
from workbench.domain.parameters import Parameters
from workbench.domain.request import Picture, RequestMessage
from workbench.domain.tool import ToolDefinition
from workbench.providers.openai.responses import signed, written


def test_parameters_have_other_names_there():
    chosen = Parameters(
        temperature=0.5, seed=3, reasoning_effort="high", response_format="json", extra='{"store": true}'
    )
    request = replace(question(), chosen=chosen, max_output_tokens=5, parameters={"truncation": "auto"})
    body, _ = written(request, "m", keyed=False, streamed=True)
    assert {name: value for name, value in body.items() if name not in ("model", "input", "include")} == {
        "store": False,
        "stream": True,
        "max_output_tokens": 16,
        "truncation": "auto",
        "temperature": 0.5,
        "reasoning": {"effort": "high"},
        "text": {"format": {"type": "json_object"}},
    }


def test_a_schema_of_the_answer_stands_flat():
    chosen = Parameters(response_format='{"type": "string"}')
    body, _ = written(replace(question(), chosen=chosen), "m", keyed=False, streamed=True)
    assert body["text"]["format"] == {
        "type": "json_schema",
        "name": "answer",
        "schema": {"type": "string"},
        "strict": True,
    }


def test_tools_say_that_their_schema_is_not_strict():
    request = replace(question(), tools=(ToolDefinition("ls", "lists", '{"type": "object"}'),))
    (tool,) = written(request, "m", keyed=False, streamed=True)[0]["tools"]
    assert tool == {
        "type": "function",
        "name": "ls",
        "description": "lists",
        "strict": False,
        "parameters": {"type": "object"},
    }


def test_pictures_stand_where_they_were():
    message = RequestMessage("q", "user", "Look.", images=(Image("d", 1, 1),))
    request = replace(question(), messages=(message,), pictures={"d": Picture("image/png", b"x")})
    body, stretches = written(request, "m", keyed=False, streamed=True)
    assert body["input"][0]["content"] == [
        {"type": "input_text", "text": "Look."},
        {"type": "input_image", "image_url": "data:image/png;base64,eA=="},
    ]
    assert stretches == ((("input", 0, "content", 0, "text"),),)


def test_a_thought_that_cannot_be_handed_back_is_not_kept_for_it():
    assert signed({"id": "rs_1", "summary": []}, "m") is None
