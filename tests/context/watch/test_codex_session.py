"""Sessions of Codex: the shapes of version 0.169.0, with our own words."""

from __future__ import annotations

import json
from typing import Any

from workbench.context.watch.sessions import Session, read_codex

META: dict[str, Any] = {
    "id": "t1", "cwd": "/w", "originator": "codex_exec", "cli_version": "0.169.0",
    "base_instructions": {"text": "You are an agent."},
}  # fmt: skip
REASONING: dict[str, Any] = {
    "type": "reasoning",
    "id": "rs",
    "summary": [{"type": "summary_text", "text": "Look."}],
}
CALL: dict[str, Any] = {
    "type": "function_call",
    "id": "fc",
    "status": "completed",
    "call_id": "c1",
    "name": "exec",
    "arguments": "{}",
}
OUTPUT: dict[str, Any] = {"type": "function_call_output", "call_id": "c1", "output": "a.py"}


def line(kind: str, second: int = 0, /, **payload: Any) -> str:
    return json.dumps({"timestamp": f"2026-11-17T11:08:{second:02}.000Z", "type": kind, "payload": payload})


def spoken(role: str, words: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def used(tokens: int) -> str:
    usage = {
        "input_tokens": tokens,
        "cached_input_tokens": 64,
        "output_tokens": 20,
        "reasoning_output_tokens": 5,
    }
    return line("token_usage_record", usage=usage)


def again(tokens: int) -> str:
    """The same once more, as a message for the screen."""
    usage = {"input_tokens": tokens, "cached_input_tokens": 64, "output_tokens": 20}
    return line("event_msg", type="token_count", info={"last_token_usage": usage})


LINES = [
    line("session_meta", **META),
    line("turn_context", model="gpt-5.1-codex"),
    line("response_item", 1, **spoken("user", "What is here?")),
    line("response_item", 2, **REASONING),
    line("response_item", 2, **CALL),
    used(900),
    line("response_item", 3, **OUTPUT),
    again(900),
    line("response_item", 4, **spoken("assistant", "A file.")),
    used(950),
    line("event_msg", type="task_complete"),
]


def bodies(found: Session) -> list[dict[str, Any]]:
    return [json.loads(one.request) for one in found.exchanges()]


def test_what_the_model_made_is_an_answer_and_the_rest_was_said_before_it():
    found = read_codex(LINES)
    first, second = bodies(found)
    answers = [json.loads(one.answer) for one in found.exchanges()]

    assert (found.id, found.folder, found.notes) == ("t1", "/w", ())
    assert [one["type"] for one in first["input"]] == ["message"]
    assert [one["type"] for one in second["input"]] == [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
    ]
    assert first["instructions"] == "You are an agent."
    assert first["model"] == "gpt-5.1-codex"
    assert [len(one["output"]) for one in answers] == [2, 1]
    assert [one["usage"]["input_tokens"] for one in answers] == [900, 950]
    assert [one.header("session-id") for one in found.exchanges()] == ["t1", "t1"]


def test_two_answers_in_a_row_are_told_apart_by_what_they_used():
    lines = [*LINES[:4], used(900), line("response_item", 5, **spoken("assistant", "Done.")), used(950)]

    assert len(read_codex(lines).asked) == 2


def test_a_compaction_replaces_what_was_said():
    kept = spoken("user", "Another language model started to solve this problem: it looked.")
    lines = [
        *LINES,
        line("compacted", message="It looked.", replacement_history=[kept]),
        line("response_item", 9, **spoken("user", "Go on.")),
        line("response_item", 9, **spoken("assistant", "Done.")),
    ]
    last = bodies(read_codex(lines))[-1]

    assert [one["content"][0]["text"] for one in last["input"]] == [kept["content"][0]["text"], "Go on."]
    alone = [*LINES, line("compacted", message="It looked."), *lines[-2:]]
    assert bodies(read_codex(alone))[-1]["input"][0]["content"] == "It looked."


def test_a_sub_agent_names_its_parent():
    meta = {**META, "source": {"subagent": {"thread_spawn": {"parent_thread_id": "t0"}}}}
    [one, _] = read_codex([line("session_meta", **meta), *LINES[1:]]).exchanges()

    assert one.header("x-codex-parent-thread-id") == "t0"


def test_damaged_and_foreign_lines_are_counted_and_an_answer_at_the_end_is_kept():
    found = read_codex([*LINES[:4], "{cut", line("hologram")])

    assert found.notes == ("1 line is damaged.", "1 line of an unknown kind was left out: “hologram”.")
    assert len(found.asked) == 1
    assert read_codex([]).asked == ()
