"""What survives in a text cut to a tenth, by its shape and by head and tail; and what cutting it takes.

In generated logs, code, prose and tables something is planted in the middle that a reader would need. The cut by shape
is compared with the head and tail that a text of no known shape gets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from tests.benchmarks.running.figures import Figure, Means, middle
from tests.fakes.long_texts import long_code, long_log, long_prose, long_table
from workbench.context.shorten.fit import plan_of
from workbench.context.shorten.head_and_tail import HeadAndTail

OPT_IN = "it measures what cutting keeps, not speed"
TEXTS = 50
Maker = Callable[[int, int, str], str]
PLANTED: dict[str, tuple[str, Maker, int, str]] = {
    "an error in a log": ("a.log", long_log, 2_000, "connection to node 7 was reset by its peer"),
    "a signature in code": (
        "a.py",
        long_code,
        1_500,
        "def open_the_gate(key: str, wide: bool = False) -> Gate:",
    ),
    "a first sentence in prose": ("a.md", long_prose, 900, "The gate opens only from outside."),
    "an extreme value in a table": ("a.csv", long_table, 3_000, "987654.25"),
}


def survivors(what: str, share: float = 0.1) -> tuple[int, int]:
    """In how many of the texts it survives: with head and tail, and by shape."""
    name, make, lines, planted = PLANTED[what]
    before = after = 0
    for seed in range(TEXTS):
        text = make(seed, lines, planted)
        chars = int(share * len(text))
        before += planted in HeadAndTail(text).cut(chars)
        after += planted in plan_of(name, text).cut(chars)
    return before, after


def cost_ms(what: str) -> tuple[int, float, float]:
    """How long a text is, how long looking through it takes, and one cut of it."""
    name, make, lines, planted = PLANTED[what]
    text = make(1, 10 * lines, planted)
    start = time.perf_counter()
    plan = plan_of(name, text)
    planned = time.perf_counter()
    plan.cut(len(text) // 10)
    return len(text), 1_000 * (planned - start), 1_000 * (time.perf_counter() - planned)


def figures(means: Means) -> Iterator[Figure]:
    """For each kind of text: what survives, and what it costs."""
    for what in PLANTED:
        before, after = survivors(what)
        yield Figure(f"{what} survives by shape", after, f"of {TEXTS}")
        yield Figure(f"{what} survives in head and tail", before, f"of {TEXTS}")
        costs = [cost_ms(what) for _ in range(means.laps(5))]
        yield middle(f"{what}: {costs[0][0]:,} characters are looked through", [plan for _, plan, _ in costs])
        yield middle(f"{what}: and cut", [cut for _, _, cut in costs])
