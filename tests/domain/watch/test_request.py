"""A watched request is as long as its pieces."""

from __future__ import annotations

from workbench.domain.watch.request import WatchedPiece, WatchedRequest


def test_a_request_has_the_tokens_of_its_pieces() -> None:
    pieces = (
        WatchedPiece("system", "L1_SYSTEM", "system", "Be brief.", tokens=3),
        WatchedPiece("messages[0].content", "L5_USER", "question", "Why?", tokens=2),
    )

    assert WatchedRequest("openai", "m", pieces).tokens == 5
