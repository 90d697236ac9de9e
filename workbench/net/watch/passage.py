"""Passes one request to the server and its answer back, both at once and no faster than they are read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import h11

from workbench.net.connections import Connections
from workbench.net.rules import Target
from workbench.net.streams import Stream, open_stream
from workbench.net.watch.copies import MOST_DECODED, Passing, StreamDecoder

# Follows HTTP messages that pass by: where a body lies and where it ends. The bytes themselves go on untouched.


LONGEST_HEAD = 256 * 1024
REFUSALS = frozenset({400, 413, 422})
"""What a server says of a request that it cannot take; never what it says of a key, of rights, or of haste."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a piece of a message contained: body bytes, and how many of its bytes belong to the message."""

    body: bytes
    used: int


class Framing:
    """Follows one HTTP message piece by piece.

    Where it cannot be parsed it is `lost`, and lasts until the connection ends.
    """

    def __init__(self, parser: h11.Connection) -> None:
        self._parser = parser
        self.head: Any = None
        self.over = False
        self.lost = False
        self._left: int | None = None
        self._behind = b""

    def see(self, piece: bytes) -> Seen:
        """Processes the next piece; an empty one is the end of the connection."""
        if self._left is not None and not self.over:
            return self._counted(piece, self._left)
        if self.lost:
            return Seen(b"", len(piece))
        try:
            self._parser.receive_data(piece)
            body = self._events()
        except h11.ProtocolError:
            self.lost = True
            return Seen(b"", len(piece))
        return Seen(body, len(piece) - (len(self.behind) if self.over else 0))

    def _counted(self, piece: bytes, left: int) -> Seen:
        """Counts a piece of a body whose length is known, without copying it."""
        if not piece:
            self.lost, self._left = True, None
            return Seen(b"", 0)
        taken = min(len(piece), left)
        self._left, self.over = left - taken, taken == left
        body = piece if taken == len(piece) else piece[:taken]
        self._behind = piece[taken:]
        return Seen(body, taken)

    @property
    def behind(self) -> bytes:
        """Bytes that arrived but do not belong to this message; they are the next one's once this is over."""
        data: bytes = self._parser.trailing_data[0] if self._left is None else self._behind
        return data

    def _events(self) -> bytes:
        body = self._parsed()
        if self.head is not None and not self.over and self._left is None:
            given = dict(self.head.headers)
            if b"transfer-encoding" not in given and b"content-length" in given:
                self._left = int(given[b"content-length"]) - len(body)
        return body

    def _parsed(self) -> bytes:
        found = []
        while not self.over:
            event = self._parser.next_event()
            if isinstance(event, h11.Data):
                found.append(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self.over = True
            elif isinstance(event, h11.Response):
                self.head = event
            elif not isinstance(event, h11.InformationalResponse):
                break
        return b"".join(found)


class RequestFraming(Framing):
    """Follows a request; its head is parsed first, since it is rewritten before it is passed on."""

    def __init__(self) -> None:
        super().__init__(h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD))

    def begin(self, piece: bytes) -> bool:
        """Processes a piece of the head; returns whether it is complete. `h11.ProtocolError` where it is malformed."""
        self._parser.receive_data(piece)
        event = self._parser.next_event()
        if isinstance(event, h11.Request):
            self.head = event
        return self.head is not None

    def body_with_head(self) -> tuple[bytes, Seen]:
        """Returns the part of the body that came with the head: as raw bytes, and as parsed."""
        raw = self.behind
        try:
            body = self._events()
        except h11.ProtocolError:
            self.lost = True
            return raw, Seen(b"", len(raw))
        return raw, Seen(body, len(raw) - (len(self.behind) if self.over else 0))


def answer_framing(method: bytes) -> Framing:
    """Follows the answer to a request of this method, on which the end of the answer depends."""
    parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=LONGEST_HEAD)
    parser.send(h11.Request(method=method, target=b"/", headers=[(b"host", b"any")]))
    parser.send(h11.EndOfMessage())
    return Framing(parser)


