"""Responses: items of every kind become pieces; the last event carries everything once more."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.context.watch.openai_responses import fold, read_request
from workbench.context.watch.pieces import Pieces
from workbench.domain.usage import Usage

REASONING: dict[str, Any] = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Look."}],
    "content": None,
}
CALL: dict[str, Any] = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "exec",
    "arguments": '{"cmd": "ls"}',
}
MESSAGE: dict[str, Any] = {
    "type": "message",
    "id": "m_1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Done."}],
}


def spoken(role: str, *texts: str) -> dict[str, Any]:
    return {
        "type": "message",
        "role": role,
        "content": [{"type": "input_text", "text": one} for one in texts],
    }


def test_a_request_as_codex_sends_it():
    into = Pieces()
    items = [
        spoken("developer", "You are an agent."),
        spoken("user", "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"),
        spoken("user", "What is here?"),
        REASONING,
        CALL,
        {"type": "function_call_output", "call_id": "c1", "output": "a.py"},
    ]
    read_request(
        {"tools": [{"type": "function", "name": "exec"}, {"type": "web_search"}], "input": items}, into
    )

    assert [(one.path, one.kind, one.layer, one.name) for one in into.all()] == [
        ("tools[0]", "tool", "L1_SYSTEM", "exec"),
        ("tools[1]", "tool", "L1_SYSTEM", "web_search"),
        ("input[0].content[0].text", "system", "L1_SYSTEM", ""),
        ("input[1].content[0].text", "reminder", "L4_STRIP", ""),
        ("input[2].content[0].text", "question", "L5_USER", ""),
        ("input[3]", "thought", "L3_TURN", ""),
        ("input[4]", "call", "L3_TURN", "exec"),
        ("input[5].output", "result", "L3_TURN", "exec"),
    ]


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ({"input": "Why?", "instructions": "Be brief."}, ["Be brief.", "Why?"]),
        ({"input": [{"role": "user", "content": "Why?"}]}, ["Why?"]),
        ({"input": [7]}, ["7"]),
        (
            {"input": [{"type": "compaction", "encrypted_content": "x"}]},
            ['{"type":"compaction","encrypted_content":"x"}'],
        ),
        ({"input": [{"type": "reasoning", "summary": [], "encrypted_content": "c2ln"}]}, ["c2ln"]),
        (
            {"input": [{"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}}]},
            ['{"command":["ls"]}'],
        ),
        (
            {
                "input": [
                    {
                        "type": "custom_tool_call_output",
                        "call_id": "c",
                        "output": [{"type": "input_text", "text": "x"}],
                    }
                ]
            },
            ["x"],
        ),
        ({"input": [{"type": "function_call_output", "call_id": "c", "output": {"a": 1}}]}, ['{"a":1}']),
    ],
)
def test_other_shapes(body: dict[str, Any], texts: list[str]):
    into = Pieces()
    read_request(body, into)

    assert [one.text for one in into.all()] == texts


USAGE = {
    "input_tokens": 90,
    "input_tokens_details": {"cached_tokens": 64},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 5},
}
WHOLE = {
    "id": "resp_1",
    "object": "response",
    "status": "completed",
    "output": [REASONING, CALL, MESSAGE],
    "usage": USAGE,
}


def streamed(*, last: bool) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": "resp_1", "output": []}}]
    for n, item in enumerate((REASONING, CALL)):
        empty = {**item, "summary": []} if n == 0 else {**item, "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": n, "item": empty})
    events += [
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "Lo"},
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "ok."},
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"cmd": "ls"}'},
        {"type": "response.output_item.added", "output_index": 2, "item": {**MESSAGE, "content": []}},
        {"type": "response.output_text.delta", "output_index": 2, "delta": "Do"},
        {"type": "response.output_text.delta", "output_index": 2, "delta": "ne."},
    ]
    return [*events, {"type": "response.completed", "response": WHOLE}] if last else events


def test_a_streamed_answer_reads_like_a_whole_one():
    found = fold(streamed(last=True)).answer()

    assert found == fold([WHOLE]).answer()
    assert [(one.kind, one.text) for one in found.pieces] == [
        ("thought", "Look."),
        ("call", '{"cmd": "ls"}'),
        ("answer", "Done."),
    ]
    assert found.usage == Usage(90, 64, None, 20, 5)
    assert (found.id, found.finish_reason, found.cut) == ("resp_1", "completed", False)


def test_what_came_before_a_cut_is_the_same_as_what_the_last_event_repeats():
    cut, whole = fold(streamed(last=False)).answer(), fold(streamed(last=True)).answer()

    assert cut.cut
    assert [one.digest for one in cut.pieces] == [one.digest for one in whole.pieces]


def test_an_answer_may_fail_or_end_early():
    failed = {"type": "response.failed", "response": {"status": "failed", "error": {"message": "Too long"}}}
    early = {
        "type": "response.incomplete",
        "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    }

    assert fold([failed]).answer().error == "Too long"
    assert fold([early]).answer().finish_reason == "max_output_tokens"
    assert fold([{"type": "error", "message": "Gone"}]).answer().error == "Gone"


def test_tools_of_a_namespace_and_of_the_input_are_tools():
    """Codex 0.169 lists most of its tools so: they were shown as one reminder, and none was ever found unused."""
    into = Pieces()
    own = {"type": "function", "name": "wait_agent"}
    server = {"type": "namespace", "name": "mcp__notes", "tools": [{"type": "function", "name": "find"}]}
    added = {
        "type": "additional_tools",
        "role": "developer",
        "tools": [
            {"type": "namespace", "name": "agents", "tools": [own]},
            {"type": "custom", "name": "exec"},
        ],
    }
    called = {
        "type": "function_call",
        "call_id": "c",
        "name": "find",
        "namespace": "mcp__notes",
        "arguments": "{}",
    }
    read_request({"tools": [server], "input": [added, spoken("user", "What is here?"), called]}, into)

    assert [(one.path, one.kind, one.name) for one in into.all()] == [
        ("tools[0].tools[0]", "tool", "mcp__notes__find"),
        ("input[0].tools[0].tools[0]", "tool", "wait_agent"),
        ("input[0].tools[1]", "tool", "exec"),
        ("input[1].content[0].text", "question", ""),
        ("input[2]", "call", "mcp__notes__find"),
    ]
    assert into.odd == []
