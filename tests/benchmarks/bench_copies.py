"""Whether the real built-in model answers from the copy that counts when a file was edited, by layout."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

from tests.benchmarks.running.figures import Figure, Means
from tests.fakes.builtin_stage import builtin
from tests.fakes.copy_quiz import WAYS, answers, questions

OPT_IN = "the real model takes many minutes"
QUESTIONS = 30


def figures(means: Means) -> Iterator[Figure]:
    """How often each layout was right, and how often an outdated value was answered."""
    yield from asyncio.run(_asked(means.laps(QUESTIONS)))


async def _asked(number: int) -> list[Figure]:
    return [figure async for figure in _by_layout(number)]


async def _by_layout(number: int) -> AsyncIterator[Figure]:
    model, asked = builtin(), questions(number)
    for way in WAYS:
        given = await answers(asked, way, model)
        right = sum(question.is_right(answer) for question, answer in zip(asked, given, strict=True))
        old = sum(question.is_outdated(answer) for question, answer in zip(asked, given, strict=True))
        yield Figure(f"{way}: right", right, f"of {number}")
        yield Figure(f"{way}: outdated", old, f"of {number}")
    await model.close()
