"""Signing in to servers at an address: OAuth 2.1 as the library has it, with a listener on this computer."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, ValidationError

from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_question import McpAnswer, McpQuestion, read_page
from workbench.domain.secrets import Secret
from workbench.domain.text import harmless
from workbench.domain.translation import tr
from workbench.net.connections import Connections
from workbench.net.http_transport import NetTransport, client_over
from workbench.net.rules import Target, as_address, is_private, target_of
from workbench.ports.tools import ToolServerFailed
from workbench.tools.mcp.limits import McpLimits

Keep = Callable[[Secret | None], Awaitable[None]]
Ask = Callable[[McpQuestion], asyncio.Future[McpAnswer]]
_MOST_BYTES, _MOST_HEAD_BYTES = 256 * 1024, 16 * 1024
_PAGE = (
    "<!doctype html><meta charset=utf-8><title>Context Workbench</title><p>{words} You can close this page and go "
    "back to Context Workbench."
)


class SignInFailed(ToolServerFailed):
    """A sign-in came to nothing; the message says why, without anything secret."""


# What is kept of a sign-in, as one secret.


class KeptTokens(OAuthClientProvider):
    """Sends the kept token with each request, and refreshes it; whoever is refused all the same is told so.

    It never asks the person: that is what `SigningIn` does.
    """

    def __init__(self, url: str, kept: Secret | None, keep: Keep) -> None:
        metadata = OAuthClientMetadata(redirect_uris=None, client_name="Context Workbench")
        super().__init__(url, metadata, _Storage(self))
        self._keep = keep
        self._read(kept)
        self._initialized = True

    @property
    def has_tokens(self) -> bool:
        """Whether there is anything to send."""
        return self.context.current_tokens is not None

    def _read(self, kept: Secret | None) -> None:
        """Takes what was kept, unless it is for another address: a token goes to no other server."""
        try:
            found = json.loads(kept.reveal_text()) if kept is not None else {}
            if found.get("url") != self.context.server_url:
                return
            self.context.current_tokens = OAuthToken.model_validate(found["tokens"])
            self.context.token_expiry_time = found["expires_at"]
            self.context.client_info = OAuthClientInformationFull.model_validate(found["client"])
            self.context.oauth_metadata = _maybe(OAuthMetadata, found["metadata"])
            self.context.protected_resource_metadata = _maybe(ProtectedResourceMetadata, found["resource"])
            self.context.auth_server_url = found["issuer"]
        except (ValueError, KeyError, AttributeError, TypeError):
            self.context.clear_tokens()

    async def save(self) -> None:
        """Keeps everything that another session needs to go on from here."""
        context = self.context
        found = {
            "url": context.server_url,
            "tokens": _plain(context.current_tokens),
            "expires_at": context.token_expiry_time,
            "client": _plain(context.client_info),
            "metadata": _plain(context.oauth_metadata),
            "resource": _plain(context.protected_resource_metadata),
            "issuer": context.auth_server_url,
        }
        await self._keep(Secret.of_text(json.dumps(found)))

    async def _auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        async with self.context.lock:
            if not self.context.is_token_valid() and self.context.can_refresh_token():
                await (
                    self.save()
                )  # what could not be kept afterwards must not be refreshed: the old token is void then
                await self._handle_refresh_response((yield await self._refresh_token()))
        sent = self.context.current_tokens
        if sent is not None:
            self._add_auth_header(request)
        response = yield request
        if response.status_code != 401 or sent is None or not self.context.can_refresh_token():
            return
        async with self.context.lock:
            if self.context.current_tokens is sent:
                await self.save()
                await self._handle_refresh_response((yield await self._refresh_token()))
        if self.context.current_tokens is not None:
            self._add_auth_header(request)
            yield request

    async def revoke(self, client: httpx2.AsyncClient) -> bool:
        """Asks the server to forget the tokens; returns whether it said that it did."""
        tokens, place = self.context.current_tokens, self.context.oauth_metadata
        if tokens is None or place is None or place.revocation_endpoint is None:
            return False
        kind = "refresh_token" if tokens.refresh_token else "access_token"
        said = {"token": tokens.refresh_token or tokens.access_token, "token_type_hint": kind}
        if self.context.client_info is not None:
            said["client_id"] = self.context.client_info.client_id
        said, headers = self.context.prepare_token_auth(said, {})
        answer = await client.send(
            httpx2.Request("POST", str(place.revocation_endpoint), data=said, headers=headers)
        )
        return answer.status_code == 200


class SigningIn(KeptTokens):
    """Has the person sign in: registered anew, so that the listener's address is known there.

    With a `client_id` nothing is registered: that is how the server knows this program already.
    """

    def __init__(self, url: str, keep: Keep, redirect_url: str, visit: Visit, client_id: str = "") -> None:
        super().__init__(url, None, keep)
        redirects = self.context.client_metadata.redirect_uris = [AnyUrl(redirect_url)]
        if client_id:
            self.context.client_info = OAuthClientInformationFull(
                client_id=client_id, redirect_uris=redirects, token_endpoint_auth_method="none"
            )
        self._visit, self._page = visit, ""
        self.context.redirect_handler, self.context.callback_handler = self._to_page, self._from_page

    async def _to_page(self, url: str) -> None:
        self._page = url

    async def _from_page(self) -> AuthorizationCodeResult:
        return await self._visit(self._page)

    async def _auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        flow = OAuthClientProvider._auth_flow(self, request)
        try:
            outgoing = await flow.__anext__()
            while True:
                outgoing = await flow.asend((yield outgoing))
        except StopAsyncIteration:
            return
        finally:
            await flow.aclose()


Visit = Callable[[str], Awaitable[AuthorizationCodeResult]]


class _Storage:
    """Where the library puts what it got; all of it is kept as one, once there are tokens."""

    def __init__(self, owner: KeptTokens) -> None:
        self._owner = owner

    async def get_tokens(self) -> OAuthToken | None:
        return self._owner.context.current_tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        await self._owner.save()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._owner.context.client_info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Kept with the tokens."""


