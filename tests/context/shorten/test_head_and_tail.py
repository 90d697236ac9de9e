"""A text of no known shape: head, tail and what stands between."""

from __future__ import annotations

import pytest

from workbench.context.shorten.head_and_tail import HeadAndTail

LINES = "".join(f"line {number} of a long text, with words in it\n" for number in range(1_000))


def cut(text: str, chars: int) -> str:
    return HeadAndTail(text).cut(chars)


def test_head_and_tail_stay_and_the_gap_is_named():
    head, gap, rest = cut(LINES, 4_000).partition("[… ")
    tail = rest.partition("]\n")[2]
    assert LINES.startswith(head.rstrip("\n"))
    assert LINES.rstrip("\n").endswith(tail)
    missing = len(LINES) - len(head) - len(tail)
    assert abs(int(rest.split(" ", 1)[0].replace(",", "")) - missing) <= 2
    assert gap


def test_lines_are_not_torn():
    assert all(line in LINES.split("\n") for line in cut(LINES, 4_000).split("\n") if line.startswith("line"))


@pytest.mark.parametrize("chars", [1_000, 5_000, 20_000])
def test_about_as_much_stays_as_there_is_room_for(chars: int):
    kept = [line for line in cut(LINES, chars).split("\n") if line.startswith("line")]
    assert chars * 0.9 <= sum(len(line) + 1 for line in kept) <= chars


@pytest.mark.parametrize("chars", [0, 1, 10, 60, 100, 200, 400, 1_000, 5_000, 20_000])
@pytest.mark.parametrize(
    "text",
    [
        LINES,
        "word " * 20_000,
        "x" * 50_000,
        "漢字かな。" * 8_000,
        "# Head\n" * 8_000,
        "def f(x): pass\n" * 4_000,
    ],
)
def test_never_more_than_was_asked_for_and_most_of_it_is_used(text: str, chars: int):
    short = cut(text, chars)
    assert len(short) <= chars
    assert len(short) >= chars * 0.7


def test_what_is_short_enough_stays_whole():
    assert cut("A few words.", 12) == "A few words."


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
    short = cut(text, 8_000)
    assert any(f"\ndef function_{number}(x):\n" in short for number in range(295, 306))


@pytest.mark.parametrize("character", ["e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "ก็", "कि", "❤\ufe0f"])
def test_no_character_is_torn(character: str):
    head, _, rest = cut(character * 6_000, 2_000).partition("\n[… ")
    tail = rest.partition("]\n")[2]
    assert (len(head) % len(character), len(tail) % len(character)) == (0, 0)
