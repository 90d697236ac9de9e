"""The recorded program: its requests are there with the sizes they had, and without any key."""

from __future__ import annotations

import json

from workbench.showroom.setup import ADDRESS, recorded


def test_two_conversations_are_recorded_and_no_key_is_in_them():
    played = [exchange for _, exchange in recorded("2026-11-12")]
    sessions = [exchange.header("x-claude-code-session-id") for exchange in played]
    assert (len(played), len(set(sessions))) == (6, 2)
    names = {name for exchange in played for name, _ in exchange.headers}
    assert not names & {"authorization", "x-api-key", "cookie"}
    last = json.loads(played[-1].request)
    assert (len(played[-1].request), len(last["tools"])) == (115_508, 24)
    assert ADDRESS.startswith("http://127.0.0.1:")