# Between a client and us these mean nothing to the server behind us; the rest goes on as it came.
_OURS = frozenset({b"proxy-connection", b"proxy-authorization", b"upgrade", b"http2-settings"})


@dataclass(slots=True)
class RequestHead:
    """A request whose head was parsed; header names are in lower case."""

    framing: RequestFraming
    method: str
    target: str
    headers: dict[str, str]

    def head_for(self, target: Target, path: str, length: int | None = None) -> bytes:
        """Returns the head to send: another host and path, everything else in its order and case.

        `length` is that of another body, which is not compressed.
        """
        head = self.framing.head
        lines = [b"%b %b HTTP/%b" % (head.method, path.encode("latin-1"), head.http_version)]
        ours = {*_OURS, b"content-length"} if "transfer-encoding" in self.headers else _OURS
        if length is not None:
            ours = {*_OURS, b"transfer-encoding", b"content-encoding", b"content-length"}
        changed = {b"host": lambda _: host_of(target).encode("ascii"), b"connection": _without_upgrade}
        for name, value in head.headers.raw_items():
            passed_on = changed.get(name.lower(), bytes)(value)
            if name.lower() not in ours and (passed_on or not value):
                lines.append(b"%b: %b" % (name, passed_on))
        if length is not None:
            lines.append(b"Content-Length: %d" % length)
        return b"\r\n".join([*lines, b"", b""])


async def read_request_head(client: Stream, behind: bytes) -> RequestHead | None:
    """Reads the next request up to the end of its head; None where there is none.

    `h11.ProtocolError` if it is malformed.
    """
    framing = RequestFraming()
    whole = bool(behind) and framing.begin(behind)
    while not whole:
        piece = await client.read()
        if not piece:
            return None
        whole = framing.begin(piece)
    head = framing.head
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
    return RequestHead(framing, head.method.decode("ascii"), head.target.decode("latin-1"), headers)


def host_of(target: Target) -> str:
    """Returns a Host header, with the port only where it is not the usual one."""
    usual = {"http": 80, "https": 443}[target.scheme] == target.port
    return target.shown.removesuffix(f":{target.port}") if usual else target.shown


class Link:
    """A client's connection and the one to the server behind it, which end together."""

    def __init__(self, client: Stream) -> None:
        self.client = client
        self._server: Stream | None = None
        self._target: Target | None = None

    async def server_for(self, target: Target, net: Connections) -> Stream:
        """Returns the connection to a server, reusing that of the previous request where it is the same."""
        if self._server is None or self._target != target or self._server.gone:
            self.drop_server()
            self._server, self._target = await open_stream(net, target, "watched program"), target
        self._server.when_gone(None)
        return self._server

    def between_requests(self) -> None:
        """Between two requests, makes the server's closing visible to the client at once."""
        if self._server is not None:
            self.client.when_gone(None)
            self._server.when_gone(self.client.close)

    def end(self) -> None:
        """Closes both connections."""
        self.drop_server()
        self.client.when_gone(None)
        self.client.close()

    def drop_server(self) -> None:
        """Closes the connection to the server; the next request opens another."""
        if self._server is not None:
            self._server.when_gone(None)
            self._server.abort()
            self._server = None


