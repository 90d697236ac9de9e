"""Answers that are too large to be kept: their beginning, a word about it, and what their end reports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.fakes.passing import passed, understanding
from workbench.context.watch.lines import summary
from workbench.context.watch.reading import read_answer
from workbench.domain.usage import Usage
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.engine.watch.turn_of import turn_state

WORDS = "many words " * 900
LONG = WORDS * 30


def events(*some: Mapping[str, Any]) -> bytes:
    return b"".join(f"event: {one.get('type', 'x')}\ndata: {json.dumps(one)}\n\n".encode() for one in some)


def chat(words: str) -> dict[str, Any]:
    return {"id": "c", "choices": [{"delta": {"content": words}}]}


_USAGE = {"prompt_tokens": 12, "completion_tokens": 34}
_COUNTS = {"input_tokens": 12, "output_tokens": 34}
_RESPONSE = {"id": "r", "object": "response", "status": "completed"}
_MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": LONG}]}
_BLOCK = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": WORDS}}
ANSWERS: dict[str, tuple[WatchedFormat, bytes]] = {
    "chat": ("openai", events(
        *[chat(WORDS)] * 30, {"id": "c", "choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"id": "c", "choices": [], "usage": _USAGE},
    )),
    "chat, one document": ("openai", json.dumps(
        {"id": "c", "choices": [{"message": {"content": LONG + '"usage": {"prompt_tokens": 1}'}}], "usage": _USAGE}
    ).encode()),
    "anthropic": ("anthropic", events(
        {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 12, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}, *[_BLOCK] * 30,
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 34}},
        {"type": "message_stop"},
    )),
    # Its last event says everything once more: where it begins is far before the end that is kept.
    "responses": ("responses", events(
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "role": "assistant"}},
        *[{"type": "response.output_text.delta", "output_index": 0, "delta": WORDS}] * 30,
        {"type": "response.completed", "response": {**_RESPONSE, "output": [_MESSAGE], "usage": _COUNTS}},
    )),
    "gemini": ("gemini", b"[" + b",\n".join(
        json.dumps(one).encode() for one in (
            *[{"candidates": [{"content": {"parts": [{"text": WORDS}]}}]}] * 30,
            {"candidates": [{"finishReason": "STOP"}],
             "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 34}},
        )
    ) + b"]"),
    "ollama": ("ollama", b"".join(
        json.dumps(one).encode() + b"\n" for one in (
            *[{"message": {"role": "assistant", "content": WORDS}, "done": False}] * 30,
            {"message": {}, "done": True, "done_reason": "stop", "prompt_eval_count": 12, "eval_count": 34},
        )
    )),
}  # fmt: skip


def begun(name: WatchedFormat, body: bytes, head: int = 100_000, end: int = 20_000) -> Exchange:
    """An exchange of which so much of the answer was kept."""
    asked = {"model": "m", "messages": [{"role": "user", "content": "Why?"}], "input": "Why?"}
    about = {"answer_cut": True, "answer_end": body[-end:] if end else b""}
    made = passed(1, name, asked, body[:head], **about)
    return Exchange(**{one: getattr(made, one) for one in Exchange.__slots__} | {"answer_bytes": len(body)})


@pytest.mark.parametrize(("name", "body"), ANSWERS.values(), ids=ANSWERS)
def test_the_beginning_is_kept_the_cut_is_said_and_the_end_is_counted(name: WatchedFormat, body: bytes):
    """An answer over 8 MiB was kept cut, called complete, and nobody knew what it had cost."""
    exchange = begun(name, body)
    answer = read_answer(exchange)
    *said, rest = answer.pieces
    assert rest.text == f"[Only the beginning of this answer is kept: it has {len(body):,} bytes.]"
    assert LONG.startswith("".join(one.text for one in said))
    assert answer.usage.prompt_tokens in (12, None)
    assert answer.usage.completion_tokens == 34
    assert (answer.error, answer.unkept_bytes) == ("", len(body))
    turn = understanding().take(exchange)
    assert turn is not None
    assert turn_state(turn, exchange) == "interrupted"
    assert summary([turn])[-1] == "Too large to keep whole: 1 answer, only the beginning is kept"


def test_where_the_end_cannot_be_read_nothing_is_made_up():
    name, body = ANSWERS["chat"]
    for end in (0, 30):
        answer = read_answer(begun(name, body, end=end))
        assert answer.usage == Usage()
        assert answer.pieces[-1].text.startswith("[Only the beginning")
