"""The request: system apart, roles in turn, results before words, at most four places where the cache may cut."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.message import ROLES, ToolCall
from workbench.domain.request import ModelRequest, RequestMessage
from workbench.domain.tool import ToolDefinition
from workbench.providers.anthropic.messages import MOST_BREAKPOINTS, request_body, written
from workbench.providers.wire.body import text_at

TOOLS = (ToolDefinition("ls", "List.", '{"type":"object","properties":{}}'), ToolDefinition("bare"))


def message(role: Any, text: str, **more: Any) -> RequestMessage:
    return RequestMessage("m", role, text, **more)


def body(*messages: RequestMessage, **more: Any) -> dict[str, Any]:
    return request_body(ModelRequest("anthropic:m", "chat", messages, 1000, **more), "claude")


def marked(value: Any) -> list[str]:
    """The text, id or name of every marked block, in the order of the cache's prefix."""
    blocks = [*value.get("tools", []), *value.get("system", [])]
    blocks += [block for turn in value["messages"] for block in turn["content"]]
    named = [block.get("text") or block.get("name") or block.get("tool_use_id") for block in blocks]
    return [name for name, block in zip(named, blocks, strict=True) if "cache_control" in block]


def test_a_plain_question():
    assert body(message("system", "Be brief."), message("user", "Why?")) == {
        "model": "claude",
        "max_tokens": 4096,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Why?"}]}],
    }


def test_results_come_first_and_in_one_message():
    calls = (ToolCall("c1", "ls", "{}"), ToolCall("c2", "ls", "{}"))
    sent = body(
        message("user", "Look."),
        message("assistant", "", tool_calls=calls),
        message("user", "And hurry."),
        message("tool", "one", tool_call_id="c1"),
        message("tool", "two", tool_call_id="c2"),
    )
    assert [turn["role"] for turn in sent["messages"]] == ["user", "assistant", "user"]
    assert [block.get("tool_use_id", block.get("text")) for block in sent["messages"][2]["content"]] == [
        "c1", "c2", "And hurry.",
    ]  # fmt: skip


def test_system_text_in_the_middle_stays_in_its_place():
    """Moved to the top it would change the beginning of every request, and with it the whole cache."""
    sent = body(
        message("system", "Top."),
        message("user", "One."),
        message("system", "Note."),
        message("user", "Two."),
    )
    assert sent["system"] == [{"type": "text", "text": "Top."}]
    assert [block["text"] for block in sent["messages"][0]["content"]] == ["One.", "Note.", "Two."]


def test_a_history_that_begins_with_an_answer_gets_a_beginning():
    sent = body(message("assistant", "Yes."), message("user", "Why?"))
    assert [turn["role"] for turn in sent["messages"]] == ["user", "assistant", "user"]


def test_the_beginning_of_an_answer_does_not_end_in_spaces():
    sent = body(message("user", "Why?"), message("assistant", "Because \n"))
    assert sent["messages"][-1]["content"] == [{"type": "text", "text": "Because"}]
    assert "system" not in sent


def test_blank_messages_are_left_out():
    sent = body(message("system", " "), message("user", "A"), message("assistant", ""), message("user", "B"))
    assert "system" not in sent
    assert [block["text"] for block in sent["messages"][0]["content"]] == ["A", "B"]
    assert len(sent["messages"]) == 1


def test_marks_become_breakpoints_and_tools_get_one_that_is_left():
    sent = body(
        message("system", "Stable.Library.", cache_marks=(7, 15)), message("user", "Why?"), tools=TOOLS
    )
    assert marked(sent) == ["bare", "Stable.", "Library."]
    assert sent["tools"][1]["input_schema"] == {"type": "object", "properties": {}}
    assert sent["tools"][0]["input_schema"] == {"type": "object", "properties": {}}


def test_of_many_marks_the_last_four_stay():
    sent = body(
        message("system", "abcdef", cache_marks=(1, 2, 3, 4, 5, 6)), message("user", "q"), tools=TOOLS
    )
    assert marked(sent) == ["c", "d", "e", "f"]


def test_without_marks_nothing_is_written_to_a_cache():
    assert marked(body(message("system", "Stable."), message("user", "q"), tools=TOOLS)) == []


