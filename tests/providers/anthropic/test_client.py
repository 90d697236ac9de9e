"""The official client, held: the environment, its logs and its traces have no say."""

from __future__ import annotations

import asyncio
import logging

import pytest

from workbench.domain.secrets import Secret
from workbench.providers.anthropic.client import open_client
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.transport import Caps

ENVIRONMENT = {
    "ANTHROPIC_API_KEY": "sk-from-the-environment",
    "ANTHROPIC_AUTH_TOKEN": "token-from-the-environment",
    "ANTHROPIC_BASE_URL": "https://elsewhere.example",
    "ANTHROPIC_CUSTOM_HEADERS": "x-evil: yes",
    "ANTHROPIC_WEBHOOK_SIGNING_KEY": "whsec",
    "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE": "content",
    "HTTPS_PROXY": "http://127.0.0.1:9",
}


def test_the_environment_has_no_influence(monkeypatch: pytest.MonkeyPatch):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    client = open_client(Endpoint("https://api.anthropic.com", "m", Secret.of_text("sk-real")), Caps())
    shown = f"{client.default_headers} {client.base_url} {client.webhook_key} {client.auth_headers}"
    assert "environment" not in shown
    assert "elsewhere" not in shown
    assert "evil" not in shown
    assert "sk-real" not in shown
    assert (client.max_retries, client.open_telemetry["traces"]["enabled"]) == (0, False)
    assert logging.getLogger("anthropic").level >= logging.WARNING
    asyncio.run(client.close())
