"""What a server does wrong, one act each; `fault_table.py` says how an answer must end then."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable, Coroutine, Mapping

from tests.fakes.fault_server import Connection
from tests.fakes.wires import Wire

Fault = Callable[[Connection, Wire], Coroutine[object, object, None]]

TEXT = "Hello, wörld 🌍"


def sends(*pieces: Callable[[Wire], bytes] | bytes, then: str = "close") -> Fault:
    """A 200 with these pieces, and what happens afterwards: close, reset or stall."""

    async def act(connection: Connection, wire: Wire) -> None:
        await connection.head(wire.content_type)
        await connection.send(*(piece if isinstance(piece, bytes) else piece(wire) for piece in pieces))
        if then == "reset":
            await connection.reset()
        elif then == "stall":
            await connection.gone()

    return act


def refuses(
    status: str, body: object = None, times: int = 99, headers: Mapping[str, str] | None = None
) -> Fault:
    """An error status, so many times; then a good answer."""

    async def act(connection: Connection, wire: Wire) -> None:
        if connection.number > times:
            await good(connection, wire)
            return
        said = {"error": {"message": "Something about it."}} if body is None else body
        encoded = said.encode() if isinstance(said, str) else json.dumps(said).encode()
        await connection.whole(encoded, "application/json", status, **(headers or {}))

    return act


def answers(body: bytes, content_type: str, status: str = "200 OK", **headers: str) -> Fault:
    """One whole document."""

    async def act(connection: Connection, wire: Wire) -> None:
        await connection.whole(body, content_type, status, **headers)

    return act


def raw(*pieces: bytes, then: str = "close") -> Fault:
    """Bytes without any head."""

    async def act(connection: Connection, wire: Wire) -> None:
        await connection.send(*pieces)
        if then == "reset":
            await connection.reset()
        elif then == "stall":
            await connection.gone()

    return act


def text(words: str) -> Callable[[Wire], bytes]:
    return lambda wire: wire.text(words)


def finish(reason: str | None = "stop") -> Callable[[Wire], bytes]:
    return lambda wire: wire.finish(reason)


def value(thing: object) -> Callable[[Wire], bytes]:
    return lambda wire: wire.raw(thing)


def framed(encoded: bytes) -> Callable[[Wire], bytes]:
    return lambda wire: wire.framed(encoded)


HELLO, END = text(TEXT), finish()
good = sends(HELLO, END)


async def redirect(status: str, connection: Connection, wire: Wire) -> None:
    target = f"http://127.0.0.1:{ELSEWHERE.port}{connection.asked.path}?api-key=stolen"
    await connection.whole(b"", "text/plain", status, location=target)


class _Elsewhere:
    """The port of the second server, to which nothing may ever be sent."""

    port = 1


ELSEWHERE = _Elsewhere()


async def drip(connection: Connection, wire: Wire, before: bytes = b"") -> None:
    """One byte at a time, of a line that never ends."""
    await connection.head(wire.content_type)
    await connection.send(before, wire.text("never")[:12])
    while True:
        await connection.send(b"x")
        await asyncio.sleep(0.03)


async def drip_after_text(connection: Connection, wire: Wire) -> None:
    await drip(connection, wire, wire.text(TEXT))


async def keep_alives(connection: Connection, wire: Wire, before: bytes = b"", beat: bytes = b"") -> None:
    await connection.head(wire.content_type)
    await connection.send(before)
    while True:
        await connection.send(beat or wire.keep_alive())
        await asyncio.sleep(0.03)


async def keep_alives_after_text(connection: Connection, wire: Wire) -> None:
    await keep_alives(connection, wire, wire.text(TEXT))


async def keep_alives_after_reason(connection: Connection, wire: Wire) -> None:
    reason = wire.raw({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    await keep_alives(connection, wire, wire.text(TEXT) + reason)


async def empty_deltas(connection: Connection, wire: Wire) -> None:
    await keep_alives(connection, wire, beat=wire.text(""))


async def stall_at_once(connection: Connection, wire: Wire) -> None:
    await connection.gone()


async def steady_but_slow(connection: Connection, wire: Wire) -> None:
    """Longer in all than any single deadline, and never idle for as long as one."""
    await connection.head(wire.content_type)
    for _ in range(14):
        await connection.send(wire.text("tick "), wire.keep_alive())
        await asyncio.sleep(0.1)
    await connection.send(wire.finish())


async def thinks_slowly(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    for _ in range(14):
        await connection.send(wire.thinking("hm "))
        await asyncio.sleep(0.1)
    await connection.send(wire.text(TEXT), wire.finish())


async def calls_slowly(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    for _ in range(14):
        piece = {"index": 0, "id": "c", "function": {"name": "look", "arguments": " "}}
        await connection.send(wire.raw({"choices": [{"delta": {"tool_calls": [piece]}}]}))
        await asyncio.sleep(0.1)
    await connection.send(wire.text(TEXT), wire.finish())


async def byte_by_byte(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send(*(bytes([byte]) for byte in wire.text(TEXT) + wire.finish()))


async def split_in_a_character(connection: Connection, wire: Wire) -> None:
    whole = wire.framed(
        wire.text("🌍").strip().removeprefix(b"data: ").replace(b"\\ud83c\\udf0d", "🌍".encode())
    )
    at = whole.index("🌍".encode()) + 2
    await connection.head(wire.content_type)
    await connection.send(wire.text("Hello, wörld "), whole[:at])
    await asyncio.sleep(0.02)
    await connection.send(whole[at:], wire.finish())


async def cut_in_a_character(connection: Connection, wire: Wire) -> None:
    whole = wire.text("x").replace(b'"x"', '"🌍"'.encode())
    await connection.head(wire.content_type)
    await connection.send(wire.text(TEXT), whole[: whole.index("🌍".encode()) + 2])


async def cut_in_an_event(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send(wire.text(TEXT), wire.text("lost")[:-9])


async def endless_line(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send(wire.text(TEXT), wire.text("")[:20])
    while True:
        await connection.send(b"x" * 65536)


async def endless_event(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send(wire.text(TEXT))
    while True:
        await connection.send((b"data: " + b"x" * 1000 + b"\n") * 60)


async def endless_body(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send(wire.text(TEXT))
    comment = wire.keep_alive().strip() + b" " * 60_000 + b"\n"
    while True:
        await connection.send(comment)


async def endless_document(connection: Connection, wire: Wire) -> None:
    await connection.head("text/html")
    while True:
        await connection.send(b"<p>" + b"x" * 65536)


async def endless_refusal(connection: Connection, wire: Wire) -> None:
    await connection.head("text/plain", "500 Internal Server Error")
    while True:
        await connection.send(b"x" * 65536)


async def stalled_refusal(connection: Connection, wire: Wire) -> None:
    await connection.head("text/plain", "401 Unauthorized", content_length="500")
    await connection.send(b"the beginning of")
    await connection.gone()


async def cut_refusal(connection: Connection, wire: Wire) -> None:
    await connection.head("text/plain", "403 Forbidden", content_length="500")
    await connection.send(b"the beginning of")


async def bomb(encoding: str, connection: Connection, wire: Wire) -> None:
    """300 kB that would be 300 MB when unpacked."""
    body = BOMB if encoding == "gzip" else b"\0" * 1000
    await connection.whole(body, wire.content_type, content_encoding=encoding)


BOMB = gzip.compress(b"\n" * 1_000_000, 9) * 300


async def long_headers(connection: Connection, wire: Wire) -> None:
    await connection.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await connection.send(b"x-padding: " + b"y" * 8000 + b"\r\n")


async def chunked(ending: bytes, connection: Connection, wire: Wire) -> None:
    await connection.send(f"HTTP/1.1 200 OK\r\ncontent-type: {wire.content_type}\r\n".encode())
    await connection.send(b"transfer-encoding: chunked\r\n\r\n")
    piece = wire.text(TEXT)
    await connection.send(f"{len(piece):x}\r\n".encode(), piece, b"\r\n", ending)


async def declared(length_change: int, connection: Connection, wire: Wire) -> None:
    """A length that is not the body's."""
    body = wire.text(TEXT) + wire.text("")
    await connection.head(wire.content_type, content_length=str(len(body) + length_change))
    await connection.send(body)


