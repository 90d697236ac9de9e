"""Exact delta counting against full recounting, side by side; and whether it is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

from tests.benchmarks.running.figures import Figure, Means, at_least, at_most, in_turn, middle, ratio, timed
from tests.context.count.test_cuts import FRAGMENTS
from workbench.context.count.memo import common_tokens, delta_count, first_safe_cut
from workbench.providers.tokenizer import RANK_FILES, TiktokenTokenizer

ROOT = Path(__file__).resolve().parents[2]
TEXT_CHARS = 100_000
TIMED_EDITS = 200
FUZZED_EDITS = 20_000
GOAL_RATIO = 20

Count = Callable[[str], int]


def figures(means: Means) -> Iterator[Figure]:
    """For each encoding: the speed by kind of text, and how many fuzzed edits were counted wrongly."""
    fuzzed = means.laps(FUZZED_EDITS)
    for name in RANK_FILES:
        tokenizer = TiktokenTokenizer(name, ROOT / "resources" / "encodings")
        tokenizer.count("load the ranks")
        for kind, text in sample_texts().items():
            deltas, recounts = delta_speed(text, tokenizer.count, means.laps(TIMED_EDITS))
            title = f"recount ÷ delta count, an edit in 100 KB of {kind}, {name}"
            yield ratio(title, recounts, deltas, at_least(GOAL_RATIO), "a delta count")
            yield middle(f"delta count, 100 KB of {kind}, {name}", deltas)
        wrong_edits, wrong_sums, pieces = fuzz(tokenizer, fuzzed)
        yield Figure(f"wrong of {fuzzed:,} fuzzed edits, {name}", wrong_edits, "", goal=at_most(0))
        yield Figure(f"wrong sums of {pieces:,} pieces, {name}", wrong_sums, "", goal=at_most(0))
        plain, cut = prefix_speed(tokenizer)
        yield ratio(f"common tokens of two texts, plain ÷ with cuts, {name}", plain, cut, against="with cuts")


def sample_texts() -> dict[str, str]:
    """What people attach: prose, code, and a file in which every line is indented."""
    code = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "workbench").rglob("*.py")))
    line = '        {{"id": {0}, "name": "entry {0}", "values": [{0}, 1.5, null]}},\n'
    prose = "The {0}th sentence of this chapter says little, but it says so at length and ends here.\n"
    return {
        "prose": _repeat(prose),
        "code": (code * (1 + TEXT_CHARS // len(code)))[:TEXT_CHARS],
        "indented JSON": "{\n" + _repeat(line) + "}\n",
    }


def _repeat(template: str) -> str:
    return "".join(template.format(number) for number in range(1 + TEXT_CHARS // len(template)))[:TEXT_CHARS]


def delta_speed(text: str, count: Count, edits: int) -> tuple[list[float], list[float]]:
    """Milliseconds of delta counts, and of recounts of the same edits."""
    random, known = Random(1), count(text)
    deltas, recounts = [], []
    for number in range(edits):
        place = random.randrange(len(text))
        edited = text[:place] + "x" + text[place:]
        deltas.append(timed(partial(delta_count, text, known, edited, count)))
        if number % 10 == 0:
            recounts.append(timed(partial(count, edited)))
    return deltas, recounts


def prefix_speed(tokenizer: TiktokenTokenizer) -> tuple[list[float], list[float]]:
    """Milliseconds until the shared tokens of two long texts are found: without cuts, and with."""
    left = sample_texts()["prose"]
    right = left[: TEXT_CHARS // 2] + "x" + left[TEXT_CHARS // 2 :]
    taken = in_turn(
        10,
        {
            "plain": lambda _: tokenizer.common_prefix(left, right),
            "cut": lambda _: common_tokens(left, right, tokenizer),
        },
    )
    return taken["plain"], taken["cut"]


def fuzz(tokenizer: TiktokenTokenizer, edits: int) -> tuple[int, int, int]:
    """Wrong delta counts, wrong sums over safely cut pieces, and pieces summed."""
    random, count = Random(2), tokenizer.count
    wrong_edits = wrong_sums = pieces = 0
    text, known = "", 0
    for _ in range(edits):
        start = random.randint(0, len(text))
        end = min(len(text), start + random.choice([0, 0, 1, 5, 40, 400 if len(text) > 3000 else 0]))
        edited = text[:start] + "".join(random.choices(FRAGMENTS, k=random.randint(0, 12))) + text[end:]
        expected = count(edited)
        wrong_edits += delta_count(text, known, edited, count) != expected
        if random.random() < 0.1:
            ends = list(pairwise(_cut_ends(edited)))
            pieces += len(ends)
            wrong_sums += sum(count(edited[first:last]) for first, last in ends) != expected
        text, known = edited, expected
    return wrong_edits, wrong_sums, pieces


def _cut_ends(text: str) -> list[int]:
    ends = [0]
    while ends[-1] < len(text):
        ends.append(first_safe_cut(text, ends[-1]))
    return ends
