"""A request that would pass a cap is answered with its API's own error, and nothing of it is sent."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.raw_server import RawServer, Reader, Writer
from tests.fakes.watch_stage import Watched, as_chunks
from workbench.domain.watch.exchange import WatchedFormat, over_cap
from workbench.domain.watch.routes import Routes
from workbench.net.watch.copies import Passing

WHY = "$0.12 of $5.00 left today; this one may cost $0.31. Nothing was sent."
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"
BODY = b'{"model":"m","messages":[{"role":"user","content":"What is it?"}]}'
PATHS: dict[str, WatchedFormat] = {
    "/v1/messages": "anthropic", "/v1/chat/completions": "openai", "/v1/responses": "responses",
    "/v1beta/models/g:generateContent": "gemini", "/api/chat": "ollama",
}  # fmt: skip


class Server:
    """Keeps every byte that arrives."""

    def __init__(self) -> None:
        self.got = b""

    async def act(self, reader: Reader, writer: Writer) -> None:
        """Read one request, and answer it."""
        while not self.got.endswith((BODY, b"0\r\n\r\n")):
            piece = await reader.read(65_536)
            if not piece:
                return
            self.got += piece
        writer.write(OK)


def refusing(watched: Watched, why: str) -> list[bytes]:
    """Let the proxy refuse everything for a reason, or nothing; the bodies that were looked at."""
    seen: list[bytes] = []

    async def refuse(passing: Passing) -> str:
        await asyncio.sleep(0)
        seen.append(passing.begun().request)
        return why

    watched.proxy.capped, watched.proxy.refuse = lambda: True, refuse
    return seen


@pytest.mark.parametrize(("path", "kind"), PATHS.items())
@in_loop
async def test_nothing_is_sent_and_the_error_is_the_vendor_s(path: str, kind: WatchedFormat):
    server = Server()
    async with RawServer(server.act) as there, Watched(Routes({}, there.url)) as watched:
        seen = refusing(watched, WHY)
        head = watched.head(f"POST {path}", f"Content-Length: {len(BODY)}")
        answer = await watched.talk(head + BODY)
        (exchange,) = await watched.exchanges(1)
    error = over_cap(kind, f"workbench watch: {WHY}")
    told, _, body = answer.partition(b"\r\n\r\n")
    assert told.startswith(f"HTTP/1.1 {error.status} ".encode())
    assert b"x-should-retry: false" in told
    assert json.loads(body) == error.body
    assert (server.got, seen) == (b"", [BODY])
    assert (exchange.status, json.loads(exchange.answer)) == (error.status, error.body)


def test_each_vendor_has_its_own_shape():
    shapes: dict[WatchedFormat, Any] = {
        "anthropic": {"type": "error", "error": {"type": "billing_error", "message": WHY}},
        "openai": {
            "error": {
                "message": WHY, "type": "insufficient_quota", "param": None, "code": "insufficient_quota",
            }
        },
        "gemini": {"error": {"code": 429, "message": WHY, "status": "RESOURCE_EXHAUSTED"}},
        "ollama": {"error": WHY},
    }  # fmt: skip
    assert {kind: over_cap(kind, WHY).body for kind in shapes} == shapes
    assert over_cap("responses", WHY) == over_cap("openai", WHY)


@pytest.mark.parametrize("chunked", [False, True])
@in_loop
async def test_what_is_allowed_passes_byte_for_byte(chunked: bool):
    server = Server()
    body = as_chunks([BODY[:20], BODY[20:]]) if chunked else BODY
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(BODY)}"
    async with RawServer(server.act) as there, Watched(there.url) as watched:
        seen = refusing(watched, "")
        head = watched.head("POST /v1/messages", length)
        answer = await watched.talk(head, body[:30], body[30:])
    assert answer == OK
    assert server.got.partition(b"\r\n\r\n")[2] == body
    assert seen == [BODY]


@in_loop
async def test_a_client_that_waits_to_be_told_to_go_on_is_told():
    server = Server()
    async with RawServer(server.act) as there, Watched(there.url) as watched:
        refusing(watched, "")
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        length = f"Content-Length: {len(BODY)}"
        writer.write(watched.head("POST /v1/messages", length, "Expect: 100-continue"))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(BODY)
        assert (await reader.read()).endswith(OK)
        writer.close()


@in_loop
async def test_without_a_cap_nothing_waits():
    server = Server()
    async with RawServer(server.act) as there, Watched(there.url) as watched:
        seen = refusing(watched, WHY)
        watched.proxy.capped = lambda: False
        assert await watched.talk(watched.post(BODY)) == OK
    assert seen == []
