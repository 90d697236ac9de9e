"""What is found is a plain value: kept with the request that quotes it, and equal when nothing differs."""

from __future__ import annotations

from workbench.domain.codec import decode, encode
from workbench.domain.recall import FOUND_KINDS, Found, MatchedWord, Wanted
from workbench.domain.settings.context_settings import ContextSettings


def test_it_goes_through_the_store_with_its_words():
    word = MatchedWord("retry", "retries", "exact", 2.5, "retri")
    found = Found("m1", 2.5, words=(word,), said_utc="2026-01-01T00:00:00Z", chat="c2", title="Other")
    assert decode(Found, encode(found)) == found
    assert found.kind in FOUND_KINDS


def test_when_something_was_said_does_not_make_another_wish():
    wanted = Wanted("talk", "?", ContextSettings(), times={"m1": "now"})
    assert wanted == Wanted("talk", "?", ContextSettings())
