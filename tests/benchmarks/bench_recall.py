"""Which share of the messages that answer a question comes back: `python -m tests.benchmarks.bench_recall`.

Generated conversations of 600 turns (`recall_cases`) with planted facts, asked for in other words; a request may spend
1,000, 2,000 or 4,000 tokens on what was said. Five methods choose in the same run, and all count tokens alike. Then how
long it takes with 10,000 messages, in the processor's time. Constants were looked at with the seeds of `--tuning` only.
"""

from __future__ import annotations

import random
import sys
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from tests.benchmarks.recall_cases.baselines import Bm25, newest, taken, with_neighbours
from tests.benchmarks.recall_cases.conversations import KINDS, Conversation, conversation, shared, talk
from tests.fakes.real_encodings import O200K
from workbench.context.recall import rank
from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.near_words import NearWords
from workbench.context.recall.rank import ranked, ranking
from workbench.context.recall.stop_words import ENGLISH as ENGLISH_STOP_WORDS
from workbench.sources.resources import resource_path

BUDGETS = (1_000, 2_000, 4_000)
REPORTED, TUNING = range(100, 108), range(4)
AROUND = 8  # tokens of a quote besides its text: "> user, turn 123: " and the line end
METHODS = ("last-N", "BM25", "BM25 + neighbours", "ours, exact words", "ours")
BASELINES = METHODS[:3]
GOAL_RATIO, GOAL_ENOUGH, GOAL_FAR = 1.2, 0.95, 0.60
MANY = 10_000
ENGLISH = ("personal", "project", "planning", "far")
SYLLABLES = (
    "ba",
    "co",
    "di",
    "fu",
    "ge",
    "ha",
    "ki",
    "lo",
    "mu",
    "ne",
    "po",
    "ra",
    "si",
    "tu",
    "ve",
    "wo",
    "xa",
    "yo",
    "zi",
)

Shares = dict[tuple[str, str, int], list[bool]]


def near_words() -> NearWords:
    return NearWords(resource_path("near-words.bin").read_bytes())


def index_of(held: Conversation) -> PassageIndex:
    index = PassageIndex()
    for place, message in enumerate(held.messages):
        index.add(Passage(str(place), message.text, message.speaker))
    return index


def answers(held: Conversation, near: NearWords) -> Iterator[tuple[int, str, int, set[int]]]:
    """Question by question, method by method: which messages come back within each budget."""
    tokens = [O200K.count(message.text) + AROUND for message in held.messages]
    index = index_of(held)
    plain = Bm25([message.text for message in held.messages])
    last = newest(len(tokens))
    for number, question in enumerate(held.questions):
        scores = plain.scores(question.text)
        for name, these in zip(BASELINES, (last, scores, with_neighbours(scores)), strict=True):
            for budget in BUDGETS:
                yield number, name, budget, taken(these, tokens, budget)
        for name, table in zip(METHODS[3:], (None, near), strict=True):
            found = {int(match.key): match.score for match in ranked(index, question.text, table)}
            ours = [found.get(place, 0.0) for place in range(len(tokens))]
            for budget in BUDGETS:
                yield number, name, budget, taken(ours, tokens, budget)


def shares(kind: str, seeds: Sequence[int], near: NearWords) -> tuple[Shares, int]:
    found: Shares = defaultdict(list)
    questions = 0
    for seed in seeds:
        held = conversation(kind, seed)
        questions += len(held.questions)
        if kind == "far":
            assert not any(shared(held.messages[each.answer].text, each.text) for each in held.questions)
        for number, method, budget, places in answers(held, near):
            found[kind, method, budget].append(held.questions[number].answer in places)
    return found, questions


def report_shares(seeds: Sequence[int], near: NearWords) -> None:
    total = 0
    together: Shares = defaultdict(list)
    print(f"share of answering messages at {' / '.join(f'{budget:,}' for budget in BUDGETS)} tokens")
    for kind in KINDS:
        found, questions = shares(kind, seeds, near)
        total += questions
        mean = {key: sum(values) / len(values) for key, values in found.items()}
        print(f"{kind} ({questions} questions)")
        for (_, method, budget), values in found.items():
            together["all", method, budget] += values
        print_means(kind, mean)
        best = max(mean[kind, method, 2_000] for method in BASELINES)
        ours = mean[kind, METHODS[-1], 2_000]
        goal = min(GOAL_ENOUGH, GOAL_RATIO * best)
        goal = max(goal, GOAL_FAR) if kind == "far" else goal
        print(
            f"  {ours / best:.2f} × the best of the others; {'reached' if ours >= goal else 'MISSED'}: {goal:.2f}"
        )
    print(f"all ({total:,} questions)")
    print_means("all", {key: sum(values) / len(values) for key, values in together.items()})


