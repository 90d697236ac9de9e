"""Rewrites an answer while it passes, event by event, so that placeholders in its calls become what they stand for."""

from __future__ import annotations

from typing import Protocol

import h11

from workbench.net.watch.copies import MOST_DECODED, StreamDecoder

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
