"""Text that arrives in pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.text import repair_text
from workbench.providers.harness.harness import TextPieces


def joined(*pieces: str) -> str:
    text = TextPieces()
    return "".join(map(text.grow, pieces)) + text.rest()


def test_two_halves_of_a_character_become_one():
    assert joined("a\ud83c", "\udf0db") == "a🌍b"
    assert joined("a\ud83c", "", "\udf0db") == "a🌍b"
    assert joined("\ud83c\udf0d") == "🌍"


def test_half_a_character_alone_is_replaced():
    assert joined("a\ud83c", "b") == "a\ufffdb"
    assert joined("\udf0d", "b\ud83c") == "\ufffdb\ufffd"


@given(pieces=st.lists(st.text(st.characters(codec=None), max_size=5), max_size=5))
def test_other_text_is_given_on_unchanged_and_can_always_be_encoded(pieces: list[str]):
    text = joined(*pieces)
    text.encode()
    if not any("\ud800" <= char <= "\udfff" for piece in pieces for char in piece):
        assert text == "".join(pieces) == repair_text(text)
