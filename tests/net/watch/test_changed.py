"""Requests that rules change on their way: what the server gets, what comes back, and when it stops by itself."""

from __future__ import annotations

import gzip
import json
from typing import Any

import h11
import pytest
import zstandard

from tests.fakes.loop import in_loop
from tests.fakes.raw_server import RawServer, Reader, Writer, length_of
from tests.fakes.watch_stage import Watched, as_chunks
from workbench.context.watch.redacting import Restorer
from workbench.domain.watch.rules import NOT_UNDERSTOOD, REFUSED, parse_rule
from workbench.engine.watch.ruling import Ruling
from workbench.net.watch.passage import Rewriter

KEY = "ghp_a8Kd93jfLs02kfjAAlq39dkfLLqpZ0183jfk"
TOOLS = [{"name": name, "description": "x", "input_schema": {"type": "object"}} for name in ("Read", "Cron")]
BODY: dict[str, Any] = {
    "model": "claude-sonnet-4-5", "tools": TOOLS, "messages": [{"role": "user", "content": f"My key is {KEY} ü"}],
}  # fmt: skip
RAW = json.dumps(BODY, indent=1).encode()
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
WITHOUT_CRON = json.dumps({**BODY, "tools": TOOLS[:1]}).encode()


def once(seen: list[tuple[bytes, bytes]]) -> Any:
    """Take one request a connection, answer it, and close."""

    async def act(reader: Reader, writer: Writer) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        seen.append((head, await reader.readexactly(length_of(head))))
        writer.write(OK)

    return act


def ruled(watched: Watched, *rules: str) -> Ruling:
    ruling = Ruling((), tuple(map(parse_rule, rules)), b"salt")
    proxy = watched.proxy
    proxy.changing, proxy.change, proxy.resent = ruling.is_on, ruling.change, ruling.refused
    proxy.restorer = Restorer
    return ruling


@pytest.mark.parametrize("how", ["plain", "chunked", "gzip", "zstd"])
@in_loop
async def test_a_changed_body_has_its_own_length_and_no_other_header_changes(how: str):
    seen: list[tuple[bytes, bytes]] = []
    async with RawServer(once(seen)) as server, Watched(server.url) as watched:
        ruled(watched, "tools.without=Cron")
        body = gzip.compress(RAW) if how == "gzip" else zstandard.compress(RAW) if how == "zstd" else RAW
        extra = [f"Content-Encoding: {how}"] if how in ("gzip", "zstd") else []
        extra += ["Transfer-Encoding: chunked"] if how == "chunked" else [f"Content-Length: {len(body)}"]
        sent = as_chunks([body[:50], body[50:]]) if how == "chunked" else body
        await watched.talk(watched.head("POST /v1/messages", "X-Api-Key: k", *extra, "X-Last: 1") + sent)
        (exchange,) = await watched.exchanges(1)
    ((head, got),) = seen
    assert json.loads(got) == json.loads(WITHOUT_CRON)
    assert got == RAW.replace(
        RAW[RAW.index(b',\n  {\n   "name": "Cron"') : RAW.index(b'\n ],\n "messages"')], b""
    )
    kept = ["POST /v1/messages HTTP/1.1", f"Host: 127.0.0.1:{server.port}", "X-Api-Key: k", "X-Last: 1"]
    assert head.decode().split("\r\n") == [*kept, f"Content-Length: {len(got)}", "", ""]
    assert (exchange.request, exchange.came_in, exchange.sent_bytes) == (got, RAW, len(got))
    assert exchange.request_bytes == len(body)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'{"messages":[],"messages":[{"role":"user","content":"x"}],"tools":[{"name":"Cron"}]}',
        b'{"tools":[{"name":"Cron"}],"messages":[{"role":"user","content":"\xff"}]}',
        b'{"tools":[{"name":"Cron"}],"max_tokens":' + b"9" * 5000 + b"}",
        b'{"tools":[{"name":"Cron"}],"temperature":1e999}',
        b'{"tools":[{"name":"Cron"}],"temperature":NaN}',
        b'{"tools":["x",{"name":"Cron"}]}',
        b"not json",
        b"",
    ],
    ids=["deep", "deep-objects", "twice", "utf-8", "digits", "endless", "nan", "odd", "text", "empty"],
)
@in_loop
async def test_what_is_not_understood_passes_byte_for_byte(body: bytes):
    seen: list[tuple[bytes, bytes]] = []
    async with RawServer(once(seen)) as server, Watched(server.url) as watched:
        ruled(watched, "tools.without=Cron", "secrets.redact")
        await watched.talk(watched.post(body))
        (exchange,) = await watched.exchanges(1)
    assert seen[0][1] == body
    assert [(one.state, one.why) for one in exchange.rules] == [("skipped", NOT_UNDERSTOOD)] * 2


@in_loop
async def test_a_body_larger_than_any_is_passed_on_and_not_held():
    start = b'{"tools":[{"name":"Cron"}],"messages":"'
    size = 50_000_000
    got = 0

    async def act(reader: Reader, writer: Writer) -> None:
        nonlocal got
        assert length_of(await reader.readuntil(b"\r\n\r\n")) == size
        while got < size:
            got += len(await reader.read(1 << 20))
        writer.write(OK)

    async with RawServer(act) as server, Watched(server.url) as watched:
        ruled(watched, "tools.without=Cron")
        piece = b"x" * 1_000_000
        head = watched.head("POST /v1/messages", f"Content-Length: {size}")
        await watched.talk(head, start, *[piece] * 49, piece[: size - 49_000_000 - len(start) - 2], b'"}')
        (exchange,) = await watched.exchanges(1)
    assert got == size
    assert [one.why for one in exchange.rules] == [NOT_UNDERSTOOD]