def print_means(kind: str, mean: dict[tuple[str, str, int], float]) -> None:
    for method in METHODS:
        print(f"  {method:18}", " / ".join(f"{mean[kind, method, budget]:.3f}" for budget in BUDGETS))


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of the processor."""
    start = time.process_time()
    work()
    return 1_000 * (time.process_time() - start)


def forget(index: PassageIndex) -> None:
    """As if none of the words had been asked for before, in this conversation or in another."""
    index.memo.clear()
    rank._near.cache_clear()


def cold(index: PassageIndex, question: str, near: NearWords) -> float:
    """The best of three, since other programs disturb even the processor's time."""
    times = []
    for _ in range(3):
        forget(index)
        times.append(timed(partial(first, index, question, near)))
    return min(times)


def high(values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"{ordered[len(ordered) // 2]:.1f} ms median, {ordered[int(0.95 * len(ordered))]:.1f} ms p95"


def repeated() -> tuple[list[Passage], list[str]]:
    """10,000 messages out of the conversations, where the same sentences come again and again; and their questions."""
    held = [conversation(kind, seed) for seed in range(200, 206) for kind in ENGLISH]
    said = [message for each in held for message in each.messages][:MANY]
    passages = [Passage(str(place), message.text, message.speaker) for place, message in enumerate(said)]
    return passages, [question.text for each in held[:4] for question in each.questions]


def natural() -> tuple[list[Passage], list[str]]:
    """10,000 messages of 10 to 60 words that are as frequent as in a language (Zipf's law), and questions of eight."""
    draw = random.Random(7)
    known = [word for kind in ENGLISH for line in talk(kind).small for word in line.split()]
    rare = [f"{first}{second}{third}" for first in SYLLABLES for second in SYLLABLES for third in SYLLABLES]
    draw.shuffle(rare)
    words = [*sorted(ENGLISH_STOP_WORDS), *dict.fromkeys(known), *rare]
    weights = list(accumulate(1 / (place + 3) for place in range(len(words))))
    texts = [" ".join(draw.choices(words, cum_weights=weights, k=draw.randint(10, 60))) for _ in range(MANY)]
    passages = [
        Passage(str(place), text, ["user", "assistant"][place % 2]) for place, text in enumerate(texts)
    ]
    return passages, [" ".join(draw.sample(text.split(), 8)) for text in draw.sample(texts, 200)]


def slices(index: PassageIndex, question: str, near: NearWords) -> list[float]:
    steps, lengths, going = ranking(index, question, near), list[float](), True
    while going:
        start = time.process_time()
        going = next(steps, steps) is not steps
        lengths.append(1_000 * (time.process_time() - start))
    return lengths


def add_all(index: PassageIndex, passages: Sequence[Passage]) -> None:
    for passage in passages:
        index.add(passage)


def first(index: PassageIndex, question: str, near: NearWords) -> None:
    """As far as a budget looks."""
    ranked(index, question, near)[:200]


def report_speed(made: Callable[[], tuple[list[Passage], list[str]]], near: NearWords) -> None:
    passages, questions = made()
    index = PassageIndex()
    built = timed(partial(add_all, index, passages))
    print(
        f"{len(passages):,} messages, {made.__name__}: index {1_000 * built / len(passages):.0f} µs a message"
    )
    fresh, typed, longest = list[float](), list[float](), list[float]()
    for question in questions:
        fresh.append(cold(index, question, near))
        typed.append(timed(partial(first, index, f"{question} x", near)))
        forget(index)
        longest.append(max(slices(index, question, near)))
    print(f"  ranked: {high(fresh)}; a keystroke later: {high(typed)}")
    print(f"  longest slice: {high(longest)}, {max(longest):.1f} ms at most")


def report_table() -> None:
    tracemalloc.start()
    near = near_words()
    near.of("house")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    cost = timed(lambda: [near.of(word) for word in ("house", "mother", "nothing", "flight", "bug") * 200])
    print(f"near words: {len(near):,}, {held / 1e6:.1f} MB in memory, {cost:.0f} µs a lookup")


def main(arguments: Sequence[str]) -> None:
    """Print all of it."""
    near = near_words()
    if "--speed" not in arguments:
        report_shares(TUNING if "--tuning" in arguments else REPORTED, near)
    for made in (natural, repeated):
        report_speed(made, near)
    report_table()


if __name__ == "__main__":
    main(sys.argv[1:])
