"""Fetches one page: a host name is resolved once and exactly that address is connected to; so is each redirect."""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import http.client
import re
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import unquote

from workbench.domain.errors import InvalidInput
from workbench.domain.files.attached import Attached, CannotAttach, FetchedPage
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import AS_FOUND, Document, Reading
from workbench.domain.files.document_parts import find_section, part_text
from workbench.domain.files.pictures import picture_in
from workbench.domain.translation import tr
from workbench.net.connections import Connections, Open
from workbench.net.rules import NotSent
from workbench.net.rules import Target as Place
from workbench.sources.extract.kinds import binary_kind, text_kind
from workbench.sources.extract.refusal import Unreadable
from workbench.sources.web.targets import (
    PORTS,
    IPAddress,
    NotFetched,
    Target,
    is_public,
    parse_target,
    resolve,
)

MOST_REDIRECTS = 5
_PIECE_BYTES = 64 * 1024
_HEADERS = {
    "User-Agent": "context-workbench/0.1",
    "Accept": "text/html,application/xhtml+xml,text/*;q=0.9,application/pdf;q=0.9,*/*;q=0.5",
    # What is packed could be a bomb, and nothing here is worth unpacking one.
    "Accept-Encoding": "identity",
    "Connection": "close",
}
_MOVED = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How many bytes are fetched, and how long that may take in total."""

    most_bytes: int = 25 * 1024 * 1024
    seconds: float = 30.0


class WebPages:
    """Fetches pages by their addresses → PageFetcher; sends no cookies and no keys.

    `may_send` raises `InvalidInput` while nothing may be sent.
    """

    def __init__(
        self,
        limits: FetchLimits | None = None,
        may_ask: Callable[[IPAddress], bool] = is_public,
        parse: Callable[[str], Target] = parse_target,
        may_send: Callable[[], None] = lambda: None,
        net: Connections | None = None,
    ) -> None:
        self._limits, self._may_ask, self._parse = limits or FetchLimits(), may_ask, parse
        self._may_send, self._net = may_send, net or Connections()

    async def fetch(self, url: str) -> FetchedPage:
        """Fetches a page; cancelling the call closes the connection."""
        try:
            self._may_send()
        except InvalidInput as problem:
            raise CannotAttach(url, tr("nothing may be sent now"), str(problem)) from None
        fetch = _Fetch(self._limits, self._may_ask, self._parse, self._net)
        try:
            return await asyncio.to_thread(fetch.fetch_in_time, url)
        except NotFetched as refusal:
            raise CannotAttach(url, refusal.reason, refusal.advice) from None
        except NotSent as problem:
            raise CannotAttach(url, tr("nothing may be sent now"), str(problem)) from None
        except asyncio.CancelledError:
            fetch.end()
            raise


class _Fetch:
    """Fetches one page in a thread."""

    def __init__(
        self,
        limits: FetchLimits,
        may_ask: Callable[[IPAddress], bool],
        parse: Callable[[str], Target],
        net: Connections,
    ) -> None:
        self._limits, self._may_ask, self._parse, self._net = limits, may_ask, parse, net
        self._until = monotonic() + limits.seconds
        self._lock, self._ended = threading.Lock(), False
        self._connection: _Pinned | None = None

    def end(self) -> None:
        """Shuts the connection down, which wakes the thread that reads from it."""
        with self._lock:
            self._ended = True
            if self._connection is not None:
                self._connection.hang_up()

    def fetch_in_time(self, url: str) -> FetchedPage:
        """Fetches a page; a timer closes the connection when the time is over."""
        # A socket's own limit begins anew with every byte, and a server may send its headers one by one.
        timer = threading.Timer(self._limits.seconds, self.end)
        timer.daemon = True
        timer.start()
        try:
            return self._run(url)
        finally:
            timer.cancel()

    def _run(self, url: str) -> FetchedPage:
        target = self._parse(url)
        for _ in range(MOST_REDIRECTS + 1):
            found = self._ask(target)
            if isinstance(found, FetchedPage):
                return found
            if target.scheme == "https" and found.scheme == "http":
                raise NotFetched(tr("it leads from a safe address to an open one"))
            target = found
        raise NotFetched(tr("it leads on more than {most_redirects} times", most_redirects=MOST_REDIRECTS))

    def _ask(self, target: Target) -> FetchedPage | Target:
        place = Place(target.scheme, target.host, target.port)
        self._net.rules.check(place)  # before its name is looked up: that would be sent, too
        address = resolve(target, self._may_ask)
        connection = _Pinned(self._net, self._net.begin(place, "page"), address, self._seconds_left())
        with self._lock:
            if self._ended:
                raise NotFetched(tr("it was stopped"))
            self._connection = connection
        try:
            connection.request("GET", target.path, headers=_HEADERS)
            self._seconds_left()
            with closing(connection.getresponse()) as answer:
                found = self._read(target, answer)
            # Headers or a page that end because somebody hung up look as if that were all of them.
            self._seconds_left()
            return found
        except (OSError, http.client.HTTPException, ValueError) as problem:
            self._seconds_left()
            raise _not_fetched(problem) from None
        finally:
            connection.close()

    def _read(self, target: Target, answer: http.client.HTTPResponse) -> FetchedPage | Target:
        if answer.status in _MOVED:
            return self._redirect_target(target, answer.getheader("Location") or "")
        if answer.status != 200:
            raise NotFetched(tr("the server answered {status}", status=answer.status))
        if (answer.getheader("Content-Encoding") or "identity").lower() != "identity":
            raise NotFetched(tr("it was sent packed, though that was not asked for"))
        pieces, size = [], 0
        while piece := self._piece(answer):
            size += len(piece)
            if size > self._limits.most_bytes:
                raise NotFetched(
                    tr("it has more than {most_bytes:,} bytes", most_bytes=self._limits.most_bytes)
                )
            pieces.append(piece)
        return FetchedPage(target.url, b"".join(pieces), (answer.getheader("Content-Type") or "").strip())

    def _piece(self, answer: http.client.HTTPResponse) -> bytes:
        if self._connection is None:
            return answer.read1(_PIECE_BYTES)
        self._connection.wait_at_most(self._seconds_left())
        return self._connection.count_received(answer.read1(_PIECE_BYTES))

    def _seconds_left(self) -> float:
        """Returns the seconds left for the whole fetch.

        `NotFetched` where there are none, however slowly bytes arrive.
        """
        left = self._until - monotonic()
        if left <= 0:
            raise NotFetched(tr("it took too long to answer"), tr("Try again later."))
        return left

    def _redirect_target(self, target: Target, location: str) -> Target:
        """Returns the target of a redirect, checked like an address that a user typed."""
        if location.startswith("//"):
            location = f"{target.scheme}:{location}"
        elif location.startswith("/"):
            return self._parse(f"{target.url[: len(target.url) - len(target.path)]}{location}")
        elif location.startswith("?"):
            return self._parse(f"{target.url.partition('?')[0]}{location}")
        elif "://" not in location:
            base = target.path.partition("?")[0].rpartition("/")[0]
            start = target.url[: len(target.url) - len(target.path)]
            return self._parse(f"{start}{base}/{location}")
        return self._parse(location)


def _not_fetched(problem: OSError | http.client.HTTPException | ValueError) -> NotFetched:
    if isinstance(problem, ssl.SSLError):
        return NotFetched(tr("its certificate is not in order"))
    if isinstance(problem, TimeoutError):
        return NotFetched(tr("it took too long to answer"), tr("Try again later."))
    return NotFetched(tr("it could not be reached, or did not answer as a page does"))


class _Pinned(http.client.HTTPConnection):
    """A connection to one resolved address under the host name asked for; the name is not resolved again."""

    def __init__(self, net: Connections, begun: Open, address: IPAddress, seconds: float) -> None:
        self.default_port = PORTS[begun.target.scheme]
        super().__init__(begun.target.host, begun.target.port, timeout=seconds)
        self._net, self._begun, self._address, self._seconds = net, begun, address, seconds
        # An answer that ends with its connection takes the socket over: here it can still be reached.
        self._held: socket.socket | None = None

    def connect(self) -> None:
        """Connects to the address; for https, checks the certificate against the host name."""
        self.sock = self._held = self._net.connect(self._begun, str(self._address), self._seconds)
        if self._begun.target.scheme == "https":
            name = self._begun.target.host
            self.sock = self._held = self._net.trust().wrap_socket(self.sock, server_hostname=name)

    def send(self, data: Any) -> None:
        """Sends bytes and counts them."""
        super().send(data)
        self._begun.sent_bytes += len(data)

    def count_received(self, piece: bytes) -> bytes:
        """Counts bytes that were read."""
        self._begun.received_bytes += len(piece)
        return piece

    def close(self) -> None:
        """Closes the connection and its socket, whichever object holds it now."""
        super().close()
        if self._held is not None:
            self._held.close()

    def wait_at_most(self, seconds: float) -> None:
        """Limits how long the next read may take; a complete answer has closed the socket (from Python 3.13 on)."""
        if self._held is not None and self._held.fileno() >= 0:
            self._held.settimeout(seconds)

    def hang_up(self) -> None:
        """Shuts the socket down, which wakes a reading thread; closing it would not."""
        if self._held is not None:
            with suppress(OSError):
                self._held.shutdown(socket.SHUT_RDWR)


# What a page becomes when it is attached: its readable text, or the part of it that its address names.


_PAGES = ("text/html", "application/xhtml+xml")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE | re.ASCII)


def page_name(url: str) -> str:
    """Returns a file name for a page; its extension is a hint where its content says nothing."""
    path = unquote(url.partition("://")[2].partition("?")[0])
    return path.rstrip("/").rpartition("/")[2] or "page"


def reading_by_content_type(page: FetchedPage) -> Reading:
    """Returns how to read a page by its server's Content-Type, where its content alone would be read differently."""
    said = page.media_type.partition(";")[0].strip().lower()
    if not said.startswith("text/") and said not in _PAGES:
        return AS_FOUND
    try:
        if binary_kind(page.content) is not None:
            return AS_FOUND
    except Unreadable:
        return AS_FOUND
    encoding = _encoding(page)
    found = text_kind(page_name(page.url), page.content.decode(encoding or "utf-8", "replace"))
    if said in _PAGES and found != "html":
        return Reading("html", encoding)
    # Other plain text may still be code, a table or a notebook: a server has no word for those.
    return Reading("text" if said == "text/plain" and found == "html" else "", encoding)


def _encoding(page: FetchedPage) -> str:
    """Returns the encoding that the server names; empty for UTF-8, or where it is wrong."""
    found = _CHARSET.search(page.media_type)
    try:
        name = "" if found is None else codecs.lookup(found[1]).name
        page.content.decode(name or "utf-8")
    except (LookupError, ValueError):
        return ""
    return "" if found is None or name == "utf-8" else found[1]


def attached_page(url: str, page: FetchedPage, document: Document) -> Attached:
    """Returns a page as an attachment under the address given; an unknown fragment means the whole page."""
    anchor = unquote(url.partition("#")[2])
    part = find_section(document, anchor) if anchor else None
    text = document.text if part is None else part_text(document, part)
    picture = picture_in(page.content) if document.read_as.kind == "image" else None
    artifact = Artifact(url, "url" if picture is None else "image", text, unread=document.read_as.unread)
    digest = hashlib.sha256(page.content).hexdigest()
    return Attached(artifact, page.content, digest, "", picture, read_as=document.read_as, document=document)
