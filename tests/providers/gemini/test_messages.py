"""A request in Gemini's words."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.answers import question
from workbench.domain.message import Image, Thought, ToolCall
from workbench.domain.parameters import Parameters
from workbench.domain.request import Picture, RequestMessage
from workbench.domain.tool import ToolDefinition
from workbench.providers.gemini.messages import sign_for_storage, written

CALL = ToolCall("c1", "ls", '{"path": "."}')


def test_the_systems_text_stands_apart_and_roles_take_turns():
    messages = (
        RequestMessage("s", "system", "Be brief."),
        RequestMessage("u", "user", "Look.", images=(Image("d"),)),
        RequestMessage("u2", "user", "Well?"),
        RequestMessage(
            "a", "assistant", "", tool_calls=(CALL,), thinking=(Thought("", sign_for_storage("sig", "m", 0)),)
        ),
        RequestMessage("t", "tool", "a.md", tool_call_id="c1"),
    )
    request = replace(question(), messages=messages, pictures={"d": Picture("image/png", b"x")})
    body, stretches = written(request, "m")
    call = {"name": "ls", "args": {"path": "."}}
    assert body == {
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"text": "Look."},
                    {"inlineData": {"mimeType": "image/png", "data": "eA=="}},
                    {"text": "Well?"},
                ],
            },
            {"role": "model", "parts": [{"functionCall": call, "thoughtSignature": "sig"}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"result": "a.md"}}}]},
        ],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
    }
    assert stretches[:3] == (
        (("systemInstruction", "parts", 0, "text"),),
        (("contents", 0, "parts", 0, "text"),),
        (("contents", 0, "parts", 2, "text"),),
    )
    assert stretches[4] == (("contents", 2, "parts", 0, "functionResponse", "response", "result"),)
    other, _ = written(request, "another")
    assert "thoughtSignature" not in other["contents"][1]["parts"][0]


def test_an_answer_is_not_the_first_that_is_said():
    request = replace(question(), messages=(RequestMessage("a", "assistant", "Yes."),))
    assert [one["role"] for one in written(request, "m")[0]["contents"]] == ["user", "model"]


def test_parameters_and_tools_have_other_names_there():
    chosen = Parameters(
        temperature=0.5, top_k=3, stop=("x",), seed=1, reasoning_effort="low", response_format="json"
    )
    tool = ToolDefinition("ls", "lists", '{"type": "object"}')
    request = replace(
        question(), chosen=chosen, max_output_tokens=50, tools=(tool,), parameters={"safetySettings": []}
    )
    body, _ = written(request, "gemini-3-pro")
    declared = {"name": "ls", "description": "lists", "parametersJsonSchema": {"type": "object"}}
    assert body["tools"] == [{"functionDeclarations": [declared]}]
    assert body["safetySettings"] == []
    assert body["generationConfig"] == {
        "temperature": 0.5,
        "topK": 3,
        "seed": 1,
        "stopSequences": ["x"],
        "maxOutputTokens": 50,
        "responseMimeType": "application/json",
        "thinkingConfig": {"thinkingLevel": "low"},
    }
    assert written(request, "gemini-2.5-pro")[0]["generationConfig"]["thinkingConfig"] == {
        "thinkingBudget": 1024
    }
