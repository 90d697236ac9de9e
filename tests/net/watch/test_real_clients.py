"""Real clients, directly and through the watch: the server gets the same bytes, the client the same answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import anthropic
import ollama
import openai
import pytest

from tests.fakes.loop import in_loop
from tests.fakes.raw_server import RawServer, Reader, Writer, length_of
from tests.fakes.watch_stage import Watched
from workbench.domain.watch.exchange import WatchedFormat
from workbench.domain.watch.routes import Api as ApiName
from workbench.domain.watch.routes import Routes

KEY = "sk-SECRET"
SAID = [{"role": "user", "content": "Why is the sky blue? 🌊"}]
_CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
_TEXT = {"type": "text", "text": "Hi"}
_USAGE = {"input_tokens": 1, "output_tokens": 1}
_MESSAGE = {
    "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [_TEXT], "stop_reason": "end_turn",
    "stop_sequence": None, "usage": _USAGE,
}  # fmt: skip
_SAID = {"type": "output_text", "text": "Hi", "annotations": []}
_ITEM = {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": [_SAID]}
_RESPONSE = {
    "id": "r", "object": "response", "created_at": 1, "status": "completed", "model": "m", "output": [_ITEM],
    "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
}  # fmt: skip
OK = b"HTTP/1.1 200 OK\r\n"


def events(*documents: dict[str, Any], named: bool = False) -> bytes:
    lines = [f"event: {one['type']}\n" if named else "" for one in documents]
    return "".join(
        f"{line}data: {json.dumps(one)}\n\n" for line, one in zip(lines, documents, strict=True)
    ).encode()


STREAMS: dict[str, bytes] = {
    "/chat/completions": events(
        {**_CHUNK, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": None}]},
        {**_CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ) + b"data: [DONE]\n\n",
    "/responses": events(
        {"type": "response.created", "response": {**_RESPONSE, "status": "in_progress"}, "sequence_number": 0},
        {"type": "response.completed", "response": _RESPONSE, "sequence_number": 1},
        named=True,
    ),
    "/messages": events(
        {"type": "message_start", "message": {**_MESSAGE, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
        named=True,
    ),
    "/api/chat": b"".join(
        json.dumps({"model": "m", "message": {"role": "assistant", "content": text}, "done": done}).encode() + b"\n"
        for text, done in (("Hi", False), ("", True))
    ),
}  # fmt: skip
WHOLE: dict[str, dict[str, Any]] = {
    "/chat/completions": {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]},
    "/responses": _RESPONSE,
    "/messages": _MESSAGE,
    "/api/chat": {"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": True},
}  # fmt: skip


class Server:
    """A server that answers every client, in chunks where it streams; and the requests as they came."""

    def __init__(self) -> None:
        self.asked: list[tuple[bytes, bytes]] = []

    async def act(self, reader: Reader, writer: Writer) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(length_of(head))
            self.asked.append((head, body))
            end = next(one for one in WHOLE if one.encode() in head.split(b" ")[1])
            if json.loads(body).get("stream"):
                writer.write(OK + b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
                for line in STREAMS[end].splitlines(keepends=True):
                    writer.write(b"%x\r\n%b\r\n" % (len(line), line))
                    await writer.drain()
                writer.write(b"0\r\n\r\n")
            else:
                told = json.dumps(WHOLE[end]).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                    % len(told)
                )
                writer.write(told)
            await writer.drain()


def chat(base: str, stream: bool) -> list[str]:
    with openai.OpenAI(base_url=f"{base}/openai/v1", api_key=KEY, max_retries=0) as client:
        create: Any = client.chat.completions.create
        return told(create(model="m", messages=SAID, stream=stream), stream)


def responses(base: str, stream: bool) -> list[str]:
    with openai.OpenAI(base_url=f"{base}/openai/v1", api_key=KEY, max_retries=0) as client:
        return told(client.responses.create(model="m", input="Why?", stream=stream), stream)


def messages(base: str, stream: bool) -> list[str]:
    with anthropic.Anthropic(base_url=f"{base}/anthropic", api_key=KEY, max_retries=0) as client:
        create: Any = client.messages.create
        return told(create(model="m", max_tokens=9, messages=SAID, stream=stream), stream)


def talk(base: str, stream: bool) -> list[str]:
    client = ollama.Client(host=f"{base}/ollama")
    ask: Any = client.chat
    try:
        return told(ask(model="m", messages=SAID, stream=stream), stream)
    finally:
        client._client.close()


def told(got: Any, stream: bool) -> list[str]:
    """What a client made of an answer."""
    return [one.model_dump_json() for one in (got if stream else [got])]


CLIENTS: dict[WatchedFormat, Callable[[str, bool], list[str]]] = {
    "openai": chat,
    "responses": responses,
    "anthropic": messages,
    "ollama": talk,
}


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("name", CLIENTS)
@in_loop
async def test_as_without_us(name: WatchedFormat, stream: bool):
    api, ask = Server(), CLIENTS[name]
    async with RawServer(api.act) as server:
        bases: dict[ApiName, str] = {
            "openai": f"{server.url}/openai/v1",
            "anthropic": f"{server.url}/anthropic",
            "ollama": f"{server.url}/ollama",
        }
        async with Watched(Routes(bases)) as watched:
            direct = await asyncio.to_thread(ask, server.url, stream)
            through = await asyncio.to_thread(ask, f"http://127.0.0.1:{watched.port}", stream)
            (exchange,) = await watched.exchanges(1)
    (end,) = [one for one in STREAMS if one in exchange.path]
    assert through == direct
    assert api.asked[1] == api.asked[0]
    assert (exchange.format, exchange.request, exchange.unread) == (name, api.asked[0][1], "")
    assert exchange.answer == (STREAMS[end] if stream else json.dumps(WHOLE[end]).encode())
    assert KEY not in str(exchange)
