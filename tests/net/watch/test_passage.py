"""Bytes in are bytes out, both ways, however a message is framed, compressed or cut into pieces."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import brotli
import h11
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.loop import in_loop
from tests.fakes.raw_server import RawServer as Server
from tests.fakes.raw_server import Reader, Writer, answering, serving
from tests.fakes.watch_stage import Watched, as_chunks
from workbench.net.rules import Target
from workbench.net.watch.passage import LONGEST_HEAD, RequestFraming, Seen, answer_framing, host_of

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "": bytes,
}
NAMES = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-", min_size=1, max_size=12).map(
    "X-{}".format
)
VALUES = st.text("abc XYZ;,=/\"'()é", max_size=20).map(str.strip)
BODIES = st.one_of(st.binary(max_size=2000), st.binary(min_size=1, max_size=20).map(lambda one: one * 9000))


@st.composite
def messages(draw: st.DrawFn) -> tuple[list[str], bytes, bytes]:
    """Headers, the body as it is on the wire, and as it is without chunks and compression."""
    plain, name = draw(BODIES), draw(st.sampled_from(sorted(ENCODERS)))
    body = ENCODERS[name](plain)
    headers = [f"{one}: {draw(VALUES)}" for one in draw(st.lists(NAMES, max_size=4, unique_by=str.lower))]
    if name:
        headers.append(f"Content-Encoding: {name}")
    if draw(st.booleans()):
        cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=5)))
        pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
        return (
            [*headers, "Transfer-Encoding: chunked"],
            as_chunks(pieces, draw(st.sampled_from([b"", b"X-T: 1\r\n"]))),
            plain,
        )
    headers.insert(draw(st.integers(0, len(headers))), f"content-length: {len(body)}")
    return headers, body, plain


def in_pieces(data: st.DataObject, raw: bytes) -> list[bytes]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    return [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True) if a < b]


async def asleep(_reader: Reader, _writer: Writer) -> None:
    """Nothing yet."""


@given(st.data())
def test_whatever_passes_is_the_same_at_both_ends(data: st.DataObject):
    headers, body, plain = data.draw(messages())
    told, answer, shown = data.draw(messages())
    back = "\r\n".join(["HTTP/1.1 200 Fine  by me", *told, "", ""]).encode("latin-1") + answer

    async def run() -> None:
        async with Server(asleep) as server, Watched(server.url) as watched:
            sent = watched.head("POST /v1/messages?x=1", *headers) + body
            wanted = sent.replace(b"127.0.0.1:%d" % watched.port, b"127.0.0.1:%d" % server.port, 1)
            server.act, taken = answering(*in_pieces(data, back), after=len(wanted))
            got = await watched.talk(*in_pieces(data, sent))
            (exchange,) = await watched.exchanges(1)
            assert taken == [wanted]
            assert got == back
            assert (exchange.request, exchange.answer) == (plain, shown)
            assert exchange.ending == "complete"

    asyncio.run(run())


@given(st.data())
def test_wherever_an_answer_breaks_off_the_client_gets_as_much(data: st.DataObject):
    told, answer, _ = data.draw(messages())
    whole = "\r\n".join(["HTTP/1.1 200 OK", *told, "", ""]).encode("latin-1") + answer
    back = whole[: data.draw(st.integers(0, len(whole) - 1))]

    async def run() -> None:
        act, _ = answering(*in_pieces(data, back), after=10)
        async with Server(act) as server, Watched(server.url) as watched:
            assert await watched.talk(watched.post(b"{}")) == back
            (exchange,) = await watched.exchanges(1)
            # Only the bytes of an empty body may all be there already.
            assert exchange.ending == "cut" or not answer

    asyncio.run(run())


@in_loop
async def test_a_body_that_ends_with_the_connection():
    back = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\ndata: 2\n\n"
    act, _ = answering(back[:60], back[60:], after=10)
    async with Server(act) as server, Watched(server.url) as watched:
        assert await watched.talk(watched.post(b"{}")) == back
        (exchange,) = await watched.exchanges(1)
        assert (exchange.answer, exchange.ending) == (b"data: 1\n\ndata: 2\n\n", "complete")


@pytest.mark.parametrize(
    ("line", "back"),
    [
        ("HEAD /v1/models", b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"),
        ("GET /v1/models", b"HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET /v1/models", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"),
        ("GET /v1/models", b"HTTP/1.1 307 Elsewhere\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n"),
        ("GET /v1/models", b"HTTP/1.1 529 Overloaded\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<a/>"),
        ("GET /v1/models", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"),
    ],
    ids=["head", "204", "304", "redirect", "529", "1xx"],
)  # fmt: skip
@in_loop
async def test_two_answers_on_one_connection(line: str, back: bytes):
    """The end of each must be found without a body, or the second request would never be read."""
    act, seen = serving(back)
    async with Server(act) as server, Watched(server.url) as watched:
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        for _ in range(2):
            writer.write(watched.head(line))
            assert await reader.readexactly(len(back)) == back
        writer.close()
        assert [one.status for one in await watched.exchanges(2)] == [
            int(back.split(b"HTTP/1.1 ")[-1][:3])
        ] * 2
    assert len(seen) == 2


@in_loop
async def test_the_body_waits_until_it_is_asked_for():
    """`Expect: 100-continue`: neither end may wait for the other for ever."""

    async def act(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert await reader.readexactly(2) == b"{}"
        writer.write(OK)

    async with Server(act) as server, Watched(server.url) as watched:
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        writer.write(watched.head("POST /v1/messages", "Expect: 100-continue", "Content-Length: 2"))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"{}")
        assert await reader.readexactly(len(OK)) == OK
        writer.close()


@in_loop
async def test_an_answer_that_comes_before_the_body_is_there():
    refused = b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    act, _ = answering(refused, after=10)
    async with Server(act) as server, Watched(server.url) as watched:
        assert (
            await watched.talk(watched.head("POST /v1/messages", "Content-Length: 9000"), b"x" * 10)
            == refused
        )
        (exchange,) = await watched.exchanges(1)
        assert exchange.status == 413


@in_loop
async def test_a_piece_is_passed_on_before_the_next_one_exists():
    """An answer that is held back until more comes is no stream."""
    heard = asyncio.Event()

    async def act(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na")
        await heard.wait()
        writer.write(b"\r\n0\r\n\r\n")

    async with Server(act) as server, Watched(server.url) as watched:
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        writer.write(watched.head("GET /v1/models"))
        assert (await reader.readuntil(b"1\r\na")).startswith(b"HTTP/1.1 200 OK")
        heard.set()
        assert await reader.readexactly(7) == b"\r\n0\r\n\r\n"
        writer.close()


@in_loop
async def test_requests_that_are_sent_ahead_are_answered_in_turn():
    act, seen = serving(OK)
    async with Server(act) as server, Watched(server.url) as watched:
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        writer.write(watched.post(b"{1}") + watched.post(b"{2}") + watched.post(b"{3}"))
        assert await reader.readexactly(3 * len(OK)) == 3 * OK
        writer.close()
    assert [body for _, body in seen] == [b"{1}", b"{2}", b"{3}"]


@in_loop
async def test_what_belongs_to_one_connection_only_is_not_passed_on():
    act, seen = serving(OK)
    async with Server(act) as server, Watched(server.url) as watched:
        sent = watched.head(
            "GET /v1/models", "Connection: Upgrade, HTTP2-Settings, keep-alive", "Upgrade: h2c",
            "HTTP2-Settings: AAMA", "Proxy-Authorization: Basic xyz", "TE: trailers", "x-Own: 1",
        )  # fmt: skip
        reader, writer = await asyncio.open_connection("127.0.0.1", watched.port)
        writer.write(sent)
        await reader.readexactly(len(OK))
        writer.close()
    lines = seen[0][0].split(b"\r\n")
    assert lines[2:-2] == [b"Connection: keep-alive", b"TE: trailers", b"x-Own: 1"]


@in_loop
async def test_of_two_lengths_only_the_one_that_counts_is_passed_on():
    """Two servers that disagree about where a request ends can be made to take a body for a request."""
    act, taken = answering(OK, after=1)
    async with Server(act) as server, Watched(server.url) as watched:
        sent = watched.head("POST /v1/messages", "Content-Length: 3", "Transfer-Encoding: chunked")
        server.act, taken = answering(OK, after=len(sent) - len("Content-Length: 3\r\n") + 5)
        await watched.talk(sent + b"0\r\n\r\n")
    assert b"content-length" not in taken[0].lower()


def test_a_host_is_named_with_its_port_only_where_it_must_be():
    assert host_of(Target("https", "api.example", 443)) == "api.example"
    assert host_of(Target("http", "::1", 8080)) == "[::1]:8080"


async def half_closed(port: int, request: bytes, cut: int) -> bytes:
    """What a client gets that closes its sending side with, or within, its request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request[:cut])
    writer.write_eof()
    got = await reader.read()
    writer.close()
    return got