async def crlf(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send((wire.text(TEXT) + wire.finish()).replace(b"\n", b"\r\n"))


async def split_crlf(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    for piece in (wire.text(TEXT) + wire.finish()).replace(b"\n", b"\r\n").split(b"\r"):
        await connection.send(piece, b"\r")


async def bare_cr(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send((wire.text(TEXT) + wire.finish()).replace(b"\n", b"\r"))


async def after_the_end(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send(wire.text(TEXT) + wire.finish() + wire.text("too late") + wire.finish("length"))


async def garbage_after_the_end(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send(wire.text(TEXT) + wire.finish() + b"\xff\xfe{{{{\n\n")


async def line_separators(connection: Connection, wire: Wire) -> None:
    """U+2028 and U+0085 are line ends to Python's `splitlines`, and to ollama's client, but not in JSON."""
    piece = wire.text("x").replace(b'"x"', '"a\u2028b\u0085c"'.encode())
    await connection.head(wire.content_type)
    await connection.send(piece, wire.finish())


async def no_end_of_line(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send((wire.text(TEXT) + wire.finish()).rstrip(b"\n"))


async def byte_order_mark(connection: Connection, wire: Wire) -> None:
    await connection.head(wire.content_type)
    await connection.send(b"\xef\xbb", b"\xbf" + wire.text(TEXT), wire.finish())


async def untyped(connection: Connection, wire: Wire) -> None:
    await connection.head("")
    await connection.send(wire.text(TEXT), wire.finish())


async def early_hints(connection: Connection, wire: Wire) -> None:
    await connection.send(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n")
    await good(connection, wire)


async def echo_in_header(connection: Connection, wire: Wire) -> None:
    key = connection.asked.headers.get("authorization", "")
    await connection.whole(
        b"{}", "application/json", "429 Too Many", retry_after="3600", x_error=key, location=key
    )


async def echo_in_location(connection: Connection, wire: Wire) -> None:
    key = connection.asked.headers.get("authorization", "")
    await connection.whole(b"", "text/plain", "302 Found", location=f"https://{key}@elsewhere.invalid/{key}")


async def echo_in_body(connection: Connection, wire: Wire) -> None:
    key = connection.asked.headers.get("authorization", "").removeprefix("Bearer ")
    said = f"Incorrect API key provided: {key[:14]}***{key[-4:]}. All headers: Authorization: Bearer {key}"
    await connection.whole(json.dumps({"error": {"message": said}}).encode(), "application/json", "401 No")


async def echo_in_page(connection: Connection, wire: Wire) -> None:
    key = connection.asked.headers.get("authorization", "")
    hidden = "\u200b".join(key)
    await connection.whole(f"You sent \u202e{key} {hidden}".encode(), "text/plain", "400 Bad Request")


async def echo_in_event(connection: Connection, wire: Wire) -> None:
    key = connection.asked.headers.get("authorization", "")
    await connection.head(wire.content_type)
    await connection.send(wire.text(TEXT), wire.raw({"error": f"you are {key}"}))


async def echo_in_garbage(connection: Connection, wire: Wire) -> None:
    key = connection.asked.headers.get("authorization", "")
    await connection.head(wire.content_type)
    await connection.send(wire.text(TEXT), wire.framed(f"{{{key}".encode()))


async def error_then_good(connection: Connection, wire: Wire) -> None:
    if connection.number == 1:
        await connection.head(wire.content_type)
        await connection.send(wire.raw({"error": {"message": "busy", "type": "overloaded_error"}}))
    else:
        await good(connection, wire)
