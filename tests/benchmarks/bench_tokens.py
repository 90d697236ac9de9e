"""Exact delta counting against full recounting, side by side: `python -m tests.benchmarks.bench_tokens`.

Figures are ratios of times measured in this run, so they can be compared between machines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from tests.context.count.test_cuts import FRAGMENTS
from workbench.context.count.cuts import common_tokens, delta_count, first_safe_cut
from workbench.providers.tokenizer import RANK_FILES, TiktokenTokenizer

ROOT = Path(__file__).resolve().parents[2]
TEXT_CHARS = 100_000
TIMED_EDITS = 200
FUZZED_EDITS = 20_000
GOAL_RATIO = 20

Count = Callable[[str], int]


def main() -> int:
    """Print every figure; the exit code says whether all goals were met."""
    met = True
    for name in RANK_FILES:
        tokenizer = TiktokenTokenizer(name, ROOT / "resources" / "encodings")
        tokenizer.count("load the ranks")
        for kind, text in sample_texts().items():
            ratio, micros = delta_speed(text, tokenizer.count)
            met &= ratio >= GOAL_RATIO
            print(f"{name}  edit in 100 KB of {kind}: {ratio:.0f} × faster than a recount ({micros:.0f} µs)")
        wrong_edits, wrong_sums, pieces = fuzz(tokenizer)
        met &= wrong_edits == wrong_sums == 0
        print(
            f"{name}  {FUZZED_EDITS} fuzzed edits: {wrong_edits} wrong; {pieces} pieces: {wrong_sums} wrong sums"
        )
        print(f"{name}  common tokens of two 100 KB texts: {prefix_speed(tokenizer):.1f} × faster than plain")
    print("goals met" if met else "GOALS MISSED")
    return 0 if met else 1


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


def delta_speed(text: str, count: Count) -> tuple[float, float]:
    """How many times faster a delta count is than a recount, and its microseconds."""
    random, known = Random(1), count(text)
    deltas, recounts = [], []
    for number in range(TIMED_EDITS):
        place = random.randrange(len(text))
        edited = text[:place] + "x" + text[place:]
        deltas.append(_seconds(partial(delta_count, text, known, edited, count)))
        if number % 10 == 0:
            recounts.append(_seconds(partial(count, edited)))
    return median(recounts) / median(deltas), median(deltas) * 1e6


def prefix_speed(tokenizer: TiktokenTokenizer) -> float:
    """How many times faster the shared tokens of two long texts are found with cuts than without."""
    left = sample_texts()["prose"]
    right = left[: TEXT_CHARS // 2] + "x" + left[TEXT_CHARS // 2 :]
    plain = median(_seconds(lambda: tokenizer.common_prefix(left, right)) for _ in range(10))
    return plain / median(_seconds(lambda: common_tokens(left, right, tokenizer)) for _ in range(10))


def fuzz(tokenizer: TiktokenTokenizer) -> tuple[int, int, int]:
    """Wrong delta counts, wrong sums over safely cut pieces, and pieces summed."""
    random, count = Random(2), tokenizer.count
    wrong_edits = wrong_sums = pieces = 0
    text, known = "", 0
    for _ in range(FUZZED_EDITS):
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


def _seconds(action: Callable[[], object]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
