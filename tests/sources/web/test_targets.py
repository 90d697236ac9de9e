"""Addresses that must not be asked: this computer, its network, and whatever two programs would read in two ways.

LibreChat CVE-2026-31943, Open WebUI CVE-2026-45400 and CVE-2026-45401 were of these kinds.
"""

from __future__ import annotations

import ipaddress
import socket

import pytest

from workbench.sources.web.targets import NotFetched, Target, is_public, parse_target, resolve

HOSTILE = [
    "http://localhost/",
    "http://LOCALHOST./",
    "http://intranet/",
    "http://printer.local/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://foo.localhost/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.0.0.1.:80/",
    "http://0.0.0.0/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[::127.0.0.1]/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://user:pass@example.org/",
    "http://example.org@127.0.0.1/",
    "http://127.0.0.1\\@example.org/",
    "http://example.org:22/",
    "http://example.org:8080/",
    "http://exa mple.org/",
    "http://example.org\r\nHost: other/",
    "http://example.org/\r\nX: y",
    "http://exam\u0000ple.org/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http:///etc/passwd",
    "http://",
    "https://example.org\t/",
    "file:///etc/passwd",
    "ftp://example.org/",
    "gopher://127.0.0.1:25/",
    "javascript://example.org/%0aalert(1)",
    "data:text/html,x",
    "http://example.org/" + "a" * 3000,
    "http://-example.org/",
    "http://example..org/",
    "http://1.2.3/",
    "http://example.1/",
]


@pytest.mark.parametrize("url", HOSTILE)
def test_what_is_not_a_plain_public_address_is_refused(url):
    # What is an address already needs no name to be looked up, and nothing is asked.
    with pytest.raises(NotFetched):
        resolve(parse_target(url), is_public)
    assert len(HOSTILE) >= 35


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.org", Target("https", "example.org", 443, "/")),
        ("HTTP://Example.ORG./a/b?c=d#e", Target("http", "example.org", 80, "/a/b?c=d")),
        ("https://example.org?x=1", Target("https", "example.org", 443, "/?x=1")),
        (
            "https://bücher.example/ä".replace("ä", "%C3%A4"),
            Target("https", "xn--bcher-kva.example", 443, "/%C3%A4"),
        ),
        ("http://93.184.216.34/", Target("http", "93.184.216.34", 80, "/")),
        ("http://example.org:443/x", Target("http", "example.org", 443, "/x")),
    ],
)
def test_a_plain_address_is_taken_apart_once(url, target):
    assert parse_target(url) == target


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True), ("2606:2800:220:1::1", True), ("::ffff:93.184.216.34", True),
        ("192.0.2.1", False), ("198.18.0.1", False), ("240.0.0.1", False), ("255.255.255.255", False),
        ("2001::1", False), ("ff02::1", False), ("64:ff9b::c0a8:1", False), ("2002:c0a8:1::", False),
    ],
)  # fmt: skip
def test_what_an_address_is_wrapped_in_does_not_help_it(address, public):
    assert is_public(ipaddress.ip_address(address)) is public


def test_a_name_that_stands_for_one_private_address_is_refused(monkeypatch):
    """One public answer beside a private one: the next look-up would have the other (DNS rebinding)."""

    def two(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(0, 0, 0, "", ("93.184.216.34", 80)), (0, 0, 0, "", ("10.0.0.1", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", two)
    with pytest.raises(NotFetched, match="own network"):
        resolve(parse_target("http://example.org/"), is_public)


def test_a_site_local_address_is_not_public():
    assert not is_public(ipaddress.ip_address("fec0::1"))
