"""A text cut to a length: head, tail and what stands between, and nothing torn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.turns import artifact, selection
from workbench.context.build.compact import Shortening
from workbench.context.build.fit import fitted_text, least_chars, recovery, rounded_chars
from workbench.domain.preferences import CompactionSettings

HOW = Shortening(CompactionSettings())
LOG = "".join(f"line {number} of a long log, with words in it\n" for number in range(1_000))


def cut(text: str, chars: int, how: Shortening = HOW) -> str:
    short = fitted_text(artifact("big.log", text), chars, how)
    assert short is not None
    return short


def test_head_and_tail_stay_and_the_gap_is_named():
    head, gap, rest = cut(LOG, 4_000).partition("[… ")
    tail, note = rest.partition("]\n")[2].rsplit("\n", 1)
    assert LOG.startswith(head.rstrip("\n"))
    assert LOG.rstrip("\n").endswith(tail)
    missing = len(LOG) - len(head) - len(tail)
    assert abs(int(rest.split(" ", 1)[0].replace(",", "")) - missing) <= 2
    assert note == f"[compacted from {len(LOG):,} characters; to have it in full: ask for big.log]"
    assert gap


def test_lines_are_not_torn():
    short = cut(LOG, 4_000)
    assert all(line in LOG.split("\n") for line in short.split("\n") if line.startswith("line"))


@pytest.mark.parametrize("chars", [1_000, 5_000, 20_000])
def test_about_as_much_stays_as_there_is_room_for(chars: int):
    kept = [line for line in cut(LOG, chars).split("\n") if line.startswith("line")]
    assert chars * 0.94 <= sum(len(line) + 1 for line in kept) <= chars


def test_the_headings_of_what_is_missing_stand_in_the_gap():
    text = "".join(f"## Part {number}\n\n{'some words ' * 60}\n\n" for number in range(40))
    short = cut(text, 6_000)
    gap = short.partition("in them stand:\n")[2].partition("\n…]")[0].split("\n")
    whole = short.replace("\n".join(gap), "")
    assert len(gap) > 20
    assert all(line.startswith("## Part ") and f"{line}\n" not in whole for line in gap)


def test_of_very_many_headings_every_so_many_th_is_named():
    text = "".join(f"# Heading number {number}\nshort\n" for number in range(2_000))
    gap = cut(text, 4_000).partition("in them stand:\n")[2].partition("\n…]")[0].split("\n")
    numbers = [int(line.rsplit(" ", 1)[1]) for line in gap]
    assert sum(len(line) + 1 for line in gap) <= 500
    assert max(numbers) - min(numbers) > 1_500


def test_declarations_stand_for_code_without_headings():
    text = "".join(f"def function_{number}(x):\n    return x + {number}\n\n\n" for number in range(600))
    assert "\ndef function_300(x):\n" in cut(text, 8_000)


@pytest.mark.parametrize("character", ["e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "ก็", "कि", "❤\ufe0f"])
def test_no_character_is_torn(character: str):
    text = character * 6_000
    head, _, rest = cut(text, 2_000).partition("\n[… ")
    tail = rest.partition("]\n")[2].rsplit("\n", 1)[0]
    assert (len(head) % len(character), len(tail) % len(character)) == (0, 0)


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


@given(st.integers(0, 10**8))
def test_a_length_is_rounded_by_less_than_one_part_in_64(chars: int):
    rounded = rounded_chars(chars)
    assert rounded <= chars < rounded + max(1, rounded / 63)
    assert rounded_chars(rounded) == rounded


_PIECES = st.sampled_from(
    ["word ", "\n", "# Heading\n", "```\n", "é", "👩\u200d👩\u200d👧", "def f(x):\n", "x" * 90]
)


@given(st.lists(_PIECES, min_size=40, max_size=200).map("".join), st.integers(0, 3_000))
def test_whatever_the_text_it_gets_shorter_or_stays_whole(text: str, chars: int):
    how = Shortening(CompactionSettings(20, 10, 2))
    short = fitted_text(artifact("a", text), chars, how)
    assert short is None or len(short) < len(text)