def _plain(model: Any) -> Any:
    return None if model is None else model.model_dump(mode="json", exclude_none=True)


def _maybe(kind: Any, found: Any) -> Any:
    return None if found is None else kind.model_validate(found)


# The way to the person and back.


async def sign_in(
    server: str, url: str, net: Connections, ask: Ask, keep: Keep, limits: McpLimits, client_id: str = ""
) -> None:
    """Signs in to a server and keeps its tokens; `SignInFailed` says why that came to nothing."""
    async with _listening(limits.sign_in_s) as (redirect_url, came):

        async def visit(page: str) -> AuthorizationCodeResult:
            net.rules.check(target_of(page))
            return await _visited(server, page, ask, came, limits.page_s)

        signing_in = SigningIn(url, keep, redirect_url, visit, client_id)
        try:
            transport = SignInTransport(net, url, limits.sign_in_s)
            async with client_over(transport, timeout=httpx2.Timeout(limits.sign_in_s)) as client:
                probe = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
                headers = {"accept": "application/json, text/event-stream", "accept-encoding": "identity"}
                request = client.build_request("POST", url, json=probe, headers=headers)
                answer = await client.send(request, auth=signing_in, stream=True)
                await answer.aclose()
        except (OAuthFlowError, ValidationError, httpx2.HTTPError) as problem:
            raise SignInFailed(_failure_words(server, problem)) from None
    if answer.status_code in (401, 403):
        raise SignInFailed(
            tr(
                "{server} refused the sign-in it gave itself (status {status_code}).",
                server=server,
                status_code=answer.status_code,
            )
        )
    if not signing_in.has_tokens:
        raise SignInFailed(
            tr(
                "{server} doesn't ask you to sign in (status {status_code}).",
                server=server,
                status_code=answer.status_code,
            )
        )


