"""The watch's proxy: sends every request to its API's address, and returns the answer unchanged."""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlsplit, urlunsplit

import h11

from workbench.domain.translation import tr
from workbench.domain.watch.exchange import (
    OWN_WORDS,
    Exchange,
    VendorError,
    WatchedFormat,
    over_cap,
    refused_by_person,
)
from workbench.domain.watch.routes import Routes, Way
from workbench.domain.watch.rules import Changed, Decision
from workbench.net.connections import Connections
from workbench.net.rules import NotSent, Target, target_of
from workbench.net.streams import LOOPBACK, Stream, listen
from workbench.net.watch.copies import (
    MOST_ANSWER,
    MOST_DECODED,
    MOST_REQUEST,
    Copy,
    CopyBudget,
    Passing,
    TooLarge,
    Undecodable,
    decode_body,
)
from workbench.net.watch.passage import Link, Passage, RequestHead, Restores, read_request_head, rewriter_of

# What of a request's head may be kept: who asked, in which session, with which switches; never a key.


_KEPT = frozenset({
    "user-agent", "x-app", "originator", "x-title",
    "x-claude-code-session-id", "x-claude-code-agent-id", "session_id", "session-id", "x-session-id", "conversation_id",
    "x-conversation-id", "thread_id", "thread-id", "x-codex-turn-metadata", "x-codex-window-id",
    "x-codex-parent-thread-id", "x-openai-subagent", "x-client-request-id", "x-parent-session-id", "x-session-affinity",
    "anthropic-version", "anthropic-beta", "openai-beta", "x-stainless-lang", "x-stainless-package-version",
    "x-stainless-retry-count", "x-goog-api-client", "content-type", "content-encoding",
})  # fmt: skip
_PLAIN_QUERY = frozenset({
    "alt", "api-version", "after", "before", "beta", "include", "limit", "order", "pagesize", "stream", "timeout",
})  # fmt: skip
_LONGEST = 1000
HIDDEN = "…"
_LARGE = 256 * 1024
"""Larger bodies are changed in a thread, so that other requests do not wait for them."""
_REFUSED = 400
_SIGNED = frozenset({"digest", "content-digest", "content-md5", "x-amz-content-sha256"})
"""Headers that would no longer be true of a changed body."""


def kept_headers(headers: Iterable[tuple[bytes, bytes]]) -> tuple[tuple[str, str], ...]:
    """Returns the headers that may be stored, with names in lower case."""
    return tuple(
        (name, value.decode("utf-8", "replace")[:_LONGEST])
        for raw, value in headers
        if (name := raw.decode("latin-1").lower()) in _KEPT
    )


def kept_path(path: str) -> str:
    """Returns a path whose query hides all values but those that cannot be secret."""
    plain, mark, query = path.partition("?")
    shown = "&".join(_parameter(one) for one in query.split("&")) if query else ""
    return f"{plain}{mark}{shown}"[: 2 * _LONGEST]


def kept_address(url: str) -> str:
    """Returns an address without user name, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))[: 2 * _LONGEST]


def _parameter(text: str) -> str:
    name, equals, _ = text.partition("=")
    if name.lower() in _PLAIN_QUERY:
        return text
    return f"{name}={HIDDEN}" if equals else HIDDEN


# Who may use the proxy: programs of this computer that were given its address, and no page in a browser.


_NAMES = ("127.0.0.1", "localhost", "[::1]")
_ELSEWHERE = ("cross-site", "same-site")


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer of our own in place of one from a model's server; `vendor` is the error of its API, if it has one."""

    status: int
    reason: str
    words: str
    vendor: VendorError | None = None


def refusal(method: str, target: str, headers: Mapping[str, str], port: int) -> Refusal | None:
    """Returns why a request is not passed on; None where it is. Header names are in lower case."""
    if method == "CONNECT" or not target.startswith("/"):
        return Refusal(
            400, "Bad Request", tr("This is the address of one API, not a proxy for every address.")
        )
    if headers.get("host", "").lower() not in {f"{name}:{port}" for name in _NAMES}:
        return Refusal(403, "Forbidden", tr("The Host header does not name this address."))
    origin = headers.get("origin")
    if origin is not None and origin.lower() not in {f"http://{name}:{port}" for name in _NAMES}:
        return Refusal(403, "Forbidden", tr("Pages in a browser are not passed on."))
    if headers.get("sec-fetch-site", "").lower() in _ELSEWHERE:
        return Refusal(403, "Forbidden", tr("Pages in a browser are not passed on."))
    if "websocket" in headers.get("upgrade", "").lower():
        # Clients that try a WebSocket first take this status as the word to use plain HTTP.
        return Refusal(426, "Upgrade Required", tr("WebSockets are not passed on; use HTTP."))
    return None


