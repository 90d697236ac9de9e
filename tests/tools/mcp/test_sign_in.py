"""Signing in to servers at an address, against the library's own authorization server, well-behaved and not."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl

from tests.fakes.loop import in_loop, until
from tests.fakes.mcp_runs import Bench
from tests.fakes.oauth_mcp import browse, guarded_server
from tests.fakes.server_fronts import FakeFront
from tests.fakes.tool_commands import ToolRoom
from workbench.domain.errors import WorkbenchError
from workbench.domain.mcp_question import McpAnswer, McpQuestion
from workbench.domain.mcp_server import McpServer
from workbench.domain.secrets import Secret
from workbench.net.connections import Connections
from workbench.net.rules import Rules
from workbench.ports.tools import ToolServerFailed
from workbench.tools.mcp.limits import McpLimits
from workbench.tools.mcp.sign_in import KeptTokens, SignInFailed, SignInTransport


@in_loop
async def test_a_sign_in_is_kept_refreshed_told_and_revoked():
    with guarded_server() as guarded:
        front = FakeFront(browse)
        async with Bench(McpServer("guarded", url=guarded.url)) as bench:
            bench.servers.attend(front)
            listing = await bench.servers.start("guarded")
            assert (listing.state, listing.sign_in) == ("failed", "needed")
            assert listing.problem == "guarded wants you to sign in."
            assert "/register" not in guarded.asked, "nothing is registered before somebody signs in"
            listing = await bench.servers.sign_in("guarded")
            assert (listing.state, listing.sign_in) == ("connected", "done")
            (page,) = front.asked
            assert (page.sign_in, page.host, page.server) == (True, "127.0.0.1", "guarded")
            assert "code_challenge_method=S256" in page.url
            # The question goes when the browser came back.
            await until(lambda: front.withdrawn == [page])
            kept = front.kept["guarded"]
            assert "s3cret" not in repr(kept)
            await bench.approved("guarded")
            assert (await bench.call("guarded__secret")).text == "seen"
            guarded.issuer.access.clear()
            assert (await bench.call("guarded__secret")).text == "seen"
            assert guarded.issuer.refreshed == 1
            assert front.kept["guarded"].reveal_text() != kept.reveal_text(), "the new tokens are kept"
        # Another run of the program goes on with what was kept, though the token is too old.
        old = json.loads(front.kept["guarded"].reveal_text())
        front.kept["guarded"] = Secret.of_text(json.dumps({**old, "expires_at": 1.0}))
        async with Bench(McpServer("guarded", url=guarded.url)) as bench:
            bench.servers.attend(front)
            await bench.approved("guarded")
            assert guarded.issuer.refreshed == 2
            guarded.issuer.access.clear()
            guarded.issuer.refreshing.clear()
            refused = await bench.call("guarded__secret")
            assert refused.text == "guarded wants the user to sign in again. Go on without it."
            assert bench.servers.listing("guarded").sign_in == "needed"
            assert len(front.asked) == 1, "nobody is sent to a browser unasked"
            await bench.servers.sign_in("guarded")
            assert (await bench.call("guarded__secret")).text == "seen"
            assert await bench.servers.sign_out("guarded")
            assert (front.kept, guarded.issuer.revoked) == ({}, 1)
            assert (await bench.servers.start("guarded")).sign_in == "needed"


@in_loop
async def test_a_client_id_is_used_where_programs_cannot_register():
    with guarded_server(mode="no-registration") as guarded:
        known = OAuthClientInformationFull(
            client_id="ours", redirect_uris=[AnyUrl("http://127.0.0.1/")], token_endpoint_auth_method="none"
        )
        guarded.issuer.clients["ours"] = AnyPort.model_validate(known.model_dump())
        front = FakeFront(browse)
        async with Bench(McpServer("guarded", url=guarded.url, client_id="ours")) as bench:
            bench.servers.attend(front)
            assert (await bench.servers.sign_in("guarded")).state == "connected"
        assert "/register" not in guarded.asked
        assert "client_id=ours" in front.asked[0].url


class AnyPort(OAuthClientInformationFull):
    """A client that was registered beforehand: of this computer's addresses any port is taken (RFC 8252, 7.3)."""

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        assert redirect_uri is not None
        assert redirect_uri.host == "127.0.0.1"
        return redirect_uri


