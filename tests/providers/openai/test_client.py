"""The official client, with its own ways taken from it."""

from __future__ import annotations

import logging
import sys
from types import ModuleType

import pytest

from workbench.domain.secrets import Secret
from workbench.providers.openai.client import open_client
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.guarded_transport import GuardedTransport
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
