"""How the head of the inspector speaks of a request."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.sample_envelope import over_view, sample_view
from workbench.ui.inspector.head import digest_words, standing_badge, subtitle

SENT = replace(sample_view(), standing="in_flight", sent_utc="2026-11-12T14:06:00Z")


def test_the_subtitles_of_the_pictures(qapp):
    assert subtitle(sample_view()) == "next, turn 9"
    waiting = "next, turn 9, without answer 8 yet"
    assert subtitle(sample_view(), answering=True) == waiting
    assert subtitle(SENT) == "turn 9, sent 14:06"
    assert subtitle(replace(sample_view(), turn=3), sample=True) == "sample chat, turn 3"
    assert subtitle(replace(SENT, sent_utc="")) == "turn 9, sent"
    assert subtitle(replace(sample_view(), turn=3), edited=True) == "edit of turn 3, as it would be sent"


def test_the_badges_of_the_pictures():
    sent = standing_badge(SENT, matches=True)
    blocked = standing_badge(over_view(), matches=False)
    assert sent is not None
    assert blocked is not None
    assert (sent.tone, sent.word) == ("accent", "in flight, bytes match")
    assert (blocked.tone, blocked.icon, blocked.word) == ("err", "lock", "sending blocked")
    assert "14,486" in blocked.told
    assert standing_badge(sample_view(), matches=False) is None


def test_a_request_that_was_sent_says_that_it_is_old():
    badge = standing_badge(replace(SENT, standing="sent"), matches=True)
    assert badge is not None
    assert (badge.tone, badge.icon, badge.word) == ("neutral", "lock", "read-only")


def test_nothing_is_claimed_about_bytes_that_were_not_compared():
    badge = standing_badge(SENT, matches=False)
    assert badge is not None
    assert badge.word == "in flight"


def test_a_digest_is_shown_by_its_beginning():
    assert digest_words("4f0c92be1234", narrow=False) == "sha256 4f0c92be…"
    assert digest_words("4f0c92be1234", narrow=True) == "4f0c92be…"
    assert digest_words("", narrow=False) == ""