async def _no_refusal(_passing: Passing) -> str:
    return ""


async def _no_decision(_exchange: Exchange, _body: bytes, _timeout_s: float | None) -> Decision:
    return Decision()


CONNECT_S = 30.0
SWITCH_S = 0.0005


class WatchProxy:
    """Listens on loopback and passes requests on.

    Attributes:
        heard: called on the loop for every finished request, however it ended; must be quick.
        now: seconds since 1970.
        refused: how many requests were refused because of who asked.
        began: called for every request that starts to pass.
        asked, grew: called on the loop when a request has passed whole, and when its answer has grown.
        capped: whether requests are waited for, and `refuse` is asked why one may not be sent on (empty where it may).
        changing: whether requests are waited for, and `change` says what rules make of one. resent: a changed request
            was refused, and sent as it came; says what became of the rules.
        holding: whether requests are waited for, and wait until `decide` returns.
        restorer: puts what a rule replaced back in the calls of an answer.
    """

    def __init__(
        self, net: Connections, routes: Routes, heard: Callable[[Passing], None], now: Callable[[], float]
    ) -> None:
        self._net, self._routes, self._heard, self._now = net, routes, heard, now
        self._room = CopyBudget()
        self._count = 0
        self._open: set[Stream] = set()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._server: asyncio.Server | None = None
        self._port = 0
        self._usual_switch_s = sys.getswitchinterval()
        self.refused = 0
        self.began: Callable[[], None] = lambda: None
        self.asked: Callable[[Passing], None] = lambda _passing: None
        self.grew: Callable[[Passing], None] = lambda _passing: None
        self.capped: Callable[[], bool] = lambda: False
        self.refuse: Callable[[Passing], Awaitable[str]] = _no_refusal
        self.changing: Callable[[], bool] = lambda: False
        self.change: Callable[[Exchange, bytes | None], Changed | None] = lambda _exchange, _body: None
        self.resent: Callable[[Exchange, Changed, bool], Changed] = lambda _exchange, changed, _taken: changed
        self.holding: Callable[[], bool] = lambda: False
        self.decide: Callable[[Exchange, bytes, float | None], Awaitable[Decision]] = _no_decision
        self.restorer: Callable[[WatchedFormat, Mapping[str, str]], Restores] | None = None

    async def start(self, port: int = 0) -> str:
        """Starts listening, on a free port where none is given; returns the address.

        `OSError` where the port is taken.
        """
        self._server = await listen(self._serve, port)
        # Requests are looked at in another thread: it must not keep this one waiting for five milliseconds each time.
        self._usual_switch_s = sys.getswitchinterval()
        sys.setswitchinterval(min(self._usual_switch_s, SWITCH_S))
        self._port = self._server.sockets[0].getsockname()[1]
        self._routes = self._routes.avoiding(self._port)
        return f"http://{LOOPBACK}:{self._port}"

    async def close(self, patience_s: float = 0.0) -> None:
        """Stops listening; requests that are passing have `patience_s` to finish."""
        if self._server is None:
            return
        self._server.close()
        if self._usual_switch_s > SWITCH_S:  # else it was not this one that changed it
            sys.setswitchinterval(self._usual_switch_s)
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self._quiet.wait()
        for client in tuple(self._open):
            client.abort()
        await self._quiet.wait()

    async def _serve(self, client: Stream) -> None:
        self._open.add(client)
        self._quiet.clear()
        link = Link(client)
        client.keep_alive()
        try:
            with suppress(OSError):
                await self._requests(link)
        finally:
            link.end()
            # One that still has something to send is open: who stops the watch ends it, and leaves no socket behind.
            await client.closed()
            self._open.discard(client)
            if not self._open:
                self._quiet.set()

    async def _requests(self, link: Link) -> None:
        """Serves requests one after the other, as long as both ends keep the connection."""
        behind = b""
        while True:
            try:
                asked = await read_request_head(link.client, behind)
            except h11.ProtocolError:
                await _send_refusal(
                    link.client, Refusal(400, "Bad Request", "This is no request that can be read.")
                )
                return
            if asked is None or not await self._pass(link, asked):
                return
            behind = asked.framing.behind
            link.between_requests()

    async def _pass(self, link: Link, asked: RequestHead) -> bool:
        """Passes one request on, or refuses it; returns whether another may follow."""
        way = self._routes.way(asked.target, asked.headers)
        refused = refusal(asked.method, asked.target, asked.headers, self._port)
        if refused is None and way is not None and self._is_own_address(target_of(way.url)):
            refused = Refusal(508, "Loop Detected", tr("The address to send to is this one."))
        if refused is not None or way is None:
            self.refused += refused is not None and refused.status == 403
            await _send_refusal(link.client, refused or _NO_ROUTE)
            return False
        passed = self._new_passing(asked, way)
        self.began()
        begun = asyncio.get_running_loop().time()
        try:
            return await self._pass_on(link, asked, way, passed)
        finally:
            passed.total_ms = (asyncio.get_running_loop().time() - begun) * 1000
            self._heard(passed)

    def _is_own_address(self, target: Target) -> bool:
        return target.is_here and target.port == self._port

    def _new_passing(self, asked: RequestHead, way: Way) -> Passing:
        self._count += 1
        head = kept_path(way.path), self._now(), kept_headers(asked.framing.head.headers)
        about = Exchange(self._count, way.format, asked.method, *head, upstream=kept_address(way.base))
        copies = Copy(self._room, MOST_REQUEST, entire=True), Copy(self._room, MOST_ANSWER)
        encoding = asked.headers.get("content-encoding", "")
        return Passing(about, *copies, encoding, asked=self.asked, grew=self.grew)

    async def _pass_on(self, link: Link, asked: RequestHead, way: Way, passed: Passing) -> bool:
        begun = asyncio.get_running_loop().time()
        target = target_of(way.url)
        body: bytes | None = None
        if (
            way.format is not None
            and asked.method == "POST"
            and (self.capped() or self.changing() or self.holding())
        ):
            body = await _whole_body(link.client, asked, passed, None if self.capped() else MOST_REQUEST)
            if self.capped() and (why := await self.refuse(passed)):
                await _refuse_passing(link.client, over_cap(way.format, f"{OWN_WORDS} {why}"), passed)
                return False
            if why := await self._change(link.client, asked, passed):
                error = refused_by_person(way.format, f"{OWN_WORDS} {why}")
                await _refuse_passing(link.client, error, passed)
                return False
        return await self._sent_on(link, asked, target, _path(way.url), passed, body, begun)

    async def _sent_on(
        self, link: Link, asked: RequestHead, target: Target, path: str, passed: Passing, body: bytes | None,
        begun: float,
    ) -> bool:  # fmt: skip
        """Sends a request; one that a rule changed and the server refused is sent once more, as it came."""
        changed = passed.changed
        server = await self._server_for(link, asked, target, passed, body)
        if server is None:
            return False
        passage = Passage(link.client, server, asked, passed)
        if changed is None or changed.body is None:
            return await passage.run(asked.head_for(target, path), begun, body)
        passage.refusable = changed.by_rules
        if changed.restore and self.restorer is not None and passed.about.format is not None:
            passage.restore = partial(rewriter_of, self.restorer(passed.about.format, changed.restore))
        done = await passage.run(asked.head_for(target, path, len(changed.body)), begun, changed.body)
        if not passage.refused:
            return done
        passed.changed = replace(changed, body=None)
        link.drop_server()
        server = await self._server_for(link, asked, target, passed, body)
        if server is None:
            return False
        done = await Passage(link.client, server, asked, passed).run(
            asked.head_for(target, path), begun, body
        )
        passed.changed = self.resent(passed.about, changed, 0 < (passed.status or 0) < _REFUSED)
        return done

    async def _server_for(
        self, link: Link, asked: RequestHead, target: Target, passed: Passing, body: bytes | None
    ) -> Stream | None:
        """The connection to a server; None where the client was told that there is none."""
        try:
            async with asyncio.timeout(CONNECT_S):
                return await link.server_for(target, self._net)
        except (OSError, NotSent) as problem:
            passed.ending = "unreachable"
            if body is None:
                await _drain_body(link.client, asked, passed)
            await _send_refusal(link.client, _unreachable(target, problem))
            return None

    async def _decision(
        self, client: Stream, passed: Passing, body: bytes, timeout_s: float | None
    ) -> Decision:
        """Waits for a person to decide, as long as the client waits for an answer."""

        async def decided() -> Decision:
            return await self.decide(passed.about, body, timeout_s)

        async with asyncio.TaskGroup() as waiting:
            deciding = waiting.create_task(decided(), name="watch: held")
            client.when_gone(lambda: _discard(deciding.cancel()))
        client.when_gone(None)
        if not deciding.cancelled():
            return deciding.result()
        passed.ending = "client_left"
        return Decision(tr("Its program no longer waits."))

    async def _change(self, client: Stream, asked: RequestHead, passed: Passing) -> str:
        """Applies rules, then lets the request wait if it is held; returns why it is not sent on."""

        def change() -> bytes | None:
            plain = _plain_body(asked, passed)
            passed.changed = self.change(passed.about, plain) if self.changing() else None
            return plain

        plain = await asyncio.to_thread(change) if passed.request.size > _LARGE else change()
        if not self.holding() or plain is None:
            return ""
        passed.tell_asked()  # it can be looked at while it waits
        now = plain if passed.changed is None or passed.changed.body is None else passed.changed.body
        said = asked.headers.get("x-stainless-timeout", "")
        decision = await self._decision(client, passed, now, float(said) if said.isdecimal() else None)
        if decision.body is not None:
            passed.changed = replace(passed.changed or Changed(), body=decision.body, by_rules=False)
        return decision.refusal


