"""What is kept of watching is read by older and newer programs alike."""

from __future__ import annotations

from workbench.domain.codec import decode, encode
from workbench.domain.watch.request import Passed, Watched
from workbench.domain.workspace import Filed


def test_a_chat_of_before_is_not_watched_and_a_mark_comes_back():
    old = encode(Filed(pinned=True))
    del old["watched"]
    assert decode(Filed, old) == Filed(pinned=True)
    marked = Filed(watched=Watched("claude-cli/2.1", "http://127.0.0.1:4040", "", 3))
    assert decode(Filed, encode(marked)) == marked


def test_what_passed_comes_back():
    passed = Passed(("{", "}"), ("long",), "/v1/messages", (("user-agent", "x"),), ("Read",), (0,), ("Read",))
    assert decode(Passed, encode(passed)) == passed