async def sign_out(url: str, kept: Secret, net: Connections, keep: Keep, limits: McpLimits) -> bool:
    """Forgets a sign-in; returns whether its server has revoked the tokens, too."""
    tokens = KeptTokens(url, kept, keep)
    await keep(None)
    try:
        async with client_over(SignInTransport(net, url, limits.sign_in_s)) as client:
            return await tokens.revoke(client)
    except (SignInFailed, httpx2.HTTPError, OAuthTokenError):
        return False


async def _visited(
    server: str,
    page: str,
    ask: Ask,
    came: asyncio.Future[AuthorizationCodeResult | str],
    within_s: float,
) -> AuthorizationCodeResult:
    """Shows the page's address to the person, and waits for what the browser brings back."""
    words = tr(
        "{server} wants you to sign in. You see the page in your browser; what it sends back is kept encrypted.",
        server=server,
    )
    try:
        question = read_page(server, words, page, sign_in=True)
    except InvalidInput as problem:
        raise SignInFailed(
            tr(
                "The sign-in page of {server} cannot be opened: {reason}. Nothing was changed.",
                server=server,
                reason=problem.reason,
            )
        ) from None
    answer = ask(question)
    try:
        either: set[asyncio.Future[Any]] = {answer, came}
        await asyncio.wait(either, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        if answer.done() and not came.done() and answer.result().action == "accept":
            await asyncio.wait({came}, timeout=within_s)
        if not came.done():
            said = (
                tr("was cancelled")
                if answer.done()
                else tr("took longer than {within_s:g} seconds", within_s=within_s)
            )
            raise SignInFailed(
                tr("The sign-in to {server} {said}. Nothing was changed.", server=server, said=said)
            )
    finally:
        answer.cancel()
    result = came.result()
    if isinstance(result, str):
        raise SignInFailed(
            tr("{server} did not let you in ({result}). Nothing was changed.", server=server, result=result)
        )
    return result


@asynccontextmanager
async def _listening(
    answer_s: float,
) -> AsyncIterator[tuple[str, asyncio.Future[AuthorizationCodeResult | str]]]:
    """Listens on this computer for what the browser brings; gives the address, and a future for it."""
    came: asyncio.Future[AuthorizationCodeResult | str] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(answer_s):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            status, words = _take(head, port, came)
            body = _PAGE.format(words=words).encode()
            lines = (
                f"HTTP/1.1 {status}",
                "Content-Type: text/html; charset=utf-8",
                f"Content-Length: {len(body)}",
                "Content-Security-Policy: default-src 'none'",
                "Referrer-Policy: no-referrer",
                "Cache-Control: no-store",
                "Connection: close",
            )
            writer.write("\r\n".join((*lines, "", "")).encode() + body)
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0, limit=_MOST_HEAD_BYTES)
    port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield f"http://127.0.0.1:{port}/signed-in", came


def _take(head: str, port: int, came: asyncio.Future[AuthorizationCodeResult | str]) -> tuple[str, str]:
    """Reads the browser's request; returns the status and the words of the answer."""
    first, *lines = head.split("\r\n")
    method, _, rest = first.partition(" ")
    target = rest.partition(" ")[0]
    hosts = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("host:")]
    # A page elsewhere whose name was made to point here says its own name.
    if method != "GET" or hosts != [f"127.0.0.1:{port}"] or urlsplit(target).path != "/signed-in":
        return "404 Not Found", tr("There is nothing here.")
    given = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
    if came.done():
        return "200 OK", tr("This sign-in is over.")
    if "code" not in given:
        error = re.sub(r"[^A-Za-z0-9_ .-]", "", given.get("error", ""))[:60]
        came.set_result(error or "no code came back")
        return "200 OK", tr("You are not signed in.")
    came.set_result(
        AuthorizationCodeResult(code=given["code"], state=given.get("state"), iss=given.get("iss"))
    )
    return "200 OK", tr("Thank you.")


# Requests of a sign-in go to other servers than the tool server itself, within narrower limits.


