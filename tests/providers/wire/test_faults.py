"""What the faults themselves know."""

from __future__ import annotations

import pytest

from workbench.providers.wire.faults import NotAStream, Refused


@pytest.mark.parametrize(
    ("content_type", "body", "page"),
    [
        ("text/html; charset=x", b"", True),
        ("TEXT/HTML", b"", True),
        ("", b"  <html>", True),
        ("application/json", b"{}", False),
    ],
)
def test_a_web_page_is_known_by_its_type_or_its_first_character(content_type: str, body: bytes, page: bool):
    assert NotAStream(content_type, body).is_page is page


def test_a_refusal_prints_its_status_and_nothing_that_came_with_it():
    assert str(Refused(401, {"x-echo": "sk-canary"}, b"sk-canary")) == "status 401"
