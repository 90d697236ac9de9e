"""A server that counts and caches as a real vLLM server was measured to; written from the measurements alone.

A token is a word with the blank before it, a line feed or a mark of the template. The pool is a plain list, what was
not used for longest first; an entry is the whole beginning of the prompt that it ends.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(r"<\|\w+\|>|\n| ?[^\s<]+|[^\S\n]|<")
_LETTERS = str.maketrans({" ": "Ġ", "\n": "Ċ"})
_PLAIN = frozenset((*range(33, 127), *range(161, 173), *range(174, 256)))
_OTHERS = [byte for byte in range(256) if byte not in _PLAIN]
_BYTES = [chr(byte) if byte in _PLAIN else chr(256 + _OTHERS.index(byte)) for byte in range(256)]


@dataclass
class VllmDouble:
    """The server.

    Attributes:
        block: the tokens of a block; pool: how many blocks fit.
        metrics, details: whether it shows its figures, and whether it reports what it served.
        tools: whether its template tells the model of tools.
        asked: path and body of every request.
        said: what it answers, token by token.
    """

    block: int = 4
    pool: int = 1000
    metrics: bool = True
    details: bool = True
    tools: bool = True
    window: int = 4000
    said: str = "so it is"
    asked: list[tuple[str, Any]] = field(default_factory=list)
    words: dict[str, int] = field(default_factory=dict)
    held: list[tuple[int, ...]] = field(default_factory=list)
    queries: int = 0
    started: float = 1.5
    port: int = 0

    def ids(self, text: str) -> list[int]:
        """The numbers of a text's tokens."""
        return [self.words.setdefault(word, len(self.words) + 10) for word in _TOKEN.findall(text)]

    def prompt(self, body: dict[str, Any]) -> str:
        """The chat as its template writes it."""
        tools = f"<|tools|>{json.dumps(body['tools'])}\n" if self.tools and body.get("tools") else ""
        chat = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in body["messages"])
        if body.get("continue_final_message"):
            assert body["add_generation_prompt"] is False  # both would be refused
            chat = chat.removesuffix("<|im_end|>\n")
        return tools + chat + ("<|im_start|>assistant\n" if body.get("add_generation_prompt", True) else "")

    def served(self, tokens: list[int]) -> int:
        """What of a prompt is held: whole blocks from its start, and never its last token."""
        most, found = (len(tokens) - 1) // self.block, 0
        while found < most and tuple(tokens[: (found + 1) * self.block]) in self.held:
            found += 1
        return found * self.block

    def keep(self, tokens: list[int], generated: list[int]) -> None:
        """Hold what was read and written, but for the last token; what was not used for longest makes room."""
        computed = [*tokens, *generated][: len(tokens) + max(0, len(generated) - 1)]
        again = self.served(tokens) // self.block
        used = [tuple(computed[: (number + 1) * self.block]) for number in range(again)]
        for one in used:
            self.held.remove(one)
        for start in range(again * self.block, len(computed), self.block):
            if len(self.held) + len(used) >= self.pool:
                del self.held[0]
            end = start + self.block
            used.append(tuple(computed[:end]) if end <= len(computed) else ())
        self.held += [one for one in reversed(used) if one]  # the last one is given back first

    def restart(self) -> None:
        """It was started anew."""
        self.held, self.queries, self.started = [], 0, self.started + 1

    def _answer(self, method: str, path: str, body: Any) -> tuple[int, str, bytes]:
        match path:
            case "/v1/models":
                entry = {"id": "m", "owned_by": "vllm", "root": "/models/m", "max_model_len": self.window}
                return _json({"data": [entry]})
            case "/version":
                return _json({"version": "0.32.0"})
            case "/metrics" if self.metrics:
                return 200, "text/plain", self._figures().encode()
            case "/tokenize":
                return self._tokenized(body)
            case "/v1/chat/completions":
                return self._chat(body)
            case "/v1/completions":
                return self._scored(body)
            case _:
                return 404, "application/json", b'{"error": {"message": "Not Found"}}'

    def _tokenized(self, body: dict[str, Any]) -> tuple[int, str, bytes]:
        if body["model"] != "m":
            return 404, "application/json", b'{"error": {"message": "no such model"}}'
        if any(m["content"] == "odd" for m in body.get("messages", ())):
            return 400, "application/json", b'{"error": {"message": "no such chat"}}'
        text = self.prompt(body) if "messages" in body else body["prompt"]
        found = self.ids(text)
        names = [word.translate(_LETTERS) for word in _TOKEN.findall(text)]
        strs = [_named(name) for name in names] if body.get("return_token_strs") else None
        return _json({"count": len(found), "tokens": found, "token_strs": strs, "max_model_len": self.window})

    def _chat(self, body: dict[str, Any]) -> tuple[int, str, bytes]:
        tokens, generated = self.ids(self.prompt(body)), [*self.ids(self.said), 2]
        if len(tokens) >= self.window:
            said = (
                f"This model's maximum context length is {self.window} tokens. However, your prompt contains at "
                f"least {len(tokens)} input tokens. Please reduce the length of the input prompt."
            )
            return 400, "application/json", json.dumps({"error": {"message": said}}).encode()
        served = self.served(tokens)
        self.queries += len(tokens)
        self.keep(tokens, generated)
        wanted = body.get("return_token_ids")
        first: dict[str, Any] = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
        chunks = [first | ({"prompt_token_ids": tokens} if wanted else {})]
        for word, number in zip([*_TOKEN.findall(self.said), ""], generated, strict=True):
            choice = {"index": 0, "delta": {"content": word}, "finish_reason": None if word else "stop"}
            chunks.append({"choices": [choice | ({"token_ids": [number]} if wanted else {})]})
        details = {"cached_tokens": served} if self.details else None
        usage = {"prompt_tokens": len(tokens), "completion_tokens": len(generated)}
        chunks.append({"choices": [], "usage": {**usage, "prompt_tokens_details": details}})
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
        return 200, "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode()

    def _scored(self, body: dict[str, Any]) -> tuple[int, str, bytes]:
        """How likely each token of a prompt is: where it stands in it before, it is. The cache is not used for that."""
        tokens = body["prompt"]
        told: list[dict[str, Any] | None] = [None]
        for place in range(1, len(tokens)):
            logprob = -0.125 if tokens[place] in tokens[:place] else -5.0
            others = {"7": {"logprob": -0.01, "rank": 1}} if logprob < -1 else {}
            told.append({str(tokens[place]): {"logprob": logprob, "rank": 2}, **others})
        told = told if body.get("prompt_logprobs") else []
        self.queries += len(tokens)
        usage = {"prompt_tokens": len(tokens), "completion_tokens": 1}
        details = {"prompt_tokens_details": {"cached_tokens": 0}} if self.details else {}
        return _json({"choices": [{"text": "x", "prompt_logprobs": told}], "usage": {**usage, **details}})

    def _figures(self) -> str:
        config = f'block_size="{self.block}",enable_prefix_caching="True",num_gpu_blocks="{self.pool + 1}"'
        return (
            "# HELP vllm:cache_config_info Information\n"
            f"vllm:cache_config_info{{{config}}} 1.0\n"
            f'vllm:prefix_cache_queries_total{{engine="0",model_name="m"}} {float(self.queries)}\n'
            f"process_start_time_seconds {self.started}\n"
        )

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, path, _ = head.split(" ", 2)
            sized = re.search(r"(?i)content-length: (\d+)", head)
            content = await reader.readexactly(int(sized[1])) if sized else b""
            body = json.loads(content) if content else None
            self.asked.append((path, body))
            status, kind, answer = self._answer(method, path, body)
            head = f"HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {len(answer)}\r\n"
            writer.write(head.encode() + b"connection: close\r\n\r\n" + answer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def _named(word: str) -> str:
    """A word as a vocabulary of GPT-2's kind names it: letters beyond ASCII are bytes."""
    if word.isascii() and word.isprintable():
        return word
    return "".join(
        letter if letter in "ĠĊ" else "".join(_BYTES[byte] for byte in letter.encode()) for letter in word
    )


def _json(value: Any) -> tuple[int, str, bytes]:
    return 200, "application/json", json.dumps(value).encode()


@asynccontextmanager
async def vllm_double(make: type[VllmDouble] = VllmDouble, **given: Any) -> AsyncIterator[VllmDouble]:
    """Such a server on a loopback port, as long as the test runs."""
    double = make(**given)
    server = await asyncio.start_server(double._serve, "127.0.0.1", 0)
    double.port = server.sockets[0].getsockname()[1]
    async with server:
        yield double
