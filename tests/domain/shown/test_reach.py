"""What is known of a chat that is not in view."""

from __future__ import annotations

from workbench.domain.shown.reach import ChatReach


def test_a_chat_that_was_never_sent_is_known_to_have_nothing_said_about_it():
    one = ChatReach("a")
    assert (one.known, one.until_utc, one.cached_tokens, one.reread_usd) == (False, "", 0, None)
