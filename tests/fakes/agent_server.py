"""A server on this computer for coding agents: keeps their requests, and has them read or run what a question names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from tests.fakes.passing import events, message_events


class AgentServer:
    """Anthropic's messages and OpenAI's responses; a question with `READ:FILE` or `RUN:COMMAND` calls that tool once.

    Attributes:
        asked: the bodies of the requests for an answer, in order.
    """

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._reply(b'{"data": [], "models": []}', "application/json")

            def do_HEAD(self) -> None:
                self.do_GET()

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
                if "count_tokens" in self.path:
                    self._reply(b'{"input_tokens": 9}', "application/json")
                    return
                outer.asked.append(body)
                self._reply(events(outer.answer(body)), "text/event-stream")

            def _reply(self, content: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def log_request(self, *about: object) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> AgentServer:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> Sequence[dict[str, Any]]:
        n = len(self.asked)
        if "input" in body:
            return _response(body, n)
        last = next(one for one in reversed(body["messages"]) if one["role"] == "user")
        said = json.dumps(last["content"])
        block: dict[str, Any] = {"type": "text", "text": f"Answer {n}."}
        if "READ:" in said and "tool_result" not in said:
            file = said.split("READ:")[1].split('"')[0].split()[0]
            block = {"type": "tool_use", "id": f"toolu_{n}", "name": "Read", "input": {"file_path": file}}
        start, *rest = message_events(block, called=f"msg_{n}")
        return [{**start, "message": {**start["message"], "model": body["model"]}}, *rest]


def _response(body: dict[str, Any], n: int) -> Sequence[dict[str, Any]]:
    last = body["input"][-1]
    said = json.dumps(last.get("content"))
    text = {"type": "output_text", "text": f"Answer {n}.", "annotations": []}
    item: dict[str, Any] = {"type": "message", "id": f"m{n}", "role": "assistant", "content": [text]}
    if last.get("role") == "user" and "RUN:" in said:
        command = json.dumps({"cmd": said.split("RUN:")[1].split('"')[0]})
        item = {
            "type": "function_call",
            "id": f"f{n}",
            "call_id": f"c{n}",
            "name": "exec_command",
            "arguments": command,
        }
    usage = {"input_tokens": 9, "output_tokens": 7, "total_tokens": 16}
    done = {
        "id": f"r{n}",
        "object": "response",
        "status": "completed",
        "model": body["model"],
        "output": [item],
        "usage": usage,
    }
    return [
        {"type": "response.created", "response": {**done, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": {**item, "status": "completed"}},
        {"type": "response.completed", "response": done},
    ]
