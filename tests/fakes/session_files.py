"""Sessions of Claude Code 2.1.327 and Codex 0.169.0 with our own words, and a folder of session files in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from workbench.domain.errors import InvalidInput
from workbench.domain.watch.switch import SessionKind, SessionVersions

LONG = "\n".join(f"{n} a line of a long file" for n in range(400))
SESSION = "648f3bdc-83de-49fd-91b1-1501faf37b32"
THREAD = "01a1f14a-cd55-7b21-93f2-b92eee7ee893"
VERSIONS = (SessionVersions("claude", "2.1.327", "2.1.327"), SessionVersions("codex", "0.169.0", "0.169.0"))


class MemorySessions:
    """Session files by their paths → SessionFiles."""

    versions = VERSIONS

    def __init__(self, files: dict[str, list[str]]) -> None:
        self.files = files

    def find(self, kind: SessionKind, session: str) -> tuple[str, Iterable[str]]:
        found = [path for path in self.files if session and path.endswith(f"{session}.jsonl")]
        if not found:
            raise InvalidInput(kind, f"has no session {session}")
        return found[0], self.files[found[0]]

    def create(self, path: str, content: bytes) -> None:
        if path in self.files:
            raise InvalidInput(path, "is there already; nothing was written")
        self.files[path] = content.decode().splitlines()


def claude_lines(version: str = "2.1.327") -> list[str]:
    """Three turns: one that reads a long file, one that reads a short one, and one that only answers."""
    lines: list[dict[str, Any]] = [{"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION}]
    last: str | None = None

    def add(kind: str, **fields: Any) -> None:
        nonlocal last
        name = f"{len(lines):08}-0000-4000-a000-000000000000"
        about = {
            "isSidechain": False,
            "cwd": "/w",
            "sessionId": SESSION,
            "version": version,
            "gitBranch": "main",
        }
        at = f"2026-11-19T00:52:{len(lines):02}.000Z"
        lines.append({"parentUuid": last, "type": kind, "uuid": name, "timestamp": at, **about, **fields})
        last = name

    def attach(role: str, text: str) -> None:
        rendered = [{"content": f"<system-reminder>\n{text}\n</system-reminder>"}]
        add("attachment", attachment={"type": "date"}, rendered=rendered, renderedRole=role)

    def ask(text: str) -> None:
        add("user", message={"role": "user", "content": text})

    def answer(*blocks: dict[str, Any]) -> None:
        message = {
            "id": f"msg_{len(lines)}",
            "model": "claude-opus-5-5",
            "role": "assistant",
            "content": list(blocks),
        }
        add("assistant", message=message)

    def read(call: str, file: str, text: str) -> None:
        answer({"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": file}})
        result = {"tool_use_id": call, "type": "tool_result", "content": text}
        add("user", message={"role": "user", "content": [result]}, toolUseResult={"file": {"content": text}})
        lines.append({"type": "api-request", "sessionId": SESSION})

    ask("What does long.txt hold?")
    attach("system", "# Environment\nA folder.")
    attach("user", "# gitStatus\nClean.")
    attach("system", "Today is Thursday.")
    read("t1", "long.txt", LONG)
    answer({"type": "text", "text": "Lines."})
    ask("And a.py?")
    read("t2", "a.py", "1\tpass")
    answer({"type": "text", "text": "Nothing."})
    ask("And now?")
    answer({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "Still."})
    return [json.dumps(one) for one in lines]


def codex_lines(version: str = "0.169.0") -> list[str]:
    """The same three turns."""
    return [json.dumps(one) for one in _codex(version)]


def _codex(version: str) -> Iterator[dict[str, Any]]:
    def line(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-11-19T00:52:53.767Z", "ordinal": 0, "type": kind, "payload": payload}

    def spoken(role: str, text: str, kind: str) -> dict[str, Any]:
        part = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
        own = {"turn_id": "T", "content_item_kinds": [kind]}
        message = {"type": "message", "id": "m", "role": role, "content": [part]}
        return line("response_item", **message, internal_chat_message_metadata_passthrough=own)

    def ran(call: str, text: str) -> Iterator[dict[str, Any]]:
        asked = {
            "type": "function_call",
            "id": "fc",
            "call_id": call,
            "name": "exec_command",
            "arguments": "{}",
        }
        yield line("response_item", **asked)
        yield line("response_item", type="function_call_output", call_id=call, output=text)

    yield line(
        "session_meta", id=THREAD, session_id=THREAD, cwd="/w", originator="codex_exec", cli_version=version
    )
    yield line("event_msg", type="task_started", turn_id="T")
    yield spoken("developer", "Be brief.", "permissions.instructions")
    yield spoken(
        "user", "<environment_context>\n/w\n</environment_context>", "environments.environment_context"
    )
    yield line("world_state", full=True)
    yield line("turn_context", model="gpt-5.1-codex")
    yield spoken("user", "What does long.txt hold?", "user.text")
    yield from ran("c1", LONG)
    yield spoken("assistant", "Lines.", "unknown")
    yield spoken("user", "And a.py?", "user.text")
    yield from ran("c2", "pass")
    yield spoken("assistant", "Nothing.", "unknown")
    yield spoken("user", "And now?", "user.text")
    yield spoken("assistant", "Still.", "unknown")
