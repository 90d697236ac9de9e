"""Whether what is shown as cached before a question is what the real built-in server reports, over a restless talk.

    python -m tests.benchmarks.bench_builtin_cache [QUESTIONS] [LAYOUT]

Files come, go and are edited, another chat asks between, one answer is stopped, the model's process is killed.
"""

from __future__ import annotations

import asyncio
import sys
import time

from tests.fakes.builtin_stage import builtin
from tests.fakes.restless_days import RestlessDays

QUESTIONS = 40


async def measure(questions: int, layout: str) -> int:
    """Print every turn, then the figures; how many were wrong."""
    model = builtin()
    days = RestlessDays(model, layout, settings={"context_window": 1_000})
    await days.begin()
    began = time.monotonic()
    print(f"{'':>3} {'before it':12} {'prompt':>6} {'shown':>6} {'served':>6}  verdict, log begun anew")
    for number in range(questions):
        await days.live(1)
        day = days.days[-1]
        turn = day.turn
        mark = "" if day.shown_was_true else f"   WRONG: {turn}"
        shown = "-" if turn.shown is None else turn.shown
        print(
            f"{number:>3} {day.done:12} {turn.prompt!s:>6} {shown!s:>6} {turn.cached!s:>6}  "
            f"{turn.verdict} {turn.rebuilt or ''}{mark}",
            flush=True,
        )
    await days.talk.close()
    await model.close()
    prompt, cached = (sum(getattr(d.turn, name) or 0 for d in days.days) for name in ("prompt", "cached"))
    wrong = len(days.wrong)
    print(
        f"{layout}: shown = reported in {questions - wrong} of {questions} turns, {cached / prompt:.2f} of the "
        f"prompts served, {time.monotonic() - began:.0f} s"
    )
    return wrong


def main() -> int:
    """Both layouts unless one is named."""
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else QUESTIONS
    layouts = sys.argv[2:] or ["auto", "layered"]
    return 1 if sum(asyncio.run(measure(questions, layout)) for layout in layouts) else 0


if __name__ == "__main__":
    raise SystemExit(main())
