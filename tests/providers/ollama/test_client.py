"""The official Ollama client on our transport."""

from __future__ import annotations

import pytest

from workbench.domain.secrets import Secret
from workbench.providers.ollama.client import RawOllama, open_client
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.guarded_transport import GuardedTransport
from workbench.providers.wire.transport import Caps

PLACE = Endpoint("https://host.example/below", "m", Secret.of_text("sk-canary-0123456789"))


def test_it_is_the_official_client_on_our_transport():
    client = open_client(PLACE, Caps())
    assert isinstance(client, RawOllama)
    assert str(client._http.base_url) == "https://host.example/below/"
    assert isinstance(getattr(client._http._transport, "_inner", None), GuardedTransport)
    assert (client._http.follow_redirects, client._http.trust_env) == (False, False)


def test_it_does_not_hold_the_key():
    assert "canary" not in repr(open_client(PLACE, Caps())._http.headers)


def test_the_environment_says_nothing_about_where_to_ask(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://planted.example")
    assert str(open_client(PLACE, Caps())._http.base_url) == "https://host.example/below/"
