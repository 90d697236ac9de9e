"""Blocks: no empty one, the same text in the same order, and marks where stable parts end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.answer import ModelFailed
from workbench.domain.message import Image, Thought, ToolCall
from workbench.domain.request import Picture, RequestMessage
from workbench.providers.anthropic.messages import (
    REDACTED,
    assistant_blocks,
    call_id,
    image_block,
    result_blocks,
    text_blocks,
    user_blocks,
)

PICTURES = {"d": Picture("image/png", b"bytes")}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "Ynl0ZXM="}}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("words", "marks", "blocks"),
    [
        ("", (), []),
        (" \n", (0, 1), []),
        ("abc", (), [(text("abc"), False)]),
        ("abcdef", (3,), [(text("abc"), True), (text("def"), False)]),
        ("abcdef", (0, 3, 3, 99), [(text("abc"), True), (text("def"), False)]),
        ("ab\n\ncd", (2, 4), [(text("ab"), True), (text("\n\ncd"), False)]),
        ("\n\nab", (2,), [(text("\n\nab"), False)]),
        ("ab\n\n", (2,), [(text("ab\n\n"), False)]),
    ],
)
def test_text_is_cut_at_its_marks(words: str, marks: tuple[int, ...], blocks: list[object]):
    assert text_blocks(words, marks) == blocks


@given(st.text(alphabet="ab \n\ud800"), st.lists(st.integers(-2, 12), max_size=5))
def test_nothing_is_lost_and_no_block_is_blank(words: str, marks: list[int]):
    blocks = text_blocks(words, marks)
    joined = "".join(block["text"] for block, _ in blocks)
    assert joined == words.replace("\ud800", "\ufffd") or not words.strip()
    assert all(block["text"].strip() for block, _ in blocks)


def test_a_mark_at_the_end_is_for_the_whole_message():
    message = RequestMessage("q", "user", "words", images=(Image("d"),), cache_marks=(2, 5))
    assert user_blocks(message, PICTURES) == [(text("wo"), True), (text("rds"), False), (IMAGE, True)]


def test_a_picture_without_its_bytes_is_not_sent():
    with pytest.raises(ModelFailed, match="Attach it again"):
        image_block(Image("gone"), PICTURES)


def test_signed_thoughts_go_back_with_their_calls_and_others_do_not():
    thoughts = (Thought("because", "sig"), Thought("unsigned"), Thought("", f"{REDACTED}xyz"))
    call = ToolCall("c1", "read", '{"path": "a"}')
    message = RequestMessage("a", "assistant", "Look.", tool_calls=(call,), thinking=thoughts)
    assert [block for block, _ in assistant_blocks(message, {})] == [
        {"type": "thinking", "thinking": "because", "signature": "sig"},
        {"type": "redacted_thinking", "data": "xyz"},
        text("Look."),
        {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}},
    ]
    without_calls = RequestMessage("a", "assistant", "Look.", thinking=thoughts)
    assert assistant_blocks(without_calls, {}) == [(text("Look."), False)]


@pytest.mark.parametrize("arguments", ["", "{}"])
def test_no_arguments_are_an_empty_object(arguments: str):
    message = RequestMessage("a", "assistant", "", tool_calls=(ToolCall("c", "ls", arguments),))
    assert assistant_blocks(message, {})[0][0]["input"] == {}


@pytest.mark.parametrize("arguments", ["{broken", "[1]", '"x"'])
def test_arguments_that_are_no_object_are_shown_as_they_were(arguments: str):
    message = RequestMessage("a", "assistant", "", tool_calls=(ToolCall("c", "ls", arguments),))
    assert assistant_blocks(message, {})[0][0]["input"] == {"unreadable_arguments": arguments}


def test_a_result_names_its_call():
    message = RequestMessage("r", "tool", "found", tool_call_id="functions.ls:0", cache_marks=(5,))
    ((block, marked),) = result_blocks(message, PICTURES)
    assert (block["type"], block["content"], marked) == ("tool_result", [text("found")], True)
    assert block["tool_use_id"] == call_id("functions.ls:0") != "functions.ls:0"
    empty = RequestMessage("r", "tool", "", tool_call_id="c1")
    assert result_blocks(empty, PICTURES) == [({"type": "tool_result", "tool_use_id": "c1"}, False)]


def test_foreign_ids_become_acceptable_ones_always_the_same():
    assert call_id("toolu_01-x") == "toolu_01-x"
    assert call_id("a b") == call_id("a b") != call_id("a c")


def test_words_and_pictures_keep_their_order():
    message = RequestMessage(
        "q", "user", "onetwo", (Image("d"), Image("d")), cache_marks=(6,), image_places=(0, 3)
    )
    assert user_blocks(message, PICTURES) == [
        (IMAGE, False),
        (text("one"), False),
        (IMAGE, False),
        (text("two"), True),
    ]
