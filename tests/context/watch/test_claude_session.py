"""Sessions of Claude Code: the shapes of version 2.1.197, with our own words."""

from __future__ import annotations

import json
from typing import Any

from workbench.context.watch.sessions import Session, read_claude

USAGE = {
    "input_tokens": 10, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 0, "output_tokens": 12,
    "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 900},
}  # fmt: skip


class File:
    """A session's file, line by line; every line names the one before it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.last: str | None = None

    def add(self, kind: str, **fields: Any) -> str:
        name = f"u{len(self.lines)}"
        at = f"2026-11-17T11:08:{len(self.lines):02}.000Z"
        line = {"parentUuid": self.last, "type": kind, "uuid": name, "timestamp": at, "isSidechain": False,
                "sessionId": "s1", "cwd": "/w", "version": "2.1.197", **fields}  # fmt: skip
        self.lines.append(json.dumps(line))
        self.last = name
        return name

    def user(self, content: Any, **fields: Any) -> str:
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def answer(self, called: str, *blocks: dict[str, Any], **fields: Any) -> str:
        """An answer is a line for each of its blocks."""
        names = [
            self.add(
                "assistant",
                message={"id": called, "model": "claude-opus-4-8", "role": "assistant", "content": [one],
                         "stop_reason": "end_turn", "usage": USAGE},
                **fields,
            )
            for one in blocks
        ]  # fmt: skip
        return names[-1]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


CALL = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/a.py"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "1\tpass"}


def session() -> File:
    file = File()
    file.lines.append('{"type": "queue-operation", "operation": "enqueue", "sessionId": "s1"}')
    file.user("What does a.py do?")
    file.add("attachment", attachment={"type": "skill_listing", "content": "- verify: looks again"})
    file.answer("msg_1", {"type": "thinking", "thinking": "Read it.", "signature": "c2ln"}, CALL)
    file.user([RESULT])
    file.answer("msg_2", text("It passes."))
    return file


def bodies(found: Session) -> list[dict[str, Any]]:
    return [json.loads(one.request) for one in found.exchanges()]


def compacted() -> list[str]:
    """A session whose beginning was replaced by a summary."""
    file = session()
    before, file.last = file.last, None
    file.add("system", subtype="compact_boundary", logicalParentUuid=before)
    file.user("This session is being continued from a previous conversation.", isCompactSummary=True)
    file.user("And now?")
    file.answer("msg_9", text("Still."))
    return file.lines


def test_every_answer_is_a_request_with_what_was_said_before_it():
    found = read_claude(session().lines)
    first, second = bodies(found)

    assert (found.id, found.folder, found.notes) == ("s1", "/w", ())
    assert [one["role"] for one in first["messages"]] == ["user", "system"]
    assert [one["role"] for one in second["messages"]] == ["user", "system", "assistant", "assistant", "user"]
    assert first["model"] == "claude-opus-4-8"
    assert first["cache_control"] == {"type": "ephemeral"}
    [one, other] = found.exchanges()
    assert one.header("user-agent") == "claude-cli/2.1.197"
    assert one.header("x-claude-code-session-id") == "s1"
    assert [block["type"] for block in json.loads(one.answer)["content"]] == ["thinking", "tool_use"]
    assert other.started_at - one.started_at == 3


def test_after_a_compaction_the_summary_stands_for_the_rest_and_what_it_kept_follows_it():
    file = session()
    kept = file.last
    meta = {"trigger": "auto", "preservedMessages": {"uuids": [kept, "gone", 7]}}
    file.last = None
    file.add("system", subtype="compact_boundary", logicalParentUuid=kept, compactMetadata=meta)
    summary = "This session is being continued from a previous conversation that ran out of context."
    file.user(summary, isCompactSummary=True)
    file.user("And now?")
    file.answer("msg_3", text("It still passes."))

    last = bodies(read_claude(file.lines))[-1]

    assert [one["content"] for one in last["messages"]] == [summary, [text("It passes.")], "And now?"]


def test_two_branches_have_each_its_own_past():
    """A question that was edited: its line names the same line before it."""
    file = session()
    fork = file.last
    file.user("One?")
    file.answer("msg_3", text("One."))
    file.last = fork
    file.user("Two?")
    file.answer("msg_4", text("Two."))

    *_, one, two = bodies(read_claude(file.lines))

    assert one["messages"][-1]["content"] == "One?"
    assert two["messages"][-1]["content"] == "Two?"
    assert len(one["messages"]) == len(two["messages"])


def test_a_sub_agent_is_told_by_its_id():
    file = File()
    file.user("Look around.", isSidechain=True, agentId="a1")
    file.answer("msg_1", text("Done."), isSidechain=True, agentId="a1")

    [one] = read_claude(file.lines).exchanges()

    assert one.header("x-claude-code-agent-id") == "a1"


def test_what_the_program_says_itself_is_no_request():
    file = session()
    file.add("assistant", message={"model": "<synthetic>", "content": [text("No response requested.")]})

    assert len(read_claude(file.lines).asked) == 2


def test_attachments_of_every_kind_are_text():
    file = File()
    file.add(
        "attachment",
        attachment={"type": "file", "content": {"file": {"filePath": "a.py", "content": "pass"}}},
    )
    file.add("attachment", attachment={"type": "agent_listing_delta", "addedLines": ["- one", "- two", 3]})
    file.add("attachment", attachment={"type": "odd", "n": 1})
    file.add("attachment", attachment={})
    file.answer("msg_1", text("Done."))

    [body] = bodies(read_claude(file.lines))

    assert [one["content"] for one in body["messages"]] == [
        "a.py\npass",
        "- one\n- two",
        '{"type":"odd","n":1}',
    ]


def test_damaged_and_foreign_lines_are_counted():
    file = session()
    file.lines += ["{cut", "[]", "", '{"type": "hologram"}', '{"type": "hologram"}', '{"type": "user"}']
    found = read_claude(file.lines)

    assert found.notes == (
        "2 lines are damaged.",
        "3 lines of unknown kinds were left out: “hologram”, “user”.",
    )
    assert len(found.asked) == 2


def test_titles_and_a_chain_that_bites_its_tail():
    file = File()
    file.lines += ['{"type": "summary", "summary": "About a.py"}']
    file.user("Why?", parentUuid="u2")
    file.answer("msg_1", text("So."))
    found = read_claude(file.lines)

    assert found.title == "About a.py"
    assert len(found.asked) == 1
