"""A summary names what it stands for, and is kept with the chat."""

from __future__ import annotations

from workbench.domain.codec import decode, encode
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning

RUN = Summary("s", "Short.", ("u1", "a1"), "gpt-4o", "2026-01-01T00:00:00Z", 3, 18)
FILE = Summary("f", "Short.", ("a.md",), content_digest="d")


def test_it_says_what_it_stands_for():
    assert RUN.what == "turns 3–18, 2 messages"
    assert Summary("s", "", ("u1",), first_turn=3, last_turn=3).what == "turn 3, 1 message"
    assert RUN.chunk.body == "[turns 3–18, 2 messages, in short]\nShort."
    assert (RUN.chunk.action, RUN.chunk.original_count) == ("progress_summary", 2)


def test_tuning_keeps_them_and_knows_which_messages_are_in_one():
    tuning = Tuning(pinned=frozenset({"p"}), summaries=(RUN, FILE))
    assert decode(Tuning, encode(tuning)) == tuning
    assert tuning.summarised == {"u1", "a1"}
    assert tuning.summary_ids == {"s"}
    assert tuning.kept == {"p", "s"}


def test_what_was_kept_before_there_were_any_still_opens():
    written = encode(Tuning(pinned=frozenset({"p"})))
    del written["summaries"]
    assert decode(Tuning, written) == Tuning(pinned=frozenset({"p"}))
