"""Secrets are taken out of text, in whichever form they come back."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.secrets import Secret
from workbench.providers.wire.redaction import PLACEHOLDER, Redactor

KEY = "canary/7f3a9c51+e0b2d846=aa0917"
redact = Redactor([Secret.of_text(KEY)])


@pytest.mark.parametrize(
    "echo",
    [
        KEY,
        f"Bearer {KEY}",
        quote(KEY, safe=""),
        base64.b64encode(KEY.encode()).decode(),
        KEY[:16],
        KEY[-12:],
        KEY * 2,
    ],
)
def test_a_known_key_is_replaced_whole_or_in_part(echo: str):
    assert redact(f"You sent {echo} to us") == f"You sent {PLACEHOLDER} to us".replace(
        PLACEHOLDER, PLACEHOLDER * (2 if echo == KEY * 2 else 1)
    )


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-ab***yz.",
        "authorization: bearer abcdef123",
        "gsk_0123456789abc",
        "AIzaSyD-12345",
    ],
)
def test_what_looks_like_a_key_is_replaced_even_if_nobody_knows_it(text: str):
    changed = Redactor()(text)
    assert PLACEHOLDER in changed
    assert not any(part in changed for part in ("sk-ab", "abcdef123", "0123456789abc", "SyD-12345"))


@pytest.mark.parametrize("text", ["", "The model is asleep.", "a risk-free task", "bearer", "sky-high"])
def test_other_text_stays_as_it_is(text: str):
    assert redact(text) == text


def test_a_placeholder_for_a_key_does_not_garble_sentences():
    assert (
        Redactor([Secret.of_text("none"), Secret.of_text(""), Secret.of_text("x")])("none of x")
        == "none of x"
    )


@given(before=st.text(max_size=20), after=st.text(max_size=20), cut=st.integers(0, len(KEY) - 8))
def test_no_eight_characters_of_a_key_survive(before: str, after: str, cut: int):
    changed = redact(f"{before}{KEY[cut:]}{after}")
    assert not any(KEY[at : at + 8] in changed for at in range(len(KEY) - 7))
