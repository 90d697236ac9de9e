"""Whether the real built-in model answers from the copy that counts when a file was edited, by layout.

python -m tests.benchmarks.bench_copies [QUESTIONS]
"""

from __future__ import annotations

import asyncio
import sys
import time

from tests.fakes.builtin_stage import builtin
from tests.fakes.copy_quiz import WAYS, answers, questions

QUESTIONS = 30


async def measure(number: int) -> None:
    """Print how often each layout was right, and how often an outdated value was answered."""
    model, asked = builtin(), questions(number)
    for way in WAYS:
        began, given = time.monotonic(), await answers(asked, way, model)
        right = sum(question.is_right(answer) for question, answer in zip(asked, given, strict=True))
        old = sum(question.is_outdated(answer) for question, answer in zip(asked, given, strict=True))
        took_s = time.monotonic() - began
        print(f"{way:26} {right:3} of {number} right, {old:3} outdated, {took_s:4.0f} s", flush=True)
    await model.close()


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else QUESTIONS))
