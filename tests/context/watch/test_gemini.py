"""Gemini: contents and parts, whichever way their names are written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.context.watch.test_anthropic import PIXEL
from workbench.context.watch.gemini import fold, model_in, read_request
from workbench.context.watch.pieces import Pieces
from workbench.domain.usage import Usage


def test_a_request_is_read():
    into = Pieces()
    read_request(
        {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "tools": [{"functionDeclarations": [{"name": "see"}]}, {"googleSearch": {}}],
            "contents": [
                {
                    "role": "user",
                    "parts": [{"text": "Look."}, {"inlineData": {"mimeType": "image/png", "data": PIXEL}}],
                },
                {
                    "role": "model",
                    "parts": [
                        {"text": "Hm.", "thought": True},
                        {"functionCall": {"name": "see", "args": {"n": 1}}},
                    ],
                },
                {"role": "user", "parts": [{"functionResponse": {"name": "see", "response": {"dots": 1}}}]},
            ],
        },
        into,
    )

    assert [(one.path, one.kind, one.name, one.text) for one in into.all()][2:] == [
        ("systemInstruction.parts[0].text", "system", "", "Be brief."),
        ("contents[0].parts[0].text", "question", "", "Look."),
        ("contents[0].parts[1].inlineData", "picture", "", ""),
        ("contents[1].parts[0].text", "thought", "", "Hm."),
        ("contents[1].parts[1].functionCall.args", "call", "see", '{"n":1}'),
        ("contents[2].parts[0].functionResponse.response", "result", "see", '{"dots":1}'),
    ]
    assert [one.name for one in into.all()][:2] == ["see", "googleSearch"]


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"executableCode": {"code": "1"}}, '{"executableCode":{"code":"1"}}'),
        ({"file_data": {"file_uri": "files/x"}}, "files/x"),
        ({"text": ""}, ""),
    ],
)
def test_other_parts(part: dict[str, Any], text: str):
    into = Pieces()
    read_request({"contents": [{"parts": [part]}]}, into)

    assert [one.text for one in into.all()] == [text]


def test_the_address_names_the_model():
    assert model_in("/v1beta/models/gemini-2.5-pro:generateContent") == "gemini-2.5-pro"
    assert model_in("/v1/x") == ""


def chunk(*parts: dict[str, Any], **about: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, **about}]}


def test_chunks_become_one_answer():
    counts = {"promptTokenCount": 40, "candidatesTokenCount": 3, "thoughtsTokenCount": 2}
    found = fold(
        [
            chunk({"text": "H", "thought": True}),
            chunk({"text": "m.", "thought": True}),
            chunk({"text": "So"}),
            chunk({"text": "."}, {"functionCall": {"name": "see", "args": {}}}, finishReason="STOP")
            | {"usageMetadata": counts, "responseId": "r1"},
        ]
    ).answer()

    assert [(one.kind, one.text) for one in found.pieces] == [
        ("thought", "Hm."),
        ("answer", "So."),
        ("call", "{}"),
    ]
    assert found.usage == Usage(40, 0, None, 5, 2)
    assert (found.finish_reason, found.id, found.cut) == ("STOP", "r1", False)
    assert fold([{"promptFeedback": {"blockReason": "SAFETY"}}]).answer().finish_reason == "SAFETY"
    assert fold([{"error": {"message": "Quota"}}]).answer().error == "Quota"
