"""A connection as it is shown."""

from __future__ import annotations

from workbench.domain.connection import ConnectionMade


def test_nothing_is_said_of_what_is_not_known():
    made = ConnectionMade("h.example:443", "model")
    assert (made.at, made.via, made.sent_bytes, made.received_bytes) == ("", "", 0, 0)