HOSTILE = [
    ("slow-token", "did not answer within 0.4 seconds"),
    ("endless-token", "could not be reached (ReadError)"),
    ("wrong-token", "no usable token was given."),
    ("refused-token", "no usable token was given (status 400)."),
    ("token-elsewhere", "(status 307). It sent the request elsewhere, which isn't followed."),
    ("gone-token", "127.0.0.1:1 could not be reached (ConnectError)"),
    ("no-registration", "it does not let programs register (status 404)"),
    ("other-state", "belongs to another sign-in (wrong state)"),
    ("denied", "did not let you in (access_denied)"),
    ("page-elsewhere", "http:// can be read on the way"),
    ("other-issuer", "what it says about its sign-in doesn't fit"),
]


@pytest.mark.parametrize(("mode", "told"), HOSTILE, ids=[mode for mode, _ in HOSTILE])
def test_a_sign_in_that_goes_wrong_says_so_and_changes_nothing(mode: str, told: str):
    @in_loop
    async def run() -> None:
        with guarded_server(mode=mode) as guarded:
            front = FakeFront(browse, kept={"guarded": Secret.of_text("before")})
            limits = McpLimits(sign_in_s=0.4)
            async with Bench(McpServer("guarded", url=guarded.url), limits=limits) as bench:
                bench.servers.attend(front)
                with pytest.raises(ToolServerFailed) as problem:
                    await bench.servers.sign_in("guarded")
                assert told in str(problem.value)
                assert "Nothing was changed." in str(problem.value)
                assert "s3cret" not in str(problem.value)
                assert front.kept["guarded"].reveal_text() == "before"

    run()


@in_loop
async def test_a_refresh_that_goes_wrong_says_so_and_loses_nothing_that_is_still_good():
    with guarded_server() as guarded:
        front = FakeFront(browse)
        async with Bench(McpServer("guarded", url=guarded.url)) as bench:
            bench.servers.attend(front)
            await bench.servers.sign_in("guarded")
        old = Secret.of_text(
            json.dumps({**json.loads(front.kept["guarded"].reveal_text()), "expires_at": 1.0})
        )

        class ReadOnly(FakeFront):
            async def keep_sign_in(self, server: str, kept: Secret | None) -> None:
                raise WorkbenchError("It is open for reading only.")

        for mode, told in (
            ("slow-token", "did not answer within 0.4 seconds"),
            ("endless-token", "could not be reached (ReadError)"),
            ("refused-token", "guarded wants you to sign in again."),
            ("wrong-token", "guarded wants you to sign in again."),
            ("token-elsewhere", "guarded wants you to sign in again."),
            ("read-only", "It is open for reading only."),
        ):
            guarded.mode = mode
            front = (ReadOnly if mode == "read-only" else FakeFront)(browse, kept={"guarded": old})
            limits = McpLimits(sign_in_s=0.4)
            async with Bench(McpServer("guarded", url=guarded.url), limits=limits) as bench:
                bench.servers.attend(front)
                listing = await bench.servers.start("guarded")
                assert listing.state == "failed"
                assert told in listing.problem
                assert front.asked == []
            kept = json.loads(front.kept["guarded"].reveal_text())
            assert kept["tokens"]["refresh_token"] == "s3cret-refresh-2"
        # Where it could not be kept it was not asked for: the old one is still good.
        assert guarded.issuer.refreshed == 0
        guarded.mode = ""
        async with Bench(McpServer("guarded", url=guarded.url)) as bench:
            bench.servers.attend(front)
            front = FakeFront(browse, kept={"guarded": old})
            bench.servers.attend(front)
            assert (await bench.servers.start("guarded")).state == "connected"
        assert guarded.issuer.refreshed == 1


@in_loop
async def test_who_cancels_is_not_signed_in_and_offline_nobody_is_asked():
    with guarded_server() as guarded:
        front = FakeFront(lambda question: McpAnswer("cancel"))
        net = Connections()
        server, far = McpServer("guarded", url=guarded.url), McpServer("far", url="https://mcp.example.com/")
        program = McpServer("program", sys.executable)
        async with Bench(server, far, program, net=net) as bench:
            bench.servers.attend(front)
            for name, told in (("guarded", "was cancelled"), ("program", "nothing to sign in to")):
                with pytest.raises(ToolServerFailed, match=told):
                    await bench.servers.sign_in(name)
            net.rules = Rules(offline=True)
            with pytest.raises(ToolServerFailed, match="Offline is switched on"):
                await bench.servers.sign_in("far")
        assert len(front.asked) == 1
        assert net.made, "the connections of a sign-in are recorded as all others"


