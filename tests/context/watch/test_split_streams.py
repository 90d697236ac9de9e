"""An answer reads the same, wherever a server cuts its stream into pieces."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.passing import passed
from workbench.context.watch.reading import read_answer
from workbench.domain.watch.exchange import WatchedFormat
from workbench.domain.watch.request import WatchedAnswer

THOUGHT, WORDS, GIVEN = (
    "Let me look — at “it”.",
    "It is so:\n\n\tfür 数字 🙂.",
    '{"path": "a\\n.py", "n": [1, 2]}',
)


def cut(text: str, places: list[int]) -> list[str]:
    """The text in pieces, cut at these places."""
    ends = sorted({place % (len(text) + 1) for place in places})
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def sse(*documents: dict[str, Any]) -> bytes:
    return "".join(f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in documents).encode()


def anthropic(places: list[int]) -> bytes:
    blocks: list[tuple[dict[str, Any], str, str]] = [
        ({"type": "thinking", "thinking": ""}, "thinking", THOUGHT),
        ({"type": "text", "text": ""}, "text", WORDS),
        ({"type": "tool_use", "id": "t1", "name": "Read", "input": {}}, "input_json", GIVEN),
    ]
    found: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 1}}}
    ]
    for n, (block, kind, whole) in enumerate(blocks):
        field = "partial_json" if kind == "input_json" else kind
        deltas = [{"type": f"{kind}_delta", field: piece} for piece in cut(whole, places)]
        found.append({"type": "content_block_start", "index": n, "content_block": block})
        found += [{"type": "content_block_delta", "index": n, "delta": delta} for delta in deltas]
        found.append({"type": "content_block_stop", "index": n})
    return sse(*found, {"type": "message_stop"})


def openai(places: list[int]) -> bytes:
    def chunk(**delta: Any) -> dict[str, Any]:
        return {"id": "c", "choices": [{"delta": delta}]}

    calls: list[dict[str, Any]] = [
        {"index": 0, "function": {"arguments": piece}, **({"id": "t1"} if not n else {})}
        for n, piece in enumerate(cut(GIVEN, places))
    ]
    calls[0]["function"]["name"] = "Read"
    return sse(
        *(chunk(reasoning_content=piece) for piece in cut(THOUGHT, places)),
        *(chunk(content=piece) for piece in cut(WORDS, places)),
        *(chunk(tool_calls=[one]) for one in calls),
        {"id": "c", "choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
    )


def responses(places: list[int]) -> bytes:
    def grown(n: int, kind: str, whole: str) -> list[dict[str, Any]]:
        return [
            {"type": f"response.{kind}.delta", "output_index": n, "delta": one} for one in cut(whole, places)
        ]

    items = [{"type": "reasoning"}, {"type": "message", "role": "assistant"},
             {"type": "function_call", "call_id": "t1", "name": "Read"}]  # fmt: skip
    added = [
        {"type": "response.output_item.added", "output_index": n, "item": one} for n, one in enumerate(items)
    ]
    return sse(
        *added,
        *grown(0, "reasoning_summary_text", THOUGHT),
        *grown(1, "output_text", WORDS),
        *grown(2, "function_call_arguments", GIVEN),
    )


def ollama(places: list[int]) -> bytes:
    call = {"function": {"name": "Read", "arguments": json.loads(GIVEN)}}
    lines: list[dict[str, Any]] = [{"message": {"thinking": one}} for one in cut(THOUGHT, places)]
    lines += [{"message": {"content": one}} for one in cut(WORDS, places)]
    lines += [{"message": {"tool_calls": [call]}}, {"done": True, "done_reason": "stop"}]
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in lines).encode()


def gemini(places: list[int]) -> bytes:
    parts: list[dict[str, Any]] = [{"text": one, "thought": True} for one in cut(THOUGHT, places)]
    parts += [{"text": one} for one in cut(WORDS, places)]
    parts.append({"functionCall": {"name": "Read", "args": json.loads(GIVEN)}})
    chunks = [{"candidates": [{"content": {"parts": [one]}}]} for one in parts]
    return json.dumps([*chunks, {"candidates": [{"finishReason": "STOP"}]}], ensure_ascii=False).encode()


STREAMS: dict[WatchedFormat, Callable[[list[int]], bytes]] = {
    "anthropic": anthropic, "openai": openai, "responses": responses, "ollama": ollama, "gemini": gemini,
}  # fmt: skip


def read(name: WatchedFormat, places: list[int]) -> WatchedAnswer:
    return read_answer(passed(1, name, {}, STREAMS[name](places)))


@pytest.mark.parametrize("name", STREAMS)
@given(places=st.lists(st.integers(0, 100), max_size=6))
def test_pieces_do_not_change_the_answer(name: WatchedFormat, places: list[int]):
    assert read(name, places) == read(name, [])


@pytest.mark.parametrize("name", STREAMS)
def test_the_answer_is_what_was_said(name: WatchedFormat):
    thought, words, call = read(name, [3, 9, 14]).pieces

    assert (thought.kind, thought.text) == ("thought", THOUGHT)
    assert (words.kind, words.text) == ("answer", WORDS)
    assert (call.kind, call.name, json.loads(call.text)) == ("call", "Read", json.loads(GIVEN))


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_ends_anywhere_is_a_beginning_of_the_answer(name: WatchedFormat):
    whole = STREAMS[name]([5, 11])
    for end in range(0, len(whole), 7):
        found = {one.kind: one.text for one in read_answer(passed(1, name, {}, whole[:end])).pieces}
        assert THOUGHT.startswith(found.get("thought", ""))
        assert WORDS.startswith(found.get("answer", ""))