@pytest.mark.parametrize("rules", [(), ("tools.without=Nothing",), ("cache.mark",)])
@in_loop
async def test_what_needs_no_change_passes_byte_for_byte(rules: tuple[str, ...]):
    body = json.dumps(
        {**BODY, "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}]}
    ).encode()
    seen: list[tuple[bytes, bytes]] = []
    async with RawServer(once(seen)) as server, Watched(server.url) as watched:
        ruled(watched, *rules)
        chunked = as_chunks([body[:9], body[9:]])
        await watched.talk(watched.post(body))
        await watched.talk(watched.head("POST /v1/messages", f"Content-Length: {len(chunked)}") + chunked)
    assert [got for _, got in seen] == [body, chunked]


def refusing(status: int, while_: bytes, seen: list[bytes]) -> Any:
    async def act(reader: Reader, writer: Writer) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(length_of(head))
        seen.append(body)
        words = b"it is refused"
        answer = b"HTTP/1.1 %d No\r\nContent-Length: %d\r\n\r\n%b" % (status, len(words), words)
        writer.write(answer if while_ not in body else OK)

    return act


@pytest.mark.parametrize("status", [400, 413, 422, 401, 403, 429, 500])
@in_loop
async def test_a_refusal_after_a_rule_is_sent_once_more_unchanged_and_the_rule_is_off(status: int):
    seen: list[bytes] = []
    async with RawServer(refusing(status, b"Cron", seen)) as server, Watched(server.url) as watched:
        ruling = ruled(watched, "tools.without=Cron")
        first = await watched.talk(watched.post(RAW))
        second = await watched.talk(watched.post(RAW))
        exchanges = await watched.exchanges(2)
    if status in (400, 413, 422):
        assert b"refused" not in first + second
        assert seen[1:] == [RAW, RAW]
        assert [one.rules[0].state for one in exchanges] == ["off", "off"]
        assert [one.why for one in ruling.everywhere] == [REFUSED]
        assert exchanges[0].request == RAW
    else:
        assert first.startswith(b"HTTP/1.1 %d" % status)
        assert len(seen) == 2
        assert ruling.everywhere[0].on


@in_loop
async def test_a_request_that_is_refused_either_way_keeps_its_rule():
    seen: list[bytes] = []
    async with RawServer(refusing(400, b"never", seen)) as server, Watched(server.url) as watched:
        ruling = ruled(watched, "tools.without=Cron")
        answer = await watched.talk(watched.post(RAW))
        (exchange,) = await watched.exchanges(1)
    assert answer.count(b"it is refused") == 1
    assert len(seen) == 2
    assert ruling.everywhere[0].on
    assert exchange.rules[0].state == "skipped"


@in_loop
async def test_a_secret_is_put_back_in_a_call_and_the_text_stays_as_it_came():
    got: list[bytes] = []

    async def act(reader: Reader, writer: Writer) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        got.append(await reader.readexactly(length_of(head)))
        placeholder = got[0].split(b"My key is ")[1].split(b" ")[0].decode()
        arguments = json.dumps({"command": f"use {placeholder}!"})
        events = [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": placeholder}},
            {"type": "content_block_stop", "index": 0},
        ]
        for place in range(0, len(arguments), 7):
            delta = {"type": "input_json_delta", "partial_json": arguments[place : place + 7]}
            events.append({"type": "content_block_delta", "index": 1, "delta": delta})
        events += [{"type": "content_block_stop", "index": 1}, {"type": "message_stop"}]
        said = b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)
        kind = b"Content-Type: text/event-stream\r\n"
        writer.write(b"HTTP/1.1 200 OK\r\n" + kind + b"Transfer-Encoding: chunked\r\n\r\n")
        writer.write(as_chunks([said[n : n + 33] for n in range(0, len(said), 33)]))

    async with RawServer(act) as server, Watched(server.url) as watched:
        ruled(watched, "secrets.redact")
        answer = await watched.talk(watched.post(RAW))
        (exchange,) = await watched.exchanges(1)
    assert KEY.encode() not in got[0]
    told = [json.loads(line[6:]) for line in _unchunked(answer).split(b"\n") if line.startswith(b"data: ")]
    deltas = [one["delta"] for one in told if one["type"] == "content_block_delta"]
    said = "".join(one.get("partial_json", "") for one in deltas)
    assert json.loads(said) == {"command": f"use {KEY}!"}
    assert deltas[0]["text"].startswith("REDACTED_github_")
    assert KEY.encode() not in exchange.answer


def _unchunked(answer: bytes) -> bytes:
    _, _, rest = answer.partition(b"\r\n\r\n")
    found = b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        found += rest[: int(size, 16)]
        rest = rest[int(size, 16) + 2 :]
    return found


def test_an_answer_that_nobody_can_uncompress_is_not_rewritten():
    head = h11.Response(status_code=200, headers=[("Content-Encoding", "new"), ("Content-Length", "2")])
    assert Rewriter(Restorer("anthropic", {"REDACTED_x": KEY}), head).failed
    plain = h11.Response(
        status_code=200, headers=[("Content-Type", "application/json"), ("X-Kept", "1")], reason=b"OK"
    )
    body = b'{"content":[{"type":"tool_use","name":"f","input":{"a":"REDACTED_x"}}]}'
    told = Rewriter(Restorer("anthropic", {"REDACTED_x": KEY}), plain)
    assert told.take(body[:9], over=False) == b""
    whole = told.take(body[9:], over=True)
    assert whole.endswith(body.replace(b"REDACTED_x", KEY.encode()))
    assert b"X-Kept: 1\r\n" in whole
    assert b"Content-Length: %d\r\n" % (len(body) + len(KEY) - 10) in whole
