"""Chat completions: messages, calls and results of many servers become pieces."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.context.watch.openai_chat import fold, read_request
from workbench.context.watch.pieces import Pieces
from workbench.domain.usage import Usage

FUNCTION = {"name": "read", "description": "Reads.", "parameters": {"type": "object"}}
TALK = [
    {"role": "developer", "content": "Be brief."},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "Look:"},
            {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
        ],
    },
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "Read it.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "pass"},
]


def test_a_request_is_read():
    into = Pieces()
    read_request({"tools": [{"type": "function", "function": FUNCTION}], "messages": TALK}, into)

    assert [(one.path, one.kind, one.layer, one.name, one.call) for one in into.all()] == [
        ("tools[0]", "tool", "L1_SYSTEM", "read", ""),
        ("messages[0].content", "system", "L1_SYSTEM", "", ""),
        ("messages[1].content[0].text", "question", "L5_USER", "", ""),
        ("messages[1].content[1]", "picture", "L3_TURN", "", ""),
        ("messages[2].reasoning_content", "thought", "L3_TURN", "", ""),
        ("messages[2].tool_calls[0].function.arguments", "call", "L3_TURN", "read", "c1"),
        ("messages[3].content", "result", "L3_TURN", "read", "c1"),
    ]
    assert into.odd == []


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ({"messages": "no"}, []),
        ({"messages": [{"role": "robot", "content": "Hm."}]}, ["Hm."]),
        (
            {"messages": [{"role": "user", "content": [{"type": "input_audio"}, 4]}]},
            ['{"type":"input_audio"}', "4"],
        ),
        (
            {"messages": [{"role": "assistant", "function_call": {"name": "f", "arguments": {"a": 1}}}]},
            ['{"a":1}'],
        ),
        ({"prompt": "Once"}, ["Once"]),
        (
            {"functions": [{"name": "f"}], "messages": [{"role": "function", "name": "f", "content": "1"}]},
            ['{"name":"f"}', "1"],
        ),
        (
            {
                "messages": [
                    {
                        "role": "tool",
                        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
                    }
                ]
            },
            ["a\nb"],
        ),
    ],
)
def test_whatever_is_odd_is_kept_as_text(body: dict[str, Any], texts: list[str]):
    into = Pieces()
    read_request(body, into)

    assert [one.text for one in into.all()] == texts


def chunk(delta: dict[str, Any], **about: Any) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": delta, **about}]}


def called(**about: Any) -> dict[str, Any]:
    return chunk({"tool_calls": [about]})


CHUNKS = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"reasoning_content": "Look "}),
    chunk({"reasoning_content": "first."}),
    chunk({"content": "I read"}),
    chunk({"content": " it."}),
    called(index=0, id="c1", function={"name": "read", "arguments": ""}),
    called(index=0, function={"arguments": '{"path":'}),
    called(index=0, function={"arguments": ' "a"}'}),
    called(index=1, id="c2", function={"name": "list", "arguments": "{}"}),
    chunk({}, finish_reason="tool_calls"),
    {
        "choices": [],
        "usage": {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}},
    },
]


def test_a_streamed_answer_reads_like_a_whole_one():
    whole = {
        "id": "chatcmpl-1",
        "choices": [
            {
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": "I read it.",
                    "reasoning_content": "Look first.",
                    "tool_calls": [
                        {"id": "c1", "function": {"name": "read", "arguments": '{"path": "a"}'}},
                        {"id": "c2", "function": {"name": "list", "arguments": "{}"}},
                    ],
                },
            }
        ],
        "usage": CHUNKS[-1]["usage"],
    }
    streamed = fold(CHUNKS).answer()

    assert streamed == fold([whole]).answer()
    assert [(one.kind, one.text, one.call) for one in streamed.pieces] == [
        ("thought", "Look first.", ""),
        ("answer", "I read it.", ""),
        ("call", '{"path": "a"}', "c1"),
        ("call", "{}", "c2"),
    ]
    assert streamed.usage == Usage(10, 8, None, 3)
    assert not streamed.cut


def test_calls_of_one_index_are_told_apart_by_their_ids():
    """Some servers give every call the index 0."""
    one, other = ({"index": 0, "id": name, "function": {"name": name, "arguments": "{}"}} for name in "ab")

    assert [piece.name for piece in fold([called(**one), called(**other)]).answer().pieces] == ["a", "b"]


def test_an_error_is_its_words_and_an_answer_without_an_end_is_cut():
    assert fold([{"error": {"message": "No such model"}}]).answer().error == "No such model"
    assert fold(CHUNKS[:4]).answer().cut
