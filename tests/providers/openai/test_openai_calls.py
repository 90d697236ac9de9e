"""Tool calls that arrive in pieces."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.domain.message import ToolCall
from workbench.providers.openai.chunks import CallPieces


def piece(index: Any = None, call_id: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    return {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}


def whole(*pieces: dict[str, Any]) -> list[ToolCall]:
    calls = CallPieces()
    for one in pieces:
        calls.take(one)
    return calls.whole()


def test_pieces_are_joined_by_their_index():
    assert whole(
        piece(0, "a", "f", ""),
        piece(1, "b", "g", '{"x'),
        piece(0, None, None, '{"y": 1}'),
        piece(1, arguments='": 2}'),
    ) == [ToolCall("a", "f", '{"y": 1}'), ToolCall("b", "g", '{"x": 2}')]


def test_without_an_index_an_id_begins_a_call():
    assert whole(piece(None, "a", "f", "{}"), piece(None, "b", "g", "{"), piece(arguments="}")) == [
        ToolCall("a", "f", "{}"),
        ToolCall("b", "g", "{}"),
    ]


def test_calls_that_share_an_index_are_told_apart_by_their_ids():
    assert whole(piece(0, "a", "f", "{}"), piece(0, "b", "g", "{}")) == [
        ToolCall("a", "f", "{}"),
        ToolCall("b", "g", "{}"),
    ]


def test_a_repeated_name_and_id_are_one_name_and_id():
    assert whole(piece(0, "a", "f", "{"), piece(0, "a", "f", "}")) == [ToolCall("a", "f", "{}")]


@pytest.mark.parametrize("arguments", [None, "", 5])
def test_no_arguments_are_an_empty_object(arguments: object):
    assert whole(piece(0, "a", "f", arguments)) == [ToolCall("a", "f", "{}")]


def test_arguments_that_come_as_an_object_are_written_out():
    assert whole(piece(0, "a", "f", {"x": "ü"})) == [ToolCall("a", "f", '{"x": "ü"}')]


def test_a_call_without_a_name_is_none():
    assert whole(piece(0, "a", None, "{}"), {}, {"function": None}) == []


def test_a_piece_says_how_much_it_brought():
    calls = CallPieces()
    assert (calls.take(piece(0, "a", "name", "12")), calls.take({"index": 0})) == (6, 0)
