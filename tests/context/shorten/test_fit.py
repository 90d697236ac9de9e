"""A text cut to a length by its shape: what it is told to be, how much stays, and nothing torn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.long_texts import long_code, long_log, long_prose, long_table
from tests.fakes.turns import artifact, selection
from workbench.context.shorten.compact import Shortening, joins
from workbench.context.shorten.fair_shares import chars_for
from workbench.context.shorten.fit import fitted_text, least_chars, plan_of, recovery
from workbench.domain.settings.context_settings import CompactionSettings

HOW = Shortening(CompactionSettings())
LOG = long_log(1, 1_000)
MAKERS: dict[str, Callable[[int, int], str]] = {
    "a.log": long_log,
    "a.py": long_code,
    "a.md": long_prose,
    "a.csv": long_table,
}


def test_the_last_line_says_how_to_have_the_rest():
    short = fitted_text(artifact("big.log", LOG), 4_000, HOW)
    assert short is not None
    note = short.rsplit("\n", 1)[1]
    assert note == f"[compacted from {len(LOG):,} characters; to have it in full: ask for big.log]"


def test_what_is_short_or_nowhere_else_goes_out_whole_or_not_at_all():
    assert fitted_text(artifact("a", "x" * 5_000), 100, HOW) is None
    assert fitted_text(selection(text=LOG), 100, HOW) is None
    assert fitted_text(artifact("a", LOG), len(LOG), HOW) is None


def test_only_what_the_model_can_do_is_named():
    one = artifact("a.md", LOG)
    assert recovery(one, HOW) == "ask for a.md"
    assert recovery(one, Shortening(CompactionSettings(), frozenset({"ls"}))) == "ask for a.md"
    assert recovery(one, Shortening(CompactionSettings(), frozenset({"read"}))) == "read a.md"


def test_at_least_two_sections_stay_of_a_long_text_and_a_quarter_of_a_shorter_one():
    assert least_chars(artifact("a", LOG), HOW) == 1_000
    assert least_chars(artifact("a", "x" * 800), HOW) == 200


@settings(max_examples=tries(60), deadline=None)
@given(st.sampled_from(sorted(MAKERS)), st.integers(0, 10**6), st.integers(150, 900), st.floats(0.05, 0.7))
def test_every_shape_uses_its_room_and_never_more(name: str, seed: int, lines: int, share: float):
    text = MAKERS[name](seed, lines)
    chars = max(1_500, int(share * len(text)))
    if chars >= len(text) * 0.8:
        return
    plan = plan_of(name, text)
    short = plan.cut(chars)
    assert 0.9 * chars <= len(short) <= chars
    assert short == plan_of(name, text).cut(chars)
    short.encode("utf-8")


@settings(max_examples=tries(60), deadline=None)
@given(st.sampled_from(sorted(MAKERS)), st.integers(0, 10**6), st.integers(200, 600), st.integers(200, 3_000))
def test_a_target_in_tokens_is_used_and_never_passed(name: str, seed: int, lines: int, tokens: int):
    """With a counter that is not even: a token is a word or a sign, or four characters of a long word."""
    one = artifact(name, MAKERS[name](seed, lines))
    whole = _tokens(one.text)
    if tokens >= 0.8 * whole:
        return

    def price(chars: int) -> int | None:
        short = fitted_text(one, chars, HOW)
        return None if short is None else _tokens(short)

    chars = chars_for(tokens, price, len(one.text), whole)
    assert chars is not None
    cost = price(chars)
    assert cost is not None
    assert 0.9 * tokens <= cost <= tokens


def _tokens(text: str) -> int:
    return sum(1 + len(word) // 4 for word in text.replace("\n", " \n ").split(" ") if word)


_PIECES = st.sampled_from(
    ["word ", "\n", "\n\n", "# Heading\n", "```\n", "é", "👩\u200d👩\u200d👧", "def f(x):\n    y\n", "x" * 90,
     "e\u0301. ", "a,b\n", "| a | b |\n", "2026-01-01 10:00:00 ERROR no\n", '"']
)  # fmt: skip
_NAMES = st.sampled_from(["a", "a.md", "a.py", "a.js", "a.log", "a.csv", "a.xlsx#S!A1:B2"])


@settings(max_examples=tries(200), deadline=None)
@given(_NAMES, st.lists(_PIECES, min_size=40, max_size=300).map("".join), st.integers(0, 3_000))
def test_whatever_the_text_it_gets_shorter_or_stays_whole(name: str, text: str, chars: int):
    how = Shortening(CompactionSettings(20, 10, 2))
    short = fitted_text(artifact(name, text), chars, how)
    assert short is None or len(short) < len(text)
    assert short == fitted_text(artifact(name, text), chars, how)


@pytest.mark.parametrize("name", sorted(MAKERS))
@pytest.mark.parametrize("character", ["e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "कि"])
def test_no_character_is_torn_in_any_shape(name: str, character: str):
    """Whatever stands at the end of a piece stands so in the text: nothing that belongs to it is left behind."""
    text = MAKERS[name](3, 400).replace("e", character)
    plan = plan_of(name, text)
    for chars in range(1_500, 6_000, 333):
        for line in plan.cut(chars).split("\n"):
            kept = line.rstrip(" …[]")
            at = text.find(kept)
            end = at + len(kept)
            torn = at >= 0 and 0 < end < len(text) and joins(text[end - 1], text[end])
            assert not torn or any(not joins(kept[-1], one) for one in _followers(text, kept))


def _followers(text: str, piece: str) -> list[str]:
    """What follows each place where a piece occurs."""
    found, at = [], text.find(piece)
    while at >= 0:
        found.append(text[at + len(piece) : at + len(piece) + 1] or "\n")
        at = text.find(piece, at + 1)
    return found
