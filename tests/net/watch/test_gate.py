"""Programs of this computer are let in; pages and other names for this computer are not."""

from __future__ import annotations

import pytest

from workbench.net.watch.proxy import refusal

HOST = {"host": "127.0.0.1:4040"}


@pytest.mark.parametrize(
    "headers",
    [
        HOST,
        {"host": "LOCALHOST:4040"},
        {"host": "[::1]:4040"},
        {**HOST, "origin": "http://127.0.0.1:4040"},
        {**HOST, "sec-fetch-site": "none", "sec-fetch-mode": "cors"},
        {**HOST, "upgrade": "h2c"},
    ],
)
def test_let_in(headers: dict[str, str]):
    assert refusal("POST", "/v1/messages", headers, 4040) is None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"host": "127.0.0.1"}, 403),
        ({"host": "127.0.0.1:4041"}, 403),
        ({"host": "127.0.0.1.evil.example:4040"}, 403),
        ({"host": "evil.example:4040"}, 403),  # a name that stands for this computer today
        ({**HOST, "origin": "http://evil.example"}, 403),
        ({**HOST, "origin": "http://127.0.0.1:9999"}, 403),
        ({**HOST, "origin": "null"}, 403),
        ({**HOST, "origin": ""}, 403),
        ({**HOST, "sec-fetch-site": "cross-site"}, 403),
        ({**HOST, "upgrade": "WebSocket"}, 426),
    ],
)
def test_kept_out(headers: dict[str, str], status: int):
    found = refusal("POST", "/v1/messages", headers, 4040)
    assert found is not None
    assert found.status == status


@pytest.mark.parametrize(("method", "target"), [("CONNECT", "/"), ("GET", "http://x/"), ("OPTIONS", "*")])
def test_it_is_no_proxy_for_everything(method: str, target: str):
    found = refusal(method, target, HOST, 4040)
    assert found is not None
    assert found.status == 400
