"""What the rules allow, and which way they send it."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from workbench.net.rules import NotSent, Rules, is_private, is_proxy, target_of

PROXY = "http://proxy.example:3128"
THERE = target_of("https://api.example")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:11434", "http://localhost:1", "http://[::1]:2", "http://[::ffff:127.0.0.1]:3"]
)
def test_offline_leaves_this_computer_alone(url: str):
    Rules(offline=True).check(target_of(url))


@pytest.mark.parametrize("url", ["https://api.example", "http://192.168.1.2:80", "https://8.8.8.8"])
def test_offline_lets_nothing_out_and_says_how_to_end_it(url: str):
    with pytest.raises(NotSent, match=r"^Offline is switched on: nothing was sent\. .*offline = false"):
        Rules(offline=True).check(target_of(url))
    Rules().check(target_of(url))


def test_a_target_is_written_as_keys_are_kept_for():
    assert target_of("https://api.example/v1").origin == "https://api.example:443"
    assert target_of("http://[fd00::1]:8000/v1").origin == "http://[fd00::1]:8000"


def test_without_a_proxy_everything_is_asked_directly():
    assert Rules().proxy_for(THERE) == ""


def test_the_proxy_is_never_used_for_this_computer():
    rules = Rules(proxy=PROXY)
    assert rules.proxy_for(THERE) == PROXY
    assert rules.proxy_for(target_of("http://127.0.0.1:11434")) == ""


@pytest.mark.parametrize(
    ("entry", "url", "spared"),
    [
        ("api.example", "https://api.example", True),
        ("example", "https://api.example", True),
        (".example", "https://api.example", True),
        ("*.example", "https://api.example", True),
        ("ample", "https://api.example", False),
        ("api.example:8443", "https://api.example", False),
        ("api.example:443", "https://api.example", True),
        ("10.0.0.0/8", "https://10.2.3.4", True),
        ("10.0.0.0/8", "https://11.2.3.4", False),
        ("10.0.0.0/99", "https://10.2.3.4", False),
        ("fd00::/8", "https://[fd00::5]", True),
        ("*", "https://api.example", True),
    ],
)
def test_hosts_that_are_spared_the_proxy(entry: str, url: str, spared: bool):
    found = Rules(proxy=PROXY, no_proxy=("other.example", entry)).proxy_for(target_of(url))
    assert found == ("" if spared else PROXY)


@pytest.mark.parametrize(
    "proxy", ["proxy:3128", "socks5://p:1", "http://", "http://p:99999", "ftp://p", "http://p:0"]
)
def test_a_proxy_that_cannot_be_one_sends_nothing(proxy: str):
    """Going on without it could be what somebody wanted to avoid."""
    assert not is_proxy(proxy)
    with pytest.raises(NotSent, match="proxy in the settings"):
        Rules(proxy=proxy).proxy_for(THERE)


@pytest.mark.parametrize(
    ("address", "private"),
    [
        ("10.1.2.3", True), ("172.16.0.1", True), ("172.32.0.1", False), ("192.168.255.1", True), ("fd12::1", True),
        ("169.254.169.254", False), ("100.64.0.1", False), ("8.8.8.8", False), ("fe80::1", False),
        ("2001:db8::1", False), ("127.0.0.1", False), ("0.0.0.0", False),
    ],
)  # fmt: skip
def test_which_addresses_are_private(address: str, private: bool):
    assert is_private(ip_address(address)) is private