_NO_ROUTE = Refusal(
    404,
    "Not Found",
    tr("This path belongs to no API that is known here. Start the watch with --to to send all to one."),
)


def _unreachable(target: Target, problem: OSError | NotSent) -> Refusal:
    if isinstance(problem, NotSent):
        return Refusal(503, "Service Unavailable", str(problem))
    if isinstance(problem, TimeoutError):
        return Refusal(
            504,
            "Gateway Timeout",
            tr(
                "{shown} did not answer within {connect_s:.0f} seconds.",
                shown=target.shown,
                connect_s=CONNECT_S,
            ),
        )
    if isinstance(problem, ssl.SSLError):
        return Refusal(
            502,
            "Bad Gateway",
            tr("{shown} could not prove who it is ({reason}).", shown=target.shown, reason=problem.reason),
        )
    return Refusal(
        502,
        "Bad Gateway",
        tr(
            "{shown} cannot be reached ({strerror}).",
            shown=target.shown,
            strerror=problem.strerror or problem,
        ),
    )


def _path(url: str) -> str:
    """Returns an address from its path on."""
    _, _, rest = url.partition("://")
    _, slash, path = rest.partition("/")
    return f"{slash}{path}" or "/"


async def _drain_body(client: Stream, asked: RequestHead, passed: Passing) -> None:
    """Reads the rest of a body that goes nowhere, since a client reads no answer before it has sent everything."""
    _, seen = asked.framing.body_with_head()
    passed.request.add(seen.body)
    while not asked.framing.over and "expect" not in asked.headers:
        piece = await client.read()
        if not piece:
            return
        passed.request.add(asked.framing.see(piece).body)


