"""Messages of a trajectory in neutral form, with ids that depend on nothing but their order."""

from __future__ import annotations

import pytest

from workbench.cli.replay.trajectory import MessageIds, read_message, read_reply
from workbench.domain.errors import InvalidInput
from workbench.domain.message import Image, Message, ToolCall
from workbench.domain.reading.node import Node


def message(**given: object) -> Message:
    return read_message(Node(given, "history[0]"), MessageIds())


def refusal(**given: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        message(**given)
    return str(caught.value)


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_plain_words(role: str) -> None:
    assert message(role=role, content="hi") == Message("m1", role, ("hi",))  # type: ignore[arg-type]


def test_empty_words_are_words() -> None:
    assert message(role="user", content="") == Message("m1", "user", ("",))


def test_parts_are_texts_and_images() -> None:
    parts = [
        {"type": "text", "text": "a\ud800"},
        {"type": "image", "digest": "d1", "tokens": 85},
        {"type": "text", "text": "b"},
        {"type": "image", "digest": "d2", "tokens": None},
    ]

    assert message(role="user", content=parts) == Message(
        "m1", "user", ("a\ufffd", "b"), (Image("d1", 85, after=1), Image("d2"))
    )


@pytest.mark.parametrize("content", [{}, {"content": None}, {"content": ""}])
def test_a_message_with_calls_needs_no_words(content: dict[str, object]) -> None:
    calls = [{"id": "c1", "name": "read", "arguments": '{"p": 1}'}]

    assert message(role="assistant", tool_calls=calls, **content) == Message(
        "m1", "assistant", tool_calls=(ToolCall("c1", "read", '{"p": 1}'),)
    )


def test_arguments_may_be_an_object_or_absent() -> None:
    calls = [{"id": "c1", "name": "read", "arguments": {"p": "é", "n": 1}}, {"id": "c2", "name": "ls"}]

    assert message(role="assistant", tool_calls=calls).tool_calls == (
        ToolCall("c1", "read", '{"p":"é","n":1}'),
        ToolCall("c2", "ls", "{}"),
    )


def test_a_tool_result_says_which_call_it_answers() -> None:
    assert message(role="tool", tool_call_id="c1", content="x") == Message(
        "m1", "tool", ("x",), tool_call_id="c1"
    )


def test_null_stands_for_absent_calls_and_call_id() -> None:
    assert message(role="user", content="x", tool_calls=None, tool_call_id=None, id=None) == Message(
        "m1", "user", ("x",)
    )
    assert message(role="user", content="x", tool_calls=[]) == Message("m1", "user", ("x",))


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"content": "x"}, "history[0].role: missing"),
        (
            {"role": "bot", "content": "x"},
            'history[0].role: expected one of "system", "user", "assistant", "tool", got "bot"',
        ),
        ({"role": "user"}, "history[0].content: missing"),
        (
            {"role": "user", "content": None},
            "history[0].content: expected a string or a list of parts, got null",
        ),
        (
            {"role": "assistant", "content": None, "tool_calls": []},
            "history[0].content: expected a string or a list of parts, got null",
        ),
        ({"role": "user", "content": [{"text": "x"}]}, "history[0].content[0].type: missing"),
        (
            {"role": "user", "content": [{"type": "audio"}]},
            'history[0].content[0].type: expected one of "text", "image", got "audio"',
        ),
        (
            {"role": "user", "content": [{"type": "text", "text": "x", "digest": "d"}]},
            "history[0].content[0].digest: unknown field",
        ),
        ({"role": "user", "content": [{"type": "image"}]}, "history[0].content[0].digest: missing"),
        (
            {"role": "user", "content": [{"type": "image", "digest": "d", "tokens": -1}]},
            "history[0].content[0].tokens: expected an integer >= 0, got -1",
        ),
        ({"role": "tool", "content": "x"}, "history[0].tool_call_id: missing"),
        (
            {"role": "user", "content": "x", "tool_call_id": "c1"},
            'history[0].tool_call_id: only a tool message answers a call, and this one\'s role is "user"',
        ),
        (
            {"role": "user", "content": "x", "tool_calls": [{"id": "c", "name": "n"}]},
            "history[0].tool_calls: only an assistant message makes tool calls, "
            'and this one\'s role is "user"',
        ),
        (
            {"role": "assistant", "tool_calls": [{"id": "c", "name": "n", "arguments": 1}]},
            "history[0].tool_calls[0].arguments: expected a string or an object, got 1",
        ),
        ({"role": "assistant", "tool_calls": [{"name": "n"}]}, "history[0].tool_calls[0].id: missing"),
        ({"role": "assistant", "tool_calls": [{"id": "c"}]}, "history[0].tool_calls[0].name: missing"),
        ({"role": "user", "content": "x", "id": ""}, 'history[0].id: expected a string that is not empty, got ""'),
        ({"role": "user", "content": "x", "name": "Al"}, "history[0].name: unknown field"),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(given: dict[str, object], line: str) -> None:
    assert refusal(**given) == line


def test_a_reply_in_short() -> None:
    assert read_reply(Node("yes", "r"), MessageIds()) == (Message("m1", "assistant", ("yes",)),)


def test_a_reply_in_full() -> None:
    reply = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "name": "ls"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "a", "id": "result"},
        {"role": "assistant", "content": "done"},
    ]

    assert [(one.id, one.role) for one in read_reply(Node(reply), MessageIds())] == [
        ("m1", "assistant"),
        ("result", "tool"),
        ("m2", "assistant"),
    ]


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ([{"role": "user", "content": "x"}], 'r[0].role: expected one of "assistant", "tool", got "user"'),
        ([{"role": "system", "content": "x"}], 'r[0].role: expected one of "assistant", "tool", got "system"'),
        ({"role": "assistant"}, 'r: expected a string or a list of messages, got {"role":"assistant"}'),
        (["x"], 'r[0]: expected an object, got "x"'),
    ],
)  # fmt: skip
def test_what_a_reply_cannot_be(reply: object, line: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_reply(Node(reply, "r"), MessageIds())
    assert str(caught.value) == line


def test_generated_ids_pass_over_those_reserved_and_those_in_use() -> None:
    ids = MessageIds({"m1", "m3"})

    assert [ids.make(Node(None)) for _ in range(3)] == ["m2", "m4", "m5"]
    assert "m1" not in ids
    assert "m2" in ids
