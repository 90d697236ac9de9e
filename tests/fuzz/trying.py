"""Tries damaged inputs on a reader and says what it did wrong: a strange exception, a hang, too much memory."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

from tests.fuzz.mutation import mutated
from tests.fuzz.targets import Target

LONGEST_S = 1.0
MOST_MEMORY_KB = 300_000
MOST_GROWTH = 40
"""Ten times the input may take so many times as long: forty for what grows by its square would be a hundred."""


class Hung(BaseException):
    """It took longer than a second of the processor; no `except Exception` may swallow it."""


@dataclass(frozen=True)
class Find:
    """An input that a reader handled badly, and how."""

    target: str
    what: str
    content: bytes


def _ring(_signal: int, _frame: FrameType | None) -> None:
    raise Hung


def _peak_kb() -> int:
    """The most memory this process has held since its peak was last reset."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def _peak_kb_from_now() -> int:
    """Resets the peak to what is held now: whatever ran in this process before may have held far more."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as refs:
        refs.write("5")
    return _peak_kb()


def problem_with(target: Target, content: bytes, longest_s: float = LONGEST_S) -> str | None:
    """What reading it comes to: None where it was read, or refused by an error of ours."""
    before = _peak_kb_from_now()
    signal.signal(signal.SIGVTALRM, _ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, longest_s)
    try:
        target.read(content)
    except Hung:
        return f"over {longest_s:g} s of the processor"
    except MemoryError:
        return "no memory left"
    except Exception as error:  # noqa: BLE001  (that is what is looked for)
        kind = type(error)
        return None if kind.__module__.startswith("workbench.") else f"{kind.__name__}: {error}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    grown = _peak_kb() - before
    return f"{grown // 1024} MB more" if grown > MOST_MEMORY_KB else None


def finds(target: Target, number: int, seed: int) -> Iterator[Find]:
    """What is wrong with a number of damaged inputs; each kind of error once."""
    choice, seeds = random.Random(f"{target.name} {seed}"), target.seeds()
    assert all(problem_with(target, one) is None for one in seeds), f"{target.name} refuses what is good"
    seen: set[str] = set()
    for _ in range(number):
        content = mutated(seeds, choice)
        problem = problem_with(target, content)
        if problem is not None and problem[:40] not in seen:
            seen.add(problem[:40])
            yield Find(target.name, problem, content)


def slow_growth(target: Target, number: int, seed: int) -> Iterator[Find]:
    """Inputs of which ten times as much takes far more than ten times as long."""
    choice, seeds = random.Random(f"{target.name} grows {seed}"), target.seeds()
    for _ in range(number):
        content = choice.choice(seeds)
        place = choice.randrange(len(content) + 1)
        piece = content[place : place + choice.choice((1, 2, 5, 20, 100))] or b"["
        small, large = (
            content[:place] + piece * (size // len(piece)) + content[place:] for size in (4_000, 40_000)
        )
        took = [_took(target, one) for one in (small, large)]
        if took[1] > 0.3 and took[1] > MOST_GROWTH * max(took[0], 0.001):
            yield Find(target.name, f"{took[0]:.3f} s, and {took[1]:.2f} s for ten times as much", large)


def _took(target: Target, content: bytes) -> float:
    began = time.process_time()
    problem_with(target, content, longest_s=20.0)
    return time.process_time() - began