def _discard(_value: object) -> None:
    """Discards a value."""


def _plain_body(asked: RequestHead, passed: Passing) -> bytes | None:
    """A body that has arrived whole, uncompressed; None where that is not so, or where it is signed as it is."""
    if not (asked.framing.over and passed.request.whole) or not _SIGNED.isdisjoint(asked.headers):
        return None
    try:
        return decode_body(passed.request.joined(), passed.request_encoding, MOST_DECODED)
    except (TooLarge, Undecodable):
        return None


async def _whole_body(client: Stream, asked: RequestHead, passed: Passing, most: int | None) -> bytes:
    """Reads a body before it is sent on, or the first `most` bytes of it; returns its bytes as they came."""
    raw, seen = asked.framing.body_with_head()
    passed.request.add(seen.body)
    pieces = [raw[: seen.used]]
    if "expect" in asked.headers and not asked.framing.over:
        await client.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    while (
        not asked.framing.over
        and (most is None or passed.request.size <= most)
        and (piece := await client.read())
    ):
        seen = asked.framing.see(piece)
        passed.request.add(seen.body)
        pieces.append(piece[: seen.used])
    return b"".join(pieces)


async def _refuse_passing(client: Stream, error: VendorError, passed: Passing) -> None:
    """Answers a request with its API's own error; the watch shows it like one of the server."""
    passed.status = error.status
    passed.answer.add(json.dumps(error.body).encode())
    passed.tell_asked()
    await _send_refusal(client, Refusal(error.status, error.reason, "", error))


async def _send_refusal(client: Stream, refused: Refusal) -> None:
    """Sends an answer of our own, after which the connection ends."""
    words = f"{OWN_WORDS} {refused.words}"
    own = {"error": {"type": "workbench_watch", "message": words}}
    body = json.dumps(own if refused.vendor is None else refused.vendor.body).encode()
    extra = (
        "" if refused.vendor is None else "".join(f"{name}: {to}\r\n" for name, to in refused.vendor.headers)
    )
    head = (
        f"HTTP/1.1 {refused.status} {refused.reason}\r\ncontent-type: application/json\r\n{extra}"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    await client.write(head.encode() + body)
