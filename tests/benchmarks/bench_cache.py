"""How much of a conversation a provider's cache serves, by layout, beside the plain strategy of trimming the oldest.

Sixty turns with twelve files that come, go and are edited, in a window of 32k; and sixty beside one text that is three
windows long. The cache is a simulation of OpenAI's
published rule (1,024 tokens, then steps of 128, the longest beginning that any earlier request had), on the tokens of
the messages; it shares no code with the forecast.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from random import Random

import tiktoken

from tests.benchmarks.running.figures import Figure, Means, at_least, at_most, quartiles
from workbench.context.invariants import violations
from workbench.domain.change import Built
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.engine.assembly.prepare import Ask, Builder, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.sources.resources import resource_path
from workbench.wiring.command_line import command_parts

TURNS, FILES, WINDOW = 60, 12, 32_768
LEAST, STEP = 1_024, 128
SETTINGS = ContextSettings(model="gpt-4o", context_window=WINDOW)
WORDS = [f"word{number}" for number in range(3_000)]

OPT_IN = "it measures what requests are worth to a cache, not speed"
PLAIN, SEEDS = "trim-last", 10
LAYOUTS = {
    "layered": SETTINGS,
    "layered, freeze": replace(SETTINGS, freshness="freeze"),
    "append-only": replace(SETTINGS, layout="append_only"),
    "append-only, changes": replace(SETTINGS, layout="append_only", edits="changes"),
    "auto": replace(SETTINGS, layout="auto"),
}
LEAVING = replace(SETTINGS, layout="auto", history=HistorySettings(when_full="exchanges"))
LONG = "a text three windows long"
FOR_CACHES = ("append-only", "append-only, changes", "auto")

Lines = list[tuple[str, str]]


def text(random: Random, lines: int) -> str:
    """Lines of ten words."""
    return "\n".join(" ".join(random.choice(WORDS) for _ in range(10)) for _ in range(lines))


@dataclass
class Step:
    """One turn of the workload: what is attached then, what is asked and answered."""

    attached: dict[str, str]
    question: str
    answer: str


def workload(seed: int, edit_every: int) -> list[Step]:
    """Files come and go at random, and one of those attached is edited every few turns."""
    random = Random(seed)
    files = {f"src/file{number}.py": text(random, random.randint(5, 40)) for number in range(FILES)}
    held: dict[str, str] = {}
    steps = []
    for turn in range(1, TURNS + 1):
        if random.random() < 0.4:
            key = random.choice(sorted(files))
            held[key] = files[key]
        if held and random.random() < 0.25:
            held.pop(random.choice(sorted(held)))
        if held and turn % edit_every == 0:
            key = random.choice(sorted(held))
            lines = files[key].split("\n")
            lines[random.randrange(len(lines))] = text(random, 1)
            held[key] = files[key] = "\n".join(lines)
        steps.append(Step(dict(held), text(random, 3), text(random, random.randint(3, 20))))
    return steps


def beside_a_long_text(seed: int) -> list[Step]:
    """A talk about one text of which a third goes out at most."""
    random = Random(seed)
    whole = text(random, 3 * WINDOW // 25)
    lengths = [(random.randint(1, 4), random.randint(3, 20)) for _ in range(TURNS)]
    return [Step({"src/long.log": whole}, text(random, asked), text(random, said)) for asked, said in lengths]


@dataclass
class Cache:
    """OpenAI's rule: what any earlier request began with, in steps."""

    encoding: tiktoken.Encoding
    seen: list[list[int]] = field(default_factory=list)
    tokens: int = 0
    served: int = 0
    rebuilds: int = 0

    def ask(self, lines: Lines) -> int:
        """One request; its tokens."""
        prompt = self.encoding.encode_ordinary("".join(f"<{role}>\n{words}\n" for role, words in lines))
        shared = max((_common(prompt, other) for other in self.seen), default=0)
        self.served += 0 if shared < LEAST else shared - shared % STEP
        self.tokens += len(prompt)
        # Only the newest requests can have most in common; older ones are beginnings of them, or gone.
        self.seen = [*self.seen[-8:], prompt]
        return len(prompt)

    @property
    def share(self) -> float:
        """How much of everything that was asked came from the cache."""
        return self.served / self.tokens


Way = Callable[[Sequence[Step], Cache], None]


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def by_layout(steps: Sequence[Step], cache: Cache, settings: ContextSettings, builder: Builder) -> None:
    """Requests as the builder makes them; every one is checked."""
    conversation = Conversation("bench")
    for number, step in enumerate(steps):
        attached = tuple(Artifact(key, "file", words) for key, words in step.attached.items())
        conversation = replace(conversation, attached=attached)
        asked = Message(f"q{number}", "user", (step.question,))
        prepared = prepare_turn(conversation, Ask(settings, asked), builder)
        built: Built = prepared.built
        envelope = built.envelope
        assert violations(built) == ()
        assert envelope.budget.threshold_tokens is not None
        assert envelope.total_tokens <= envelope.budget.threshold_tokens
        cache.rebuilds += envelope.rebuilt not in (None, "first")
        cache.ask([(message.role, message.content) for message in envelope.messages])
        conversation = after_turn(conversation, built, [Message(f"a{number}", "assistant", (step.answer,))])


