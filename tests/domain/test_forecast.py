"""What a server says about a request before it is sent."""

from __future__ import annotations

from workbench.domain.caching import Measurement


def test_a_request_has_as_many_tokens_as_ends():
    assert Measurement("Hi there", (2, 8), cached_tokens=1).prompt_tokens == 2
