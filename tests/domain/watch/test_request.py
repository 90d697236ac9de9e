"""A watched request is as long as its pieces."""

from __future__ import annotations

from workbench.domain.codec import decode, encode
from workbench.domain.watch.request import Passed, Watched, WatchedPiece, WatchedRequest
from workbench.domain.workspace import Filed


def test_a_request_has_the_tokens_of_its_pieces() -> None:
    pieces = (
        WatchedPiece("system", "L1_SYSTEM", "system", "Be brief.", tokens=3),
        WatchedPiece("messages[0].content", "L5_USER", "question", "Why?", tokens=2),
    )

    assert WatchedRequest("openai", "m", pieces).tokens == 5


# What is kept of watching is read by older and newer programs alike.


def test_a_chat_of_before_is_not_watched_and_a_mark_comes_back():
    old = encode(Filed(pinned=True))
    del old["watched"]
    assert decode(Filed, old) == Filed(pinned=True)
    marked = Filed(watched=Watched("claude-cli/2.1", "http://127.0.0.1:4040", "", 3))
    assert decode(Filed, encode(marked)) == marked


def test_what_passed_comes_back():
    passed = Passed(("{", "}"), ("long",), "/v1/messages", (("user-agent", "x"),), ("Read",), (0,), ("Read",))
    assert decode(Passed, encode(passed)) == passed