@in_loop
async def test_what_comes_to_the_listener_from_elsewhere_is_not_taken():
    """A page of the browser may send requests to any port of this computer, under a name of its own."""
    said: list[int] = []

    def wander(question: McpQuestion) -> None:
        back = httpx2.URL(question.url).params["redirect_uri"]

        def ask() -> None:
            with httpx2.Client(trust_env=False) as client:
                said.append(
                    client.get(back, params={"code": "x"}, headers={"host": "evil.example"}).status_code
                )
                said.append(client.post(back, params={"code": "x"}).status_code)
                said.append(client.get(back.replace("signed-in", "other"), params={"code": "x"}).status_code)
            browse(question)

        asyncio.get_running_loop().run_in_executor(None, ask)

    with guarded_server() as guarded:
        async with Bench(McpServer("guarded", url=guarded.url)) as bench:
            bench.servers.attend(FakeFront(wander))
            assert (await bench.servers.sign_in("guarded")).sign_in == "done"
    assert said == [404, 404, 404]


async def nowhere(secret: Secret | None) -> None:
    """Keeps nothing."""


def test_tokens_go_to_no_other_address_than_they_are_for():
    tokens = {"access_token": "s3cret", "token_type": "Bearer"}
    kept = {
        "url": "https://a.example/mcp",
        "tokens": tokens,
        "expires_at": None,
        "client": {"client_id": "c", "redirect_uris": None},
        "metadata": None,
        "resource": None,
        "issuer": None,
    }

    def has(url: str, found: Any) -> bool:
        return KeptTokens(url, Secret.of_text(json.dumps(found)), nowhere).has_tokens

    assert has("https://a.example/mcp", kept)
    assert not has("https://evil.example/mcp", kept)
    wrong: list[Any] = [{}, [], "x", {**kept, "tokens": 1}, {**kept, "client": "x"}]
    for damaged in wrong:
        assert not has("https://a.example/mcp", damaged)


@pytest.mark.parametrize(
    "inside",
    [
        "http://127.0.0.1:8080/token",
        "https://127.0.0.1/token",
        "https://10.0.0.1/token",
        "https://169.254.169.254/",
        "http://login.example.com/token",
        "file:///etc/passwd",
    ],
)
def test_a_server_elsewhere_cannot_have_requests_sent_into_this_network(inside: str):
    @in_loop
    async def run() -> None:
        transport = SignInTransport(Connections(), "https://mcp.example.com/mcp", 1.0)
        with pytest.raises(SignInFailed, match="where nothing is sent for this server"):
            await transport.handle_async_request(httpx2.Request("GET", inside))

    run()


class Reader:
    """Standard error as a person reads it, who opens the page that is printed."""

    def __init__(self, inner: Any, opened: Callable[[McpQuestion], None]) -> None:
        self._inner, self._opened = inner, opened

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, text: str) -> int:
        for line in text.splitlines():
            if line.startswith("http://127.0.0.1:"):
                self._opened(McpQuestion("", "", url=line))
        return int(self._inner.write(text))


def test_login_and_logout_on_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    room = ToolRoom(capsys)
    asyncio.run(room.make("Work"))
    with guarded_server() as guarded:
        room.call("add", "guarded", guarded.url)
        assert "wants you to sign in" in room.call("review", "guarded")[2]
        with monkeypatch.context() as reading:
            reading.setattr(sys, "stderr", Reader(sys.stderr, browse))
            assert room.found("login", "guarded") == {
                "workspace": "Work",
                "server": "guarded",
                "state": "connected",
                "problem": "",
                "signed_in": True,
            }
        assert list(room.keys.kept) == ["mcp-sign-in:work/guarded"]
        (look,) = room.found("review", "guarded")["servers"]
        assert [tool["name"] for tool in look["tools"]] == ["secret"]
        assert room.found("logout", "guarded")["revoked"] is True
        assert room.keys.kept == {}
        assert room.call("login", "other")[0] == 2
