"""The official client, with its own ways taken from it."""

from __future__ import annotations

import asyncio
import logging
import re
import subprocess
import sys
from types import ModuleType

import pytest

from tests.fakes.loop import in_loop
from workbench.domain.secrets import Secret
from workbench.providers.openai.client import OfficialClient, open_client
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.guarded_transport import GuardedTransport, PlainClient
from workbench.providers.wire.transport import Caps

PLACE = Endpoint("https://host.example/v1", "m", Secret.of_text("sk-canary-0123456789"))


def test_it_is_the_official_client_on_our_transport():
    client = open_client(PLACE, Caps())
    assert str(client.base_url) == "https://host.example/v1/"
    assert client.max_retries == 0
    assert isinstance(client._client._transport, GuardedTransport)
    assert (client._client.follow_redirects, client._client.trust_env) == (False, False)


def test_it_does_not_hold_the_key():
    client = open_client(PLACE, Caps())
    assert "canary" not in repr([client.api_key, client.default_headers, client.auth_headers])


def test_the_environment_has_no_influence(monkeypatch: pytest.MonkeyPatch):
    before = open_client(PLACE, Caps())
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET", "BASE_URL", "LOG"):
        monkeypatch.setenv(f"OPENAI_{name}", "planted")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Planted: planted\nAccept: planted")
    after = open_client(PLACE, Caps())
    assert after.default_headers == before.default_headers
    assert (after.api_key, after.admin_api_key, after.webhook_secret) == ("none", "", "")
    assert after.base_url == before.base_url


def test_its_logger_is_quiet_even_if_it_was_told_to_talk():
    logging.getLogger("openai").setLevel(logging.DEBUG)
    open_client(PLACE, Caps())
    assert logging.getLogger("openai").level == logging.WARNING


def test_httpx_that_another_thread_still_imports_is_left_alone(monkeypatch: pytest.MonkeyPatch):
    """Opening Ollama at the same moment failed so: the module was there, and nothing in it yet."""
    monkeypatch.setitem(sys.modules, "httpx", ModuleType("httpx"))
    client = open_client(PLACE, Caps())
    assert client.with_options(timeout=3.0).timeout == 3.0


async def _heads_and_bodies(client: OfficialClient | PlainClient, server: _Recording) -> list[bytes]:
    async with client.post_bytes(
        "/chat/completions", b'{"model":"m"}', 3.0, {"x-session": "s 1"}
    ) as response:
        assert await response.aread() == b"{}"
    assert await client.models(3.0) == b"{}"
    await client.close()
    return server.taken()


class _Recording:
    """Keeps the bytes of every request as they came, and answers with an empty table."""

    def __init__(self) -> None:
        self._heard: list[bytes] = []

    def taken(self) -> list[bytes]:
        heard, self._heard = self._heard, []
        return heard

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        self._heard.append(head + (await reader.readexactly(int(length[1])) if length else b""))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()


@in_loop
async def test_other_servers_are_sent_the_same_bytes_without_its_library():
    """Importing it takes longer than all the rest of a request."""
    heard = _Recording()
    async with await asyncio.start_server(heard.answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/below/v1"
        place = Endpoint(url, "m", Secret.of_text("sk-canary-0123456789"), session="x-session")
        official = await _heads_and_bodies(OfficialClient(place, Caps()), heard)
        assert await _heads_and_bodies(PlainClient(place, Caps()), heard) == official
        assert [each.partition(b"\r\n")[0] for each in official] == [
            b"POST /below/v1/chat/completions HTTP/1.1",
            b"GET /below/v1/models HTTP/1.1",
        ]


def test_only_openais_own_models_load_the_official_client():
    program = (
        "import asyncio, sys; from workbench.providers.openai.model import OpenAiModel as Model; "
        "from workbench.providers.wire.endpoint import endpoint_of; "
        "model = Model(endpoint_of(sys.argv[1], lambda _: None)); "
        "asyncio.run(model.ready(lambda *_: None)); print('openai' in sys.modules)"
    )
    for name, loaded in (("server:http://127.0.0.1:9/v1#m", "False"), ("openai:gpt-4.1", "True")):
        ran = subprocess.run([sys.executable, "-c", program, name], capture_output=True, text=True)
        assert ran.stdout.strip() == loaded, ran.stderr
