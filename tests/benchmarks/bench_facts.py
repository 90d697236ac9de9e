"""What holding an answer of 2,000 tokens against a request of 200,000 takes, and how right it is about marked answers.

The request is forty files and forty messages of drawn words with numbers, dates, names, paths and identifiers among
them; the answer restates lines of it, every tenth with a mistake, among as much prose of its own. "Again" is the same
answer with what was found kept.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from tests.benchmarks.running.figures import Figure, Means, at_least, at_most, middle
from tests.benchmarks.running.workload import Words, tokenizer
from tests.context.answers.fact_cases import fact_cases, scored
from workbench.context.answers.facts import FactMemory, check_facts
from workbench.context.answers.pieces import SentPiece
from workbench.domain.text import digest_text

REQUEST_TOKENS, ANSWER_TOKENS, LAPS, PIECES = 200_000, 2_000, 7, 80
_NAMES = ["Mara", "Lind", "Tomas", "Berg", "Ines", "Holm", "Peter", "Quist", "Ada", "Vogt", "Samir", "Haddad"]


def figures(means: Means) -> Iterator[Figure]:
    """The two laps of one answer, an answer of one megabyte, and both sets of marked answers."""
    pieces, lines = request(REQUEST_TOKENS)
    answer = restated(lines, ANSWER_TOKENS)
    check_facts("It took 5 s.", pieces[:1])  # the patterns are compiled once in a program's life
    first, again, found = [], [], 0
    for _ in range(means.laps(LAPS)):
        memory = FactMemory()
        first.append(_took(answer, pieces, memory))
        again.append(_took(answer, pieces, memory))
        found = len(check_facts(answer, pieces, memory))
    yield middle("2,000 tokens against 200,000: processor time", first, goal=at_most(60))
    yield middle("the same again", again, goal=at_most(5))
    yield Figure("facts in it", found, "facts")
    yield middle(
        "an answer of 1 MB against 200,000", [_took(restated(lines, 0, 1_000_000), pieces, FactMemory())]
    )
    for name in ("mended", "measured"):
        score = scored(fact_cases(name))
        yield Figure(f"{name} set: planted facts that are absent", score.caught, "of 1", goal=at_least(0.98))
        yield Figure(
            f"{name} set: true facts that are absent", score.false_alarms, "of 1", goal=at_most(0.02)
        )


def _took(answer: str, pieces: tuple[SentPiece, ...], memory: FactMemory) -> float:
    began = time.process_time()
    check_facts(answer, pieces, memory)
    return (time.process_time() - began) * 1000


def request(tokens: int) -> tuple[tuple[SentPiece, ...], list[str]]:
    """A request of about so many tokens, and its lines that state facts."""
    words, draw = Words(1), random.Random(2)
    pieces: list[SentPiece] = []
    stated: list[str] = []
    for place in range(PIECES):
        lines: list[str] = []
        while _tokens("\n".join(lines)) < tokens / PIECES:
            fact = _line(draw)
            stated.append(fact)
            lines += [fact, *(words.text(24).replace("\n", " ") for _ in range(12))]
        text, file = "\n".join(lines), place % 2 == 0
        name = f"src/part{place}/notes.md" if file else f"m{place}"
        layer, origin = (
            ("L3_TURN", "source") if file else ("L4_STRIP", "person" if place % 4 == 1 else "model")
        )
        pieces.append(SentPiece(name, name, layer, origin, text, digest_text(text)))  # type: ignore[arg-type]
    return tuple(pieces), stated


def restated(lines: list[str], tokens: int, chars: int = 0) -> str:
    """Lines of the request in an answer of so many tokens or characters; every tenth has another number."""
    draw, words, said = random.Random(3), Words(4), ["Here is what they say."]
    while (tokens and _tokens("\n".join(said)) < tokens) or sum(map(len, said)) < chars:
        line = draw.choice(lines)
        said += [
            f"- {line if len(said) // 2 % 10 else line.replace(' ms', '7 ms')}",
            words.text(16).replace("\n", " "),
        ]
    return "\n".join(said)


def _line(draw: random.Random) -> str:
    number, name = draw.randint(14, 99_999), f"{draw.choice(_NAMES)} {draw.choice(_NAMES)}"
    return draw.choice([
        f"The queue job_{number} waits {number:,} ms before src/queue/part{number}.py tries again.",
        f"On {draw.randint(1, 28)} March 20{draw.randint(10, 26)}, {name} set the limit to {number / 10:.1f} %.",
        f"`refresh_{number}()` answers {draw.randint(400, 599)} at {draw.randint(10, 23)}:{draw.randint(10, 59)}.",
        f"| {name} | {number} | {number * 3} | €{number / 100:.2f} |",
    ])  # fmt: skip


def _tokens(text: str) -> int:
    return tokenizer().count(text)
