"""A tool server behind OAuth 2.1 with its authorization server, by the official library, in a thread of the test.

Its `mode` makes a part of the sign-in misbehave.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl

from workbench.domain.mcp_question import McpQuestion


@dataclass
class Issuer(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """An authorization server in memory, which lets everybody in.

    Attributes:
        lasts_s: how long an access token is good. refreshed, revoked: how often that was done.
    """

    lasts_s: int = 3600
    clients: dict[str, OAuthClientInformationFull] = field(default_factory=dict)
    codes: dict[str, AuthorizationCode] = field(default_factory=dict)
    access: dict[str, AccessToken] = field(default_factory=dict)
    refreshing: dict[str, RefreshToken] = field(default_factory=dict)
    refreshed: int = 0
    revoked: int = 0
    made: int = 0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        code = f"code-{self._next()}"
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._token(client.client_id, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refreshing.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self.refreshing[refresh_token.token]  # a new one each time
        self.refreshed += 1
        return self._token(client.client_id, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.revoked += 1
        self.access.clear()
        self.refreshing.clear()

    def _token(self, client: str, scopes: list[str], resource: str | None) -> OAuthToken:
        number = self._next()
        access, refresh = f"s3cret-access-{number}", f"s3cret-refresh-{number}"
        self.access[access] = AccessToken(
            token=access, client_id=client, scopes=scopes, expires_at=None, resource=resource
        )
        self.refreshing[refresh] = RefreshToken(
            token=refresh, client_id=client, scopes=scopes, resource=resource
        )
        return OAuthToken(
            access_token=access,
            refresh_token=refresh,
            expires_in=self.lasts_s,
            scope=" ".join(scopes) or None,
        )

    def _next(self) -> int:
        self.made += 1
        return self.made


@dataclass
class Guarded:
    """The server as it runs: its address, its issuer, and how its sign-in misbehaves."""

    url: str
    issuer: Issuer
    app: Any
    mode: str = ""
    asked: list[str] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Passes requests on, unless this is where it misbehaves."""
        path = scope.get("path", "")
        if scope["type"] == "http":
            self.asked.append(path)
        if path == "/token" and await self._misbehave(receive, send):
            return
        if path == "/register" and self.mode == "no-registration":
            await self._say(send, 404, b"")
        elif path.startswith("/.well-known/oauth-authorization-server") and self.mode in _PAGES:
            await self._say(send, 200, json.dumps(self._metadata()).encode())
        elif path == "/authorize" and self.mode in ("other-state", "denied"):
            query = scope["query_string"].decode()
            back = (
                query.partition("redirect_uri=")[2].partition("&")[0].replace("%3A", ":").replace("%2F", "/")
            )
            said = "error=access_denied" if self.mode == "denied" else "code=stolen&state=another"
            await self._say(send, 302, b"", (b"location", f"{back}?{said}".encode()))
        else:
            await self.app(scope, receive, send)

    async def _misbehave(self, receive: Any, send: Any) -> bool:
        match self.mode:
            case "slow-token":
                await asyncio.sleep(5)
                await self._say(send, 200, b"{}")
            case "endless-token":
                await send({"type": "http.response.start", "status": 200, "headers": []})
                for _ in range(20):
                    await send({"type": "http.response.body", "body": b"x" * 50_000, "more_body": True})
            case "wrong-token":
                await self._say(send, 200, b"<html>s3cret</html>")
            case "refused-token":
                await self._say(send, 400, b'{"error": "invalid_grant", "code": "s3cret-code"}')
            case "token-elsewhere":
                await self._say(send, 307, b"", (b"location", b"https://evil.example/token"))
            case _:
                return False
        return True

    def _metadata(self) -> dict[str, Any]:
        own = self.url.removesuffix("/mcp")
        told = {
            "issuer": own + "/",
            "authorization_endpoint": f"{own}/authorize",
            "token_endpoint": f"{own}/token",
            "registration_endpoint": f"{own}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        }
        return told | _PAGES[self.mode]

    async def _say(self, send: Any, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
        await send({"type": "http.response.start", "status": status, "headers": list(headers)})
        await send({"type": "http.response.body", "body": body})


_PAGES = {
    "page-elsewhere": {"authorization_endpoint": "http://evil.example/authorize"},
    "gone-token": {"token_endpoint": "http://127.0.0.1:1/token"},
    "other-issuer": {"issuer": "https://evil.example/"},
}


def browse(question: McpQuestion) -> None:
    """What the person does in the browser: they open the page, which leads back at once."""
    follow = {"follow_redirects": True, "trust_env": False}
    threading.Thread(target=lambda: httpx2.get(question.url, **follow), daemon=True).start()  # type: ignore[arg-type]


@contextmanager
def guarded_server(lasts_s: int = 3600, mode: str = "") -> Iterator[Guarded]:
    """The server on a port of this computer, in a thread."""
    listening = socket.create_server(("127.0.0.1", 0))
    origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
    issuer = Issuer(lasts_s=lasts_s)
    served = MCPServer(
        "guarded",
        auth_server_provider=issuer,
        auth=AuthSettings(
            issuer_url=AnyHttpUrl(origin),
            resource_server_url=AnyHttpUrl(f"{origin}/mcp"),
            validate_token_resource=True,
            client_registration_options=ClientRegistrationOptions(enabled=True),
            revocation_options=RevocationOptions(enabled=True),
        ),
    )

    @served.tool()
    def secret() -> str:
        """What only those see who are signed in."""
        return "seen"

    guarded = Guarded(f"{origin}/mcp", issuer, served.streamable_http_app(), mode)
    server = uvicorn.Server(uvicorn.Config(guarded, log_level="critical", lifespan="on", ws="none"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield guarded
    finally:
        server.force_exit = server.should_exit = True
        thread.join(5)
        listening.close()