def test_calls_and_results_can_carry_a_mark():
    call = ToolCall("c1", "ls", "{}")
    sent = body(
        message("user", "Look."),
        message("assistant", "Yes.", tool_calls=(call,), cache_marks=(4,)),
        message("tool", "one", tool_call_id="c1", cache_marks=(3,)),
    )
    assert marked(sent) == ["ls", "c1"]


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ({"max_output_tokens": 7}, "max_tokens", 7),
        ({"parameters": {"thinking": {"type": "enabled", "budget_tokens": 2000}}}, "max_tokens", 6096),
        ({"parameters": {"stop": "END"}}, "stop_sequences", ["END"]),
        ({"parameters": {"stop": ["A", "B"]}}, "stop_sequences", ["A", "B"]),
        ({"parameters": {"temperature": 0.5, "top_p": None}}, "temperature", 0.5),
        ({"parameters": {"top_p": None}}, "top_p", None),
        ({"parameters": {"seed": 3}}, "seed", None),
        ({"parameters": {"stream": False}}, "stream", True),
        ({"parameters": {"model": "other"}}, "model", "claude"),
    ],
)
def test_parameters_are_sent_if_they_are_known(more: dict[str, Any], field: str, value: Any):
    assert body(message("user", "q"), **more).get(field) == value


marks = st.lists(st.integers(0, 6), max_size=4).map(tuple)
messages = st.builds(
    lambda role, text, cuts: message(
        role, text, cache_marks=cuts, tool_call_id="c" if role == "tool" else None
    ),
    st.sampled_from(ROLES),
    st.text(alphabet="ab \n", max_size=6),
    marks,
)


@given(st.lists(messages, max_size=8))
def test_whatever_the_history_the_request_is_acceptable(history: list[RequestMessage]):
    sent = body(*history, tools=TOOLS)
    roles = [turn["role"] for turn in sent["messages"]]
    assert roles[:1] in ([], ["user"])
    assert all(one != other for one, other in pairwise(roles))
    blocks = [block for turn in sent["messages"] for block in turn["content"]] + sent.get("system", [])
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")
    assert len(marked(sent)) <= MOST_BREAKPOINTS


def test_each_block_is_found_where_its_message_went():
    """Roles are taken in turn and results moved before words, so that a message's place is not its number."""
    call = ToolCall("c1", "ls", "{}")
    messages = (
        message("system", "Rules.Library.", cache_marks=(6,)),
        message("user", "Look."),
        message("assistant", "So.", tool_calls=(call,)),
        message("user", "Said meanwhile."),
        message("tool", "a.md", tool_call_id="c1"),
        message("assistant", "I see "),
    )
    whole, found = written(ModelRequest("anthropic:m", "chat", messages, 1000), "claude")
    assert found == (
        (("system", 0, "text"), ("system", 1, "text")),
        (("messages", 0, "content", 0, "text"),),
        (("messages", 1, "content", 0, "text"),),
        (("messages", 2, "content", 1, "text"),),
        (("messages", 2, "content", 0, "content", 0, "text"),),
        # The beginning of an answer must not end in spaces: what stands there is not the message's text.
        (),
    )
    for said, places in zip(messages[:-1], found, strict=False):
        assert "".join(text_at(whole, place) for place in places) == said.text


def test_the_beginning_of_an_answer_is_found_where_it_is_sent_as_it_is():
    messages = (message("user", "Look."), message("assistant", "I see"))
    _, found = written(ModelRequest("anthropic:m", "chat", messages, 1000), "claude")
    assert found[1] == (("messages", 1, "content", 0, "text"),)


@pytest.mark.parametrize(
    ("rules", "mark"),
    [("anthropic", {"type": "ephemeral"}), ("anthropic-1h", {"type": "ephemeral", "ttl": "1h"})],
)
def test_a_mark_says_how_long_it_holds(rules: str, mark: dict[str, str]):
    message = RequestMessage("q", "user", "Why?", cache_marks=(4,))
    request = ModelRequest("m", "c", (message,), 1000, cache_rules=rules)
    (row,) = request_body(request, "m")["messages"]
    assert row["content"][0]["cache_control"] == mark