class Passage:
    """Passes one request and its answer between a client and a server.

    Attributes:
        refusable: nothing of a refusal is passed on, since the request will be sent again without changes.
        refused: it was one; the connection to the server is of no more use.
        restore: rewrites the answer, given its head, where something of it is to be put back.
    """

    def __init__(self, client: Stream, server: Stream, asked: RequestHead, passed: Passing) -> None:
        self._client, self._server, self._asked, self._passed = client, server, asked, passed
        self._answer = answer_framing(asked.framing.head.method)
        self._broken = self._whole = False
        self.refusable = self.refused = False
        self.restore: Callable[[h11.Response], Rewriter | None] = lambda _head: None
        self._rewriter: Rewriter | None = None
        self._waiting = b""

    async def run(self, head: bytes, begun: float, body: bytes | None = None) -> bool:
        """Passes everything both ways; returns whether the connections can serve another request.

        `body` is that of the request, where it was read already.
        """
        self._client.when_gone(self._on_client_gone)
        if body is None:
            raw, seen = self._asked.framing.body_with_head()
            self._passed.request.add(seen.body)
            body = raw[: seen.used]
        sent = await self._send(head + body)
        if self._asked.framing.over:
            self._on_asked()
        async with asyncio.TaskGroup() as both:
            if sent and not self._asked.framing.over:
                both.create_task(self._pass_request(), name="watch: request")
            await self._pass_answer(begun)
        return not self.refused and await self._finish()

    async def _send(self, piece: bytes) -> bool:
        """Sends a piece to the server; returns whether that worked. It may have answered even if not."""
        try:
            await self._server.write(piece)
        except OSError:
            return False
        return True

    async def _pass_request(self) -> None:
        """Passes the rest of the request's body as it arrives."""
        framing = self._asked.framing
        while not framing.over:
            try:
                piece = await self._client.read()
            except OSError:
                piece = b""
            if not piece:
                self._whole = True
                self._on_client_gone()
                return
            seen = framing.see(piece)
            self._passed.request.add(seen.body)
            if not await self._send(piece[: seen.used]):
                return
        self._on_asked()

    def _on_asked(self) -> None:
        """Reports that the whole request has passed."""
        self._whole = True
        if not self.refusable:  # else once it is known which body the server took
            self._passed.tell_asked()
        if self._client.gone:
            self._on_client_gone()

    def _on_client_gone(self) -> None:
        """Passes on that the client sends no more: it may still wait for its answer."""
        if self._client.broke:
            self._server.abort()
        elif self._whole:
            self._end_sending()

    def _end_sending(self) -> None:
        # An encrypted connection knows no such end: who has left is more frequent than who says no more.
        if not self._server.end_sending():
            self._server.abort()

    async def _pass_answer(self, begun: float) -> None:
        answer = self._answer
        while not answer.over:
            try:
                piece = await self._server.read()
            except OSError:
                self._broken = True
                break
            seen = answer.see(piece)
            if self._passed.status is None and answer.head is not None:
                self._note_head(begun)
                if self.refused:
                    return
            self._passed.answer.add(seen.body)
            more = await self._tell(piece, seen)
            if self._whole and not (self.refusable or self._passed.told):
                self._on_asked()  # only now: looking at it would keep the first byte waiting
            if not more:
                break
            self._passed.grew(self._passed)
        if not self._asked.framing.over:
            # It was answered early: whoever closes first decides whether the rest of the body is still wanted.
            self._server.when_gone(self._client.close)

    async def _tell(self, piece: bytes, seen: Seen) -> bool:
        """Passes a piece of the answer on; returns whether more is to come. An empty one is the end."""
        answer = self._answer
        if self.refusable and piece and answer.head is None and not answer.lost:
            self._waiting += piece
            return True
        # Also what follows the end: the client is to see the same as without us.
        told, self._waiting = self._waiting + piece, b""
        self._broken |= seen.used < len(piece)
        if self._rewriter is not None:
            told = self._rewriter.take(seen.body, over=answer.over)
            self._broken |= self._rewriter.failed
        try:
            if told:
                await self._client.write(told)
        except OSError:
            return False
        return bool(piece) and not (self._rewriter is not None and self._rewriter.failed)

    def _note_head(self, begun: float) -> None:
        head: h11.Response = self._answer.head
        if self.refusable and head.status_code in REFUSALS:
            self.refused = True
            return
        self.refusable = False
        self._rewriter = self.restore(head)
        self._passed.status = head.status_code
        self._passed.first_byte_ms = (asyncio.get_running_loop().time() - begun) * 1000
        encodings = [value.decode("latin-1") for name, value in head.headers if name == b"content-encoding"]
        self._passed.answer_encoding = ",".join(encodings)

    async def _finish(self) -> bool:
        """Records how it ended, and lets the client see the same end."""
        if self._answer.over and not self._broken and self._asked.framing.over:
            return not self._server.gone
        if not self._answer.over:
            self._passed.ending = "client_left" if self._client.gone else "cut"
        if self._broken and not self._client.gone:
            await self._client.break_off()
        return False


