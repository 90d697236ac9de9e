"""Which share of the messages that answer a question comes back, by five methods that choose in the same run.

Generated conversations of 600 turns (`recall_cases`) with planted facts, asked for in other words; a request may spend
1,000, 2,000 or 4,000 tokens on what was said, and all count tokens alike. Then how long it takes with 10,000 messages,
in the processor's time. Constants were looked at with seeds below 10 only, which are not among those reported.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from tests.benchmarks.recall_cases.baselines import Bm25, newest, taken, with_neighbours
from tests.benchmarks.recall_cases.conversations import KINDS, Conversation, conversation, shared, talk
from tests.benchmarks.running.figures import Figure, Means, at_least, middle
from tests.fakes.real_encodings import O200K
from workbench.context.recall import rank
from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.near_words import NearWords
from workbench.context.recall.rank import ranked, ranking
from workbench.context.recall.stop_words import ENGLISH as ENGLISH_STOP_WORDS
from workbench.sources.resources import resource_path

BUDGETS = (1_000, 2_000, 4_000)
OPT_IN = "thousands of questions take many minutes"
REPORTED = range(100, 108)
AROUND = 8  # tokens of a quote besides its text: "> user, turn 123: " and the line end
METHODS = ("last-N", "BM25", "BM25 + neighbours", "ours, exact words", "ours")
BASELINES = METHODS[:3]
GOAL_RATIO, GOAL_ENOUGH, GOAL_FAR, GOAL_ALL = 1.2, 0.95, 0.60, 0.88
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


def share_figures(seeds: Sequence[int], near: NearWords) -> Iterator[Figure]:
    """By kind of conversation and over all of them: the share that comes back, beside the best of the others."""
    together: Shares = defaultdict(list)
    for kind in KINDS:
        found, questions = shares(kind, seeds, near)
        for (_, method, budget), values in found.items():
            together["all", method, budget] += values
        yield from _kind_figures(kind, questions, found)
    for method in METHODS:
        for budget in BUDGETS:
            values = together["all", method, budget]
            goal = at_least(GOAL_ALL) if (method, budget) == (METHODS[-1], 2_000) else None
            yield Figure(f"all, {method}, {budget:,} tokens", sum(values) / len(values), "", goal=goal)


def _kind_figures(kind: str, questions: int, found: Shares) -> Iterator[Figure]:
    mean = {
        method: sum(values) / len(values) for (_, method, budget), values in found.items() if budget == 2_000
    }
    best = max(mean[method] for method in BASELINES)
    goal = min(GOAL_ENOUGH, GOAL_RATIO * best)
    goal = max(goal, GOAL_FAR) if kind == "far" else goal
    name = f"{kind} ({questions} questions), ours, 2,000 tokens"
    yield Figure(name, mean[METHODS[-1]], "", goal=at_least(round(goal, 3)))
    yield Figure(
        f"{kind}, ours ÷ best of the others", mean[METHODS[-1]] / best, "×", against="the best of the others"
    )


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


def speed_figures(made: Callable[[], tuple[list[Passage], list[str]]], near: NearWords) -> Iterator[Figure]:
    """With 10,000 messages, in the processor's time."""
    passages, questions = made()
    index = PassageIndex()
    built = timed(partial(add_all, index, passages))
    name = f"{len(passages):,} messages, {made.__name__}"
    yield Figure(f"{name}: a message is indexed", built / len(passages), "ms")
    fresh, typed, longest = list[float](), list[float](), list[float]()
    for question in questions:
        fresh.append(cold(index, question, near))
        typed.append(timed(partial(first, index, f"{question} x", near)))
        forget(index)
        longest.append(max(slices(index, question, near)))
    yield middle(f"{name}: ranked", fresh)
    yield middle(f"{name}: ranked a keystroke later", typed)
    yield middle(f"{name}: longest slice", longest)
    yield Figure(f"{name}: longest slice of all", max(longest), "ms")


def table_figures() -> Iterator[Figure]:
    """The table of near words: its memory, and a lookup."""
    tracemalloc.start()
    near = near_words()
    near.of("house")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    yield Figure(f"near words ({len(near):,}): memory", held / 1e6, "MB")
    cost = timed(lambda: [near.of(word) for word in ("house", "mother", "nothing", "flight", "bug") * 200])
    yield Figure("near words: a lookup", cost / 1_000, "ms")


def figures(means: Means) -> Iterator[Figure]:
    """Shares, then speed."""
    near = near_words()
    yield from share_figures(REPORTED[: means.laps(len(REPORTED))], near)
    for made in (natural, repeated):
        yield from speed_figures(made, near)
    yield from table_figures()
