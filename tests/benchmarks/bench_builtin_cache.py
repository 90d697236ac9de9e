"""Whether what is shown as cached before a question is what the real built-in server reports, over a restless talk.

Files come, go and are edited, another chat asks between, one answer is stopped, the model's process is killed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from tests.benchmarks.running.figures import Figure, Means, at_most
from tests.fakes.builtin_stage import builtin
from tests.fakes.restless_days import RestlessDays

OPT_IN = "the real model takes many minutes"
QUESTIONS = 40


def figures(means: Means) -> Iterator[Figure]:
    """Layout by layout."""
    for layout in ("auto", "layered"):
        yield from asyncio.run(_lived(means.laps(QUESTIONS), layout))


async def _lived(questions: int, layout: str) -> tuple[Figure, Figure]:
    model = builtin()
    days = RestlessDays(model, layout, settings={"context_window": 1_000})
    await days.begin()
    await days.live(questions)
    await days.talk.close()
    await model.close()
    prompt, cached = (sum(getattr(d.turn, name) or 0 for d in days.days) for name in ("prompt", "cached"))
    return (
        Figure(f"{layout}: shown otherwise than served", len(days.wrong), f"of {questions}", goal=at_most(0)),
        Figure(f"{layout}: share of the prompts served", cached / prompt, ""),
    )
