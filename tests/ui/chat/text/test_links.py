"""Links: only three schemes can be opened, and only where the address is plain."""

from __future__ import annotations

import pytest

from workbench.ui.chat.text.safe_text import LONGEST_LINK, host_of, may_open

REFUSED = (
    "javascript:alert(1)",  # DeepChat CVE-2025-55733
    "JaVaScRiPt:alert(1)",
    "vbscript:msgbox(1)",
    "data:text/html,<script>1</script>",
    "file:///etc/passwd",
    "file://server/share/x.png",
    "smb://server/share",
    "ms-msdt:/id PCWDiagnostic",
    "ms-officecmd:x",
    "search-ms:query=x",
    "deepchat://start?msg=x",  # DeepChat CVE-2026-43899
    "ftp://example.org/x",
    "ssh://example.org",
    "tel:112",
    "qrc:/x.png",
    "about:blank",
    "blob:https://example.org/1",
    "view-source:https://example.org",
    "jar:http://example.org/x!/",
    "vscode://file/x",
    "//example.org/x",
    "/etc/passwd",
    "../x",
    "#here",
    "\\\\server\\share\\x",
    "https:example.org",
    "https://",
    "https:///x",
    "http://a b/",
    "http://example.org/\u202egnp.exe",
    "http://еxample.org/",
    "java\nscript:alert(1)",
    "\x01javascript:alert(1)",
    " https://example.org",
    "mailto:",
    "mailto://x",
    "",
    "https://example.org/" + "a" * LONGEST_LINK,
)


@pytest.mark.parametrize("url", REFUSED)
def test_anything_else_is_only_text(url: str):
    assert not may_open(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "https://example.org/a?b=c#d",
        "HTTPS://EXAMPLE.ORG/",
        "mailto:lena@example.org",
        "https://xn--e1afmkfd.example/",
        "https://[::1]:8080/x",
        "http://example.org/%E2%80%AE",
    ],
)
def test_a_plain_address_can_be_opened(url: str):
    assert may_open(url)


def test_the_host_is_the_one_the_browser_will_ask():
    assert host_of("https://bank.example@evil.example/login") == "evil.example"
    assert host_of("mailto:lena@example.org") == "lena@example.org"
    assert host_of("https://[broken") == ""
