"""The form of a watched request: its own bytes, where each text stands in them, and no key."""

from __future__ import annotations

import json
from hashlib import sha256

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.watched import agent_turns
from workbench.engine.watch.kept_turn import passed_form
from workbench.engine.watch.turn_of import Before, kept_request


def test_bytes_digest_places_and_headers():
    turn, exchange = agent_turns()[2]
    form = passed_form(kept_request("c", turn, exchange, WORD_MODEL, Before()).turn.built)
    assert form is not None
    assert (form.raw.encode(), form.body) == (exchange.request, json.loads(exchange.request))
    assert form.digest == sha256(exchange.request).hexdigest()
    assert form.url == "https://api.anthropic.com/v1/messages?beta=true"
    assert dict(form.headers) == {"user-agent": "claude-cli/2.1.197", "x-api-key": "•••"}
    assert form.stretches[0] == (("system", 0, "text"),)
    assert form.stretches[-1] == (
        ("messages", 4, "content", 0, "text"),
        ("messages", 4, "content", 1, "text"),
    )


def test_a_body_that_was_not_kept_has_no_form():
    turn, _ = agent_turns()[0]
    assert passed_form(kept_request("c", turn, None, WORD_MODEL, Before()).turn.built) is None
