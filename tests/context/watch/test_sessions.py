"""A session's requests are written one at a time."""

from __future__ import annotations

import json

from workbench.context.watch.sessions import Asked, Lines, Session, time_in


def test_a_request_has_what_was_said_in_its_own_field():
    one = Asked(7.0, ('{"a":1}', '{"b":2}'), {"model": "m"}, {"id": "r"}, (("session-id", "s"),))
    [anthropic] = Session("anthropic", asked=(one,)).exchanges()
    [responses] = Session("responses", asked=(one,)).exchanges()

    assert json.loads(anthropic.request) == {"model": "m", "messages": [{"a": 1}, {"b": 2}]}
    assert json.loads(responses.request) == {"model": "m", "input": [{"a": 1}, {"b": 2}]}
    assert (anthropic.n, anthropic.started_at, anthropic.header("session-id")) == (1, 7.0, "s")


def test_times():
    assert time_in({"timestamp": "2026-11-17T11:08:20.500Z"}) == 1794913700.5
    assert time_in({"timestamp": "yesterday"}) == 0.0
    assert time_in({}) == 0.0


def test_nothing_to_say_of_good_lines():
    lines = Lines()

    assert list(lines.objects(['{"a": 1}', "", "  "])) == [{"a": 1}]
    assert lines.notes() == ()
