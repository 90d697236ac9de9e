"""One message of ChatGPT's export: every kind of content it has been seen with."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from workbench.engine.exchange.chatgpt_format import read_message
from workbench.engine.exchange.imported import Losses


def read(content: Any, role: Any = "assistant", **extra: Any) -> tuple[Any, Counter[str]]:
    lost = Losses()
    message = {"author": {"role": role}, "content": content, **extra}
    return read_message("key", message, None, lost), lost.left_out + lost.changed


@pytest.mark.parametrize(
    ("content", "texts", "left_out"),
    [
        ({"content_type": "text", "parts": ["a", "b"]}, ("a", "b"), {}),
        ({"content_type": "code", "text": "x = 1"}, ("x = 1",), {}),
        ({"content_type": "tether_browsing_display", "result": "page"}, ("page",), {}),
        ({"content_type": "reasoning_recap", "content": "Thought for 3 s"}, ("Thought for 3 s",), {}),
        ({"parts": [{"content_type": "audio_transcription", "text": "hi"}]}, ("hi",), {}),
        ({"parts": ["a", {"content_type": "video"}, 3]}, ("a",), {"video": 1, "part without a type": 1}),
    ],
)
def test_words_are_found(content: Any, texts: tuple[str, ...], left_out: dict[str, int]):
    said, counts = read(content)
    assert (said.texts, counts) == (texts, left_out)


@pytest.mark.parametrize(
    "content", [None, "text", {}, {"content_type": "text", "parts": [""]}, {"content_type": "new"}]
)
def test_a_message_without_words_is_none(content: Any):
    assert read(content)[0] is None


def test_an_unknown_role_is_said():
    said, counts = read({"parts": ["a"]}, role="alien")
    assert said.role == "user"
    assert sum(counts.values()) == 1


def test_what_is_handed_to_a_tool_is_json():
    said, _ = read({"parts": ['{"q": 1}']}, recipient="browser", id="m1")
    assert (said.tool_calls[0].id, said.tool_calls[0].arguments) == ("call-m1", '{"q": 1}')
    said, _ = read({"parts": ["[1]"]}, recipient="browser")
    assert (said.id, said.tool_calls[0].arguments) == ("key", '{"input": "[1]"}')
