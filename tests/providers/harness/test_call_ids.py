"""Ids for tool calls that came without one."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.answers import question
from workbench.domain.message import ToolCall
from workbench.domain.request import RequestMessage
from workbench.providers.harness.harness import with_own_ids

NAMELESS = ToolCall("", "look", "{}")


def test_an_id_that_was_given_is_kept():
    assert with_own_ids([ToolCall("a", "n", "{}")], question()) == [ToolCall("a", "n", "{}")]


def test_a_missing_id_is_made_the_same_way_every_time():
    once, again = (
        with_own_ids([NAMELESS, NAMELESS], question()),
        with_own_ids([NAMELESS, NAMELESS], question()),
    )
    assert once == again
    assert len({call.id for call in once}) == 2
    assert all(call.id.startswith("call_") for call in once)


def test_an_id_that_is_taken_is_replaced():
    """Some servers call every call `call_1`; a result would then belong to several of them."""
    said = RequestMessage("a", "assistant", "", tool_calls=(ToolCall("call_1", "n", "{}"),))
    request = replace(question(), messages=(*question().messages, said))
    calls = with_own_ids(
        [ToolCall("call_1", "n", "{}"), ToolCall("b", "n", "{}"), ToolCall("b", "n", "{}")], request
    )
    assert len({"call_1", *(call.id for call in calls)}) == 4


def test_ids_of_different_turns_differ():
    later = replace(question(), messages=question().messages * 2)
    assert with_own_ids([NAMELESS], question()) != with_own_ids([NAMELESS], later)
