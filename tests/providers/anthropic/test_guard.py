"""Where Anthropic takes requests, and the headers it wants."""

from __future__ import annotations

from workbench.domain.secrets import Secret
from workbench.providers.anthropic.guard import HEADERS, VERSION, guard_of
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.transport import Caps

ENDPOINT = Endpoint("https://api.anthropic.com", "m", Secret.of_text("sk-real"))


def test_the_key_has_a_header_of_its_own_and_the_version_goes_along():
    sent = dict(guard_of(ENDPOINT, Caps()).outgoing((n.encode(), v.encode()) for n, v in HEADERS))
    assert sent[b"x-api-key"] == b"sk-real"
    assert sent[VERSION[0].encode()] == VERSION[1].encode()
    assert b"authorization" not in sent


def test_the_key_is_not_shown():
    shown = dict(guard_of(ENDPOINT, Caps()).shown(HEADERS))
    assert (shown["x-api-key"], shown["anthropic-version"]) == ("•••", VERSION[1])