@in_loop
@pytest.mark.parametrize("missing", [0, 5], ids=["after its request", "within its body"])
async def test_a_client_that_closes_its_sending_side_gets_its_answer_as_without_us(missing: int):
    ended: list[bytes] = []

    async def act(reader: Reader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        ended.append(await reader.read())  # to the end of what the client says
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")
        await writer.drain()

    async with Server(act) as server, Watched(server.url) as watched:
        request = watched.post(b'{"a": 1}')
        direct = await half_closed(server.port, request, len(request) - missing)
        assert await half_closed(watched.port, request, len(request) - missing) == direct
        assert direct.endswith(b"late")
        assert ended[0] == ended[1]
        (exchange,) = await watched.exchanges(1)
    assert (exchange.ending, exchange.answer) == ("complete", b"late")


# Where messages begin and end in a stream of bytes.


def test_a_request_byte_by_byte_and_what_follows_it():
    framing = RequestFraming()
    head, body = (
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"2;a=b\r\nhi\r\n0\r\n\r\n",
    )
    assert [framing.begin(bytes([one])) for one in head] == [False] * (len(head) - 1) + [True]
    assert framing.body_with_head() == (b"", Seen(b"", 0))
    seen = [framing.see(bytes([one])) for one in body[:-1]]
    assert b"".join(one.body for one in seen) == b"hi"
    last = framing.see(body[-1:] + b"GET")
    assert (framing.over, last.used, framing.behind) == (True, 1, b"GET")


def test_what_came_with_the_head():
    framing = RequestFraming()
    assert framing.begin(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhiGET / ")
    raw, seen = framing.body_with_head()
    assert (raw, seen.body, seen.used, framing.behind) == (b"hiGET / ", b"hi", 2, b"GET / ")


def test_a_body_that_is_none_goes_on_as_it_came():
    framing = RequestFraming()
    assert framing.begin(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
    raw, seen = framing.body_with_head()
    assert (framing.lost, seen.used) == (True, len(raw))
    assert framing.see(b"more").used == 4


def test_a_head_without_end_is_refused():
    with pytest.raises(h11.ProtocolError):
        RequestFraming().begin(b"GET / HTTP/1.1\r\nX: " + b"x" * (LONGEST_HEAD + 1))


def test_an_answer_without_a_length_ends_with_the_connection():
    framing = answer_framing(b"GET")
    assert framing.see(b"HTTP/1.1 200 OK\r\n\r\nall").body == b"all"
    assert not framing.over
    framing.see(b"")
    assert framing.over


def test_an_answer_that_stops_short_is_not_over():
    framing = answer_framing(b"GET")
    framing.see(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nall")
    framing.see(b"")
    assert (framing.over, framing.lost) == (False, True)


def test_a_body_of_known_length_is_counted_and_not_copied():
    """An answer of fifty megabytes was copied three times on its way."""
    framing = answer_framing(b"POST")
    first = framing.see(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
    assert (first.body, framing.over) == (b"ab", False)
    piece = b"cdefg"
    assert framing.see(piece).body is piece
    last = framing.see(b"hijNEXT")
    assert (last.body, last.used, framing.over, framing.behind) == (b"hij", 3, True, b"NEXT")


def test_a_body_that_ends_too_early_is_lost():
    framing = answer_framing(b"POST")
    framing.see(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
    assert framing.see(b"").body == b""
    assert (framing.over, framing.lost) == (False, True)