def _without_upgrade(value: bytes) -> bytes:
    """Returns the Connection header without upgrade options, which are not passed on."""
    kept = [
        one.strip()
        for one in value.split(b",")
        if one.strip().lower() not in (b"upgrade", b"http2-settings", b"")
    ]
    return b", ".join(kept)


# Rewrites an answer while it passes, event by event: placeholders in its calls become what they stand for.


_FRAMING = frozenset({b"content-length", b"transfer-encoding", b"content-encoding"})
_STREAMED = (b"text/event-stream", b"application/x-ndjson", b"application/jsonl")
_REFUSED = 400


class Restores(Protocol):
    """Puts something back in an answer: in a whole one, or in the events of a stream."""

    def whole(self, body: bytes) -> bytes: ...

    def event(self, text: str) -> str: ...

    def rest(self) -> str: ...


class Rewriter:
    """An answer on its way: its head with other framing, and its body uncompressed."""

    def __init__(self, restores: Restores, head: h11.Response) -> None:
        given = dict(head.headers)
        kind = given.get(b"content-type", b"").partition(b";")[0].strip().lower()
        self._restores, self._head = restores, head
        self._streamed, self._lines = kind in _STREAMED, b"json" in kind
        self._decoder = StreamDecoder(given.get(b"content-encoding", b"").decode("latin-1"), MOST_DECODED)
        self._waiting, self._begun = b"", False

    @property
    def failed(self) -> bool:
        """Whether the answer could not be uncompressed; nothing more of it can be passed on."""
        return self._decoder.failed

    def take(self, body: bytes, *, over: bool) -> bytes:
        """What to send for the next bytes of the body; `over`: they are the last."""
        self._waiting += self._decoder.add(body)
        if not self._streamed:
            if not over:
                return b""
            whole = self._restores.whole(self._waiting)
            return self._head_with(b"Content-Length: %d" % len(whole)) + whole
        told = b"" if self._begun else self._head_with(b"Transfer-Encoding: chunked")
        self._begun = True
        said = "".join(map(self._restores.event, self._events()))
        if over:
            left, self._waiting = self._waiting.decode("utf-8", "surrogateescape"), b""
            said += (self._restores.event(left) if left else "") + self._restores.rest()
        piece = said.encode("utf-8", "surrogateescape")
        told += b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b""
        return told + (b"0\r\n\r\n" if over else b"")

    def _events(self) -> list[str]:
        """The events that have arrived whole, with the blank line that ends each."""
        found = []
        ends = (b"\n",) if self._lines else (b"\n\n", b"\r\n\r\n")
        while places := [place + len(end) for end in ends if (place := self._waiting.find(end)) >= 0]:
            end = min(places)
            found.append(self._waiting[:end].decode("utf-8", "surrogateescape"))
            self._waiting = self._waiting[end:]
        return found

    def _head_with(self, framing: bytes) -> bytes:
        head = self._head
        lines = [b"HTTP/1.1 %d %b" % (head.status_code, head.reason)]
        lines += [b"%b: %b" % one for one in head.headers.raw_items() if one[0].lower() not in _FRAMING]
        return b"\r\n".join([*lines, framing, b"", b""])


def rewriter_of(restores: Restores, head: h11.Response) -> Rewriter | None:
    """What rewrites an answer; None for an error, or one that nobody can uncompress."""
    made = Rewriter(restores, head)
    return None if head.status_code >= _REFUSED or made.failed else made
