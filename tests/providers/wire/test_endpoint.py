"""Which addresses may be used, in which one form, and whose key they get."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.secrets import Secret
from workbench.providers.wire.endpoint import (
    Endpoint,
    check_base_url,
    endpoint_of,
    is_loopback,
    is_near,
    origin,
)

USABLE = {
    "https://api.example.com/v1": "https://api.example.com/v1",
    "HTTPS://API.Example.COM/V1": "https://api.example.com/V1",
    "https://api.example.com:443/v1/": "https://api.example.com/v1",
    "https://api.example.com:8443": "https://api.example.com:8443",
    "https://api.example.com.": "https://api.example.com",
    "https://api.example.com:/v1": "https://api.example.com/v1",
    "https://xn--bcher-kva.example/v1": "https://xn--bcher-kva.example/v1",
    "http://127.0.0.1:8080/v1": "http://127.0.0.1:8080/v1",
    "http://127.254.0.9": "http://127.254.0.9",
    "http://localhost:11434": "http://localhost:11434",
    "http://LOCALHOST.:80/": "http://localhost",
    "http://[::1]:8080": "http://[::1]:8080",
    "http://[0:0:0:0:0:0:0:1]": "http://[::1]",
    "http://[::ffff:127.0.0.1]:1234": "http://127.0.0.1:1234",
    "https://[::ffff:8.8.8.8]": "https://8.8.8.8",
    "https://[2001:DB8::1]/v1": "https://[2001:db8::1]/v1",
}
REFUSED = {
    "": "https://",
    "api.example.com": "https://",
    "ftp://example.com": "https://",
    "file:///etc/passwd": "https://",
    "http://api.example.com/v1": "http:// can be read",
    "http://192.168.1.5:11434": "http:// can be read",
    "http://10.0.0.1": "http:// can be read",
    "http://0.0.0.0:8080": "http:// can be read",
    "http://[::]": "http:// can be read",
    "http://[::ffff:192.168.1.5]": "http:// can be read",
    "http://localhost.evil.example": "http:// can be read",
    "http://foo.localhost": "http:// can be read",
    "http://127.0.0.1.evil.example": "http:// can be read",
    "https://user:secret@example.com": "user name or password",
    "http://127.0.0.1@evil.example/": "user name or password",
    "http://evil.example@127.0.0.1/": "user name or password",
    "https://example.com/v1?key=secret": "without ? or #",
    "https://example.com/v1?": "without ? or #",
    "https://example.com/v1#x": "without ? or #",
    "https://example.com\\@evil.example/": "characters",
    "https:\\\\example.com": "characters",
    "https://exam ple.com": "characters",
    "https://example.com/\n": "characters",
    "\thttps://example.com": "characters",
    "https://exa\u00admple.com": "characters",
    "https://еxample.com": "characters",
    "http://１２７.０.０.１": "characters",
    "http://127。0。0。1": "characters",
    "http://2130706433": "four numbers",
    "http://0x7f000001": "four numbers",
    "http://0177.0.0.1": "four numbers",
    "http://127.1": "four numbers",
    "https://1.2.3.4.5": "four numbers",
    "https://999.1.1.1": "four numbers",
    "https://example.com:0": "cannot be read",
    "https://example.com:99999": "cannot be read",
    "https://example.com:+443": "cannot be read",
    "https://[::1": "cannot be read",
    "https://[::1]evil.example": "cannot be read",
    "https://evil.example[::1]": "cannot be read",
    "https://[fe80::1%25eth0]": "cannot be read",
    "https://": "not a name",
    "https:///v1": "not a name",
    "https://exa%6dple.com": "not a name",
    "https://-.example.com": "not a name",
    "https://a..b": "not a name",
}


@pytest.mark.parametrize(("url", "normal"), USABLE.items())
def test_an_address_has_one_form(url: str, normal: str):
    assert check_base_url(url) == normal
    assert check_base_url(normal) == normal


@pytest.mark.parametrize(("url", "reason"), REFUSED.items())
def test_a_dangerous_or_unclear_address_is_refused_with_its_reason(url: str, reason: str):
    with pytest.raises(InvalidInput, match="cannot be used") as refused:
        check_base_url(url)
    assert reason in str(refused.value)


def test_a_refusal_does_not_repeat_a_password():
    with pytest.raises(InvalidInput) as refused:
        check_base_url("https://me:hunter2@example.com")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("https://API.openai.com/v1", "https://api.openai.com:443"),
        ("https://api.openai.com.", "https://api.openai.com:443"),
        ("http://localhost/x", "http://localhost:80"),
        ("http://[::1]:8080/v1", "http://[::1]:8080"),
        ("http://[::ffff:127.0.0.1]", "http://127.0.0.1:80"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, where: str):
    assert origin(url) == where


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.9.9.9", True),
        ("http://[::1]", True),
        ("http://localhost", True),
        ("https://127.0.0.1.x", False),
    ],
)
def test_loopback_is_this_computer_only(url: str, local: bool):
    assert is_loopback(url) is local


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai:gpt-4o", Endpoint("https://api.openai.com/v1", "gpt-4o")),
        ("ollama:llama3.2", Endpoint("http://127.0.0.1:11434", "llama3.2", local=True)),
        ("ollama:hf.co/a/b:Q4_K_M", Endpoint("http://127.0.0.1:11434", "hf.co/a/b:Q4_K_M", local=True)),
        ("ollama:phi@https://box.example/o", Endpoint("https://box.example/o", "phi")),
        ("server:http://127.0.0.1:8080#m", Endpoint("http://127.0.0.1:8080/v1", "m", local=True)),
        ("server:http://127.0.0.1:8080/#m", Endpoint("http://127.0.0.1:8080/v1", "m", local=True)),
        ("server:https://h.example/api/v1#a/b#c", Endpoint("https://h.example/api/v1", "a/b#c")),
        ("server:http://[::1]:9#m", Endpoint("http://[::1]:9/v1", "m", local=True)),
    ],
)
def test_a_name_says_where_a_model_is_served(name: str, expected: Endpoint):
    provider = name.partition(":")[0]
    assert endpoint_of(name, lambda _: None) == replace(expected, provider=provider)


def test_openai_may_be_asked_at_a_gateway():
    found = endpoint_of("openai:gpt-4o", Secret.of_text, "https://gw.example")
    assert (found.base_url, found.model, found.provider) == ("https://gw.example/v1", "gpt-4o", "openai")
    assert found.key == Secret.of_text("https://gw.example:443")


@pytest.mark.parametrize(
    "name",
    ["openai:", "ollama:", "server:https://x.example/v1", "server:https://x.example#", "ollama:a@", "builtin", "x:y",
     "ollama:a@192.168.1.5:11434", "ollama:a@https://b@c", "openai:a\nb", "server:#m"],
)  # fmt: skip
def test_a_name_that_says_nothing_usable_is_refused(name: str):
    with pytest.raises(InvalidInput):
        endpoint_of(name, lambda _: None)


def test_another_host_never_gets_this_ones_key():
    """Changing the host of an address must drop its key: the new one may be anybody's."""
    keys = {"https://good.example:443": Secret.of_text("k")}
    assert endpoint_of("server:https://good.example/v1#m", keys.get).key == Secret.of_text("k")
    assert endpoint_of("server:https://GOOD.example.:443/other#m", keys.get).key == Secret.of_text("k")
    for other in ("https://evil.example", "https://good.example:444", "https://good.example.evil.example"):
        assert endpoint_of(f"server:{other}#m", keys.get).key is None


def test_an_endpoint_shows_its_host_and_never_its_key():
    endpoint = endpoint_of("server:https://Good.example:444/v1#m", lambda _: Secret.of_text("sk-canary"))
    assert endpoint.host == "good.example:444"
    assert "canary" not in repr(endpoint)


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("http://127.0.0.1:11434", True), ("http://localhost", True), ("https://192.168.1.4", True),
        ("https://[fd00::1]:8080", True), ("https://lab", True), ("https://lab.local", True),
        ("https://api.openai.com", False), ("https://8.8.8.8", False), ("https://local.example", False),
    ],
)  # fmt: skip
def test_what_is_near_says_so_by_its_address(url: str, near: bool):
    assert is_near(url) is near