def trim_last(steps: Sequence[Step], cache: Cache) -> None:
    """The newest messages that fit, files where they were attached: what a library's `trim_messages` makes of a chat.

    A file that is attached or edited goes with the question; one that was trimmed away is sent again, because the
    model must have it.
    """
    said: Lines = []
    for step in steps:
        kept = _newest(said, cache.encoding)
        there = "\n".join(words for _, words in kept)
        files = [_file(key, words) for key, words in step.attached.items() if _file(key, words) not in there]
        said.append(("user", "\n".join([*files, step.question])))
        cache.ask(_newest(said, cache.encoding))
        said.append(("assistant", step.answer))


def files_first(steps: Sequence[Step], cache: Cache) -> None:
    """All files before the newest messages that fit: what one writes without thinking of the cache."""
    said: Lines = []
    for step in steps:
        files = "\n".join(_file(key, words) for key, words in step.attached.items())
        said.append(("user", step.question))
        taken = len(cache.encoding.encode_ordinary(files))
        cache.ask([("system", files), *_newest(said, cache.encoding, taken)])
        said.append(("assistant", step.answer))


def _file(key: str, words: str) -> str:
    return f"{key}:\n{words}"


def _newest(said: Lines, encoding: tiktoken.Encoding, taken: int = 0) -> Lines:
    """The newest messages that fit under the threshold, in order."""
    kept: Lines = []
    room = int((WINDOW - WINDOW // 4) * 0.8) - taken
    for line in reversed(said):
        room -= len(encoding.encode_ordinary(line[1])) + 4
        if room < 0:
            break
        kept.insert(0, line)
    return kept


def figures(means: Means) -> Iterator[Figure]:
    """The share that is served, and what is not beside trimming, for every strategy."""
    builder = command_parts(Namespace()).builder
    os.environ["TIKTOKEN_CACHE_DIR"] = str(resource_path("encodings"))
    encoding = tiktoken.get_encoding("o200k_base")
    ways: dict[str, Way] = {PLAIN: trim_last, "files first": files_first}
    for name, settings in LAYOUTS.items():
        ways[name] = partial(by_layout, settings=settings, builder=builder)
    for edit_every in (5, 1):
        yield from _compared(ways, edit_every, means.laps(SEEDS), encoding)
    yield from _long(builder, means.laps(SEEDS), encoding)


def _long(builder: Builder, seeds: int, encoding: tiktoken.Encoding) -> Iterator[Figure]:
    for name, settings in {"auto": LAYOUTS["auto"], "auto, exchanges leave": LEAVING}.items():
        caches = [Cache(encoding) for _ in range(seeds)]
        for seed, cache in enumerate(caches):
            by_layout(beside_a_long_text(seed), cache, settings, builder)
        share = sum(cache.served for cache in caches) / sum(cache.tokens for cache in caches)
        yield Figure(f"{name}, {LONG}: share served", share, "", quartiles([one.share for one in caches]))
        turns = seeds * TURNS / max(1, sum(cache.rebuilds for cache in caches))
        yield Figure(f"{name}, {LONG}: turns a rebuild", turns, "", goal=at_least(4))


def _compared(
    ways: dict[str, Way], edit_every: int, seeds: int, encoding: tiktoken.Encoding
) -> Iterator[Figure]:
    fresh: dict[str, int] = {}
    often = "every turn" if edit_every == 1 else f"every {edit_every} turns"
    for name, way in ways.items():
        caches = []
        for seed in range(seeds):
            cache = Cache(encoding)
            way(workload(seed, edit_every), cache)
            caches.append(cache)
        share = sum(cache.served for cache in caches) / sum(cache.tokens for cache in caches)
        shares = quartiles([cache.share for cache in caches])
        goal = at_least(0.85) if name in FOR_CACHES and edit_every == 5 else None
        yield Figure(f"{name}, an edit {often}: share served", share, "", shares, goal)
        fresh[name] = sum(cache.tokens - cache.served for cache in caches)
        if name != PLAIN:
            goal = at_most(0.4) if name in FOR_CACHES and edit_every == 5 else None
            yield Figure(
                f"{name}, an edit {often}: not served",
                fresh[name] / fresh[PLAIN],
                "×",
                goal=goal,
                against=PLAIN,
            )
