"""A stand-in for the model server's child process: same handshake, same paths, tokens that can be counted in the head.

A control token, a line feed and a word with its blank are one token each; a character beyond the alphabet is one token
a byte. It answers with what stands after "say " in the last message of the user; its cache works like the real one's.
Run as a script; `DOUBLE` is the command for it, and `double(…)` one that misbehaves.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

DOUBLE = (sys.executable, __file__)
TOKEN = re.compile(r"<\|\w+\|>|\n|[^\S\n]*[^\s<]+|[^\S\n]+|<")
DEFAULT_SYSTEM = "<|im_start|>system\nBe a double.<|im_end|>\n"


def double(**behaviour: Any) -> tuple[str, ...]:
    """A command for a double that does something else: refuse, die_at_start, loads_s, silent, no_framing, words."""
    return (*DOUBLE, json.dumps(behaviour))


def pieces(text: str) -> list[bytes]:
    """The tokens of a text, as bytes."""
    found = []
    for token in TOKEN.findall(text):
        found += [token.encode()] if token.isascii() else [bytes([byte]) for byte in token.encode()]
    return found


def prompt_of(body: dict[str, Any], trimmed: bool = False) -> str:
    """The chat as the template writes it; one that trims cannot be put together from parts."""
    messages = body["messages"]
    written = "" if messages[:1] and messages[0]["role"] == "system" else DEFAULT_SYSTEM
    for message in messages:
        text = message["content"].strip() if trimmed else message["content"]
        written += f"<|im_start|>{message['role']}\n{text}<|im_end|>\n"
    if messages and messages[-1]["role"] == "assistant":
        return written.removesuffix("<|im_end|>\n")
    return written + ("<|im_start|>assistant\n" if body.get("add_generation_prompt", True) else "")


class Cache:
    """The one sequence that is kept."""

    def __init__(self) -> None:
        self.tokens: list[bytes] = []
        self.lock = Lock()
        self.busy = False

    def read(self, prompt: list[bytes]) -> int:
        """Take a prompt in; how much of it was there."""
        shared = 0
        while shared < min(len(self.tokens), len(prompt) - 1) and self.tokens[shared] == prompt[shared]:
            shared += 1
        self.tokens = list(prompt)
        return shared


class Double(ThreadingHTTPServer):
    """The server, with its one cache."""

    daemon_threads = True

    def __init__(self, settings: dict[str, Any], behaviour: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.settings, self.behaviour = settings, behaviour
        self.cache = Cache()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Double

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.route(None)

    def do_POST(self) -> None:
        self.route(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def route(self, body: Any) -> None:
        if self.headers.get("authorization") != f"Bearer {self.server.settings['key']}":
            self.reply(401, {"error": {"message": "Invalid API Key"}})
        elif self.path == "/props":
            self.reply(200, {"chat_template_caps": {"supports_tools": True}})
        elif self.path == "/slots":
            self.reply(
                200,
                [{"n_prompt_tokens": len(self.server.cache.tokens), "is_processing": self.server.cache.busy}],
            )
        elif self.path == "/apply-template":
            self.template(body)
        elif self.path == "/tokenize":
            self.tokenize(body)
        elif self.path == "/completion":
            self.score(body)
        else:
            self.chat(body)

    def template(self, body: Any) -> None:
        if any(message["content"] == "odd" for message in body["messages"]):
            self.reply(500, {"error": {"message": "no such chat"}})
        else:
            self.reply(200, {"prompt": prompt_of(body, self.server.behaviour.get("no_framing", False))})

    def tokenize(self, body: Any) -> None:
        found = pieces(body["content"])
        if not body.get("with_pieces"):
            self.reply(200, {"tokens": list(range(len(found)))})
            return
        self.reply(200, {"tokens": [{"id": ident(piece), "piece": shown(piece)} for piece in found]})

    def score(self, body: Any) -> None:
        """Write what the grammar forces; a token is likely where it stands in the prompt."""
        forced, _, rest = body["grammar"].removeprefix("root ::= ").partition(" rest\n")
        if self.server.behaviour.get("no_grammar") or rest != "rest ::= [^\\x00]*":
            self.reply(500, {"error": {"message": "failed to parse grammar"}})
            return
        answer = [int(number) for number in re.findall(r"<\[(\d+)\]>", forced)]
        prompt = [as_piece(number) for number in body["prompt"]]
        cached = self.server.cache.read(prompt)
        self.server.cache.tokens += [as_piece(number) for number in answer[:-1]]
        told = [
            {"id": number, "logprob": -0.125 if number in body["prompt"] else -5.0}
            for number in answer[: body["n_predict"]]
        ]
        timings = {"cache_n": cached, "prompt_n": len(prompt) - cached}
        self.reply(
            200,
            {"completion_probabilities": told, "tokens_evaluated": len(prompt), "timings": timings},
        )

    def chat(self, body: Any) -> None:
        prompt = pieces(prompt_of(body))
        if len(prompt) >= self.server.settings["window_tokens"]:
            said = f"request ({len(prompt)} tokens) exceeds the available context size"
            self.reply(400, {"error": {"message": said, "type": "exceed_context_size_error"}})
            return
        with self.server.cache.lock:
            self.server.cache.busy = True
            try:
                self.answer(body, prompt)
            finally:
                self.server.cache.busy = False

    def answer(self, body: Any, prompt: list[bytes]) -> None:
        cached = self.server.cache.read(prompt)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for processed in (cached, len(prompt)):
            told = {"total": len(prompt), "cache": cached, "processed": processed}
            self.event({"choices": [{"delta": {"content": None}}], "prompt_progress": told})
        said = [m["content"] for m in body["messages"] if m["role"] == "user"][-1].partition("say ")[2]
        if said.startswith("die"):
            print("0.00.000.001 E out of luck", file=sys.stderr, flush=True)
            os._exit(3)
        written, reason = self.write(said, body.get("max_tokens") or 1000)
        self.event({"choices": [{"delta": {}, "finish_reason": reason}]})
        usage = {"prompt_tokens": len(prompt), "completion_tokens": written}
        usage |= {"prompt_tokens_details": {"cached_tokens": cached}}  # type: ignore[dict-item]
        self.event({"choices": [], "usage": usage, "timings": {"predicted_n": written}})
        self.wfile.write(b"data: [DONE]\n\n")

    def write(self, said: str, most: int) -> tuple[int, str]:
        """Token by token; one that is not a whole character is sent with the next. The end is a token too."""
        waiting, number = b"", 0
        for token in pieces(said):
            number += 1
            waiting += token
            if is_whole(waiting):
                chunk = {"choices": [{"delta": {"content": waiting.decode()}}]}
                self.event({**chunk, "timings": {"predicted_n": number}})
                waiting = b""
            if number == most:
                return number, "length"
            self.server.cache.tokens.append(token)
            time.sleep(self.server.behaviour.get("pause_s", 0))  # noqa: TID251
        return number + 1, "stop"

    def event(self, chunk: Any) -> None:
        self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()

    def reply(self, status: int, answer: Any) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def is_whole(content: bytes) -> bool:
    """Whether these bytes are whole characters."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def ident(piece: bytes) -> int:
    """A token's number."""
    return int.from_bytes(piece, "big")


def as_piece(number: int) -> bytes:
    """The token of a number."""
    return number.to_bytes(max(1, -(-number.bit_length() // 8)), "big")


def shown(piece: bytes) -> str | list[int]:
    """A token's text, or its bytes where they are none."""
    return piece.decode() if is_whole(piece) else list(piece)


def main() -> None:
    """Shake hands and serve until the parent lets go."""
    behaviour = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    settings = json.loads(sys.stdin.readline() or "null")
    if behaviour.get("words"):
        print(behaviour["words"], file=sys.stderr, flush=True)
    if behaviour.get("die_at_start") or settings is None:
        os._exit(7)
    if behaviour.get("refuse"):
        print(json.dumps({"error": behaviour["refuse"]}), flush=True)
        return
    time.sleep(behaviour.get("loads_s", 0))  # noqa: TID251
    if not behaviour.get("silent"):
        server = Double(settings, behaviour)
        print(json.dumps({"address": f"http://127.0.0.1:{server.server_port}"}), flush=True)
        from threading import Thread

        Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