class SignInTransport(httpx2.AsyncBaseTransport):
    """Sends requests to the tool server, and those of its sign-in to where that is.

    A server elsewhere must not have requests sent to this computer or its network.
    """

    def __init__(
        self, net: Connections, url: str, answer_s: float, server: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._net, self._target, self._answer_s = net, target_of(url), answer_s
        self._server = server or NetTransport(net, url, "tool server")

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends a request; those that the sign-in makes have no timeouts of their own yet."""
        if "timeout" in request.extensions:
            return await self._server.handle_async_request(request)
        target = target_of(str(request.url)) if request.url.scheme in ("http", "https") else None
        if target is None or not self._may_reach(target):
            raise SignInFailed(
                tr(
                    "The sign-in leads to {host}, where nothing is sent for this server.",
                    host=harmless(str(request.url.host))[:100],
                )
            )
        request.extensions["timeout"] = httpx2.Timeout(self._answer_s).as_dict()
        request.headers["accept-encoding"] = "identity"
        transport = NetTransport(self._net, str(request.url), "tool server")
        try:
            async with asyncio.timeout(self._answer_s):
                answer = await transport.handle_async_request(request)
                body = b"".join([piece async for piece in _bounded(answer)])
        except TimeoutError:
            raise SignInFailed(
                tr(
                    "{shown} did not answer within {answer_s:g} seconds. Nothing was changed.",
                    shown=target.shown,
                    answer_s=self._answer_s,
                )
            ) from None
        except httpx2.HTTPError as problem:
            raise SignInFailed(
                tr(
                    "{shown} could not be reached ({name}). Nothing was changed.",
                    shown=target.shown,
                    name=type(problem).__name__,
                )
            ) from None
        finally:
            await transport.aclose()
        headers = [(name, value) for name, value in answer.headers.items() if name != "content-encoding"]
        return httpx2.Response(answer.status_code, headers=headers, content=body, request=request)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._server.aclose()

    def _may_reach(self, target: Target) -> bool:
        if target.scheme == "http" and not target.is_here:
            return False
        address, own = as_address(target.host), as_address(self._target.host)
        inside = target.is_here or (address is not None and (is_private(address) or address.is_link_local))
        return not inside or self._target.is_here or (own is not None and is_private(own))


async def _bounded(answer: httpx2.Response) -> AsyncIterator[bytes]:
    size = 0
    assert isinstance(answer.stream, httpx2.AsyncByteStream)
    async for piece in answer.stream:
        size += len(piece)
        if size > _MOST_BYTES:
            raise httpx2.ReadError(tr("the answer is too long"))
        yield piece
    await answer.stream.aclose()


def _failure_words(server: str, problem: Exception) -> str:
    """Why a sign-in failed, in words of ours: what the library says may hold a code, a token or a page."""
    found = re.search(r"failed \((\d{3})\)|failed: HTTP (\d{3})|Registration failed: (\d{3})", str(problem))
    status = tr(" (status {next})", next=next(filter(None, found.groups()))) if found is not None else ""
    elsewhere = (
        tr(" It sent the request elsewhere, which isn't followed.") if "not followed" in str(problem) else ""
    )
    match problem:
        case OAuthRegistrationError():
            why = tr(
                "it does not let programs register{status}; give a client id, or a key in a header.{elsewhere}",
                status=status,
                elsewhere=elsewhere,
            )
        case OAuthTokenError():
            why = tr("no usable token was given{status}.{elsewhere}", status=status, elsewhere=elsewhere)
        case OAuthFlowError() if "State" in str(problem):
            why = tr("what came back from the browser belongs to another sign-in (wrong state).")
        case OAuthFlowError():
            why = tr(
                "what it says about its sign-in doesn't fit{status}.{elsewhere}",
                status=status,
                elsewhere=elsewhere,
            )
        case ValidationError():
            why = tr("it gave something that is no answer to a sign-in.")
        case _:
            why = tr("it could not be reached ({name}).", name=type(problem).__name__)
    return tr("You are not signed in to {server}: {why} Nothing was changed.", server=server, why=why)
