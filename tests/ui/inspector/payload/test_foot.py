"""Whether the bytes shown are the bytes sent: three states, and none of them guessed."""

from __future__ import annotations

from tests.fakes.requests_shown import sent_view
from tests.fakes.sample_envelope import sample_view
from workbench.ui.inspector.payload.foot import Check, PayloadFoot, foot_words

DIGEST = "a91c03d7" + "0" * 56


def test_the_next_request_is_compared_when_it_is_sent():
    words = foot_words(sample_view(), None, 47_802)
    assert (words.tone, words.badge) == ("neutral", "")
    assert words.line == "This request: 47,802 bytes, compared when you send."


def test_the_last_turn_was_sent_as_it_was_shown():
    words = foot_words(sample_view(), Check(8, DIGEST, DIGEST), 10)
    assert (words.tone, words.badge, words.digest) == ("ok", "turn 8: bytes shown = bytes sent", DIGEST)


def test_other_bytes_than_those_shown_are_an_alarm():
    words = foot_words(sent_view(), Check(7, "0" * 64, DIGEST), 10)
    assert words.tone == "err"
    assert words.badge == "turn 7: bytes sent differ from those shown"
    assert words.line == "What is shown was built again, and is not what went out."


def test_what_nobody_knows_is_not_claimed():
    assert foot_words(sent_view(), Check(7, DIGEST, ""), 10).badge == ""
    unknown = foot_words(sent_view(), Check(7, "", DIGEST), 10)
    assert (unknown.tone, unknown.badge) == ("neutral", "turn 7: sent")


def test_the_size_is_left_open_until_it_is_counted():
    assert foot_words(sent_view(), None, None).line == "Turn 7: … bytes, as sent."


def test_the_foot_shows_the_beginning_of_a_digest_and_speaks_all_of_it(qtbot):
    foot = PayloadFoot()
    qtbot.addWidget(foot)
    foot.say(foot_words(sample_view(), Check(8, DIGEST, DIGEST), 10))
    assert foot._digest.text() == "a91c03d7…"
    assert foot._digest.accessibleName() == f"Digest {DIGEST}"
    foot.say(foot_words(sample_view(), None, 10))
    assert not foot._badge.isVisibleTo(foot)
