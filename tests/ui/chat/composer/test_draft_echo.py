"""Echoes of what was typed, and drafts that somebody else changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.chat.composer.recollection import MOST_PENDING, DraftEcho


def typed(echo: DraftEcho, *texts: str) -> None:
    for text in texts:
        echo.sent(text)


def test_a_late_echo_is_not_taken_for_a_change():
    """It would take back what was typed since."""
    echo = DraftEcho()
    typed(echo, "h", "he", "hel")
    assert not echo.is_foreign("h")
    assert not echo.is_foreign("he")
    assert not echo.is_foreign("hel")


def test_the_state_before_the_first_keystroke_is_no_change():
    echo = DraftEcho("draft")
    typed(echo, "draft!")
    assert not echo.is_foreign("draft")


def test_what_nobody_typed_here_is_foreign():
    echo = DraftEcho()
    typed(echo, "h")
    assert echo.is_foreign("an example question")
    assert not echo.is_foreign("an example question")


def test_going_back_to_an_earlier_text_is_still_an_echo():
    echo = DraftEcho()
    typed(echo, "a", "ab", "a")
    assert not any(echo.is_foreign(text) for text in ("a", "ab", "a"))


@given(st.lists(st.sampled_from(["a", "ab", "abc", ""]), max_size=30), st.data())
def test_any_part_of_what_was_typed_comes_back_as_an_echo(texts: list[str], data: st.DataObject):
    """The engine may leave states out, but never changes their order."""
    echo = DraftEcho("x")
    typed(echo, *texts)
    places = data.draw(st.sets(st.integers(0, max(0, len(texts) - 1)))) if texts else set()
    assert not any(echo.is_foreign(texts[place]) for place in sorted(places))


def test_a_long_wait_does_not_fill_the_memory():
    echo = DraftEcho()
    typed(echo, *(str(n) for n in range(MOST_PENDING * 2)))
    assert not echo.is_foreign(str(MOST_PENDING * 2 - 1))


def test_words_that_were_skipped_are_no_echo_later():
    """Typed and taken away in one burst, the engine never showed them; given back later, they are news."""
    echo = DraftEcho("")
    typed(echo, "hi", "")
    assert not echo.is_foreign("")
    typed(echo, "hi")
    assert not echo.is_foreign("hi")
    typed(echo, "")
    assert not echo.is_foreign("")
    assert echo.is_foreign("hi")
