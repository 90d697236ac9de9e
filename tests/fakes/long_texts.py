"""Long texts of every shape, made from a number: logs, code, prose, tables; something is planted in their middle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_WORDS = (
    "river", "engine", "window", "letter", "garden", "signal", "market", "winter", "copper", "planet", "anchor",
    "bridge", "candle", "desert", "ember", "forest",
)  # fmt: skip
T = TypeVar("T")


class Chance:
    """The same choices for the same number, on every machine."""

    def __init__(self, seed: int) -> None:
        self._state = seed * 2_654_435_761 + 1

    def below(self, most: int) -> int:
        """A number from 0 on."""
        self._state = (self._state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
        return (self._state >> 33) % most

    def among(self, least: int, most: int) -> int:
        """A number between two, both included."""
        return least + self.below(most - least + 1)

    def choice(self, some: Sequence[T]) -> T:
        """One of several."""
        return some[self.below(len(some))]


def words(chance: Chance, number: int) -> str:
    """Some words."""
    return " ".join(chance.choice(_WORDS) for _ in range(number))


def long_log(seed: int, lines: int, planted: str = "") -> str:
    """A log; the planted line is an error in its middle."""
    chance = Chance(seed)
    rows = []
    for number in range(lines):
        level = chance.choice(("INFO",) * 80 + ("DEBUG",) * 17 + ("WARNING",) * 3)
        rows.append(f"{_time(number)} {level} {words(chance, chance.among(2, 12))} {chance.among(0, 9999)}")
    if planted:
        rows[lines // 2] = f"{_time(lines // 2)} ERROR {planted}"
    return "\n".join(rows) + "\n"


def long_code(seed: int, lines: int, planted: str = "") -> str:
    """A module of Python; the planted signature stands in its middle."""
    chance = Chance(seed)
    parts = ['"""A module."""', "", "import os", "from sys import path", ""]
    while len(parts) < lines:
        if planted and len(parts) >= lines // 2:
            parts.append(planted)
            planted = ""
        else:
            parts.append(
                f"def {words(chance, 2).replace(' ', '_')}_{len(parts)}(one: int, two: str) -> None:"
            )
        parts.append(f'    """{words(chance, 6).capitalize()}."""')
        parts += [
            f"    {chance.choice(_WORDS)} = {words(chance, 3).replace(' ', ' + ')}"
            for _ in range(chance.among(8, 45))
        ]
        parts += ["", ""]
    return "\n".join(parts)


def long_prose(seed: int, lines: int, planted: str = "") -> str:
    """A document with headings; the planted sentence opens a section in its middle."""
    chance = Chance(seed)
    parts = ["# A document", ""]
    while len(parts) < lines:
        parts += [f"## {words(chance, 3).title()} {len(parts)}", ""]
        for paragraph in range(chance.among(1, 5)):
            said = [f"{words(chance, chance.among(5, 18)).capitalize()}." for _ in range(chance.among(2, 7))]
            if planted and not paragraph and len(parts) >= lines // 2:
                said[0], planted = planted, ""
            parts += [" ".join(said), ""]
    return "\n".join(parts)


def long_table(seed: int, lines: int, planted: str = "") -> str:
    """A table; the planted value is the largest of a column."""
    chance = Chance(seed)
    rows = ["id,name,amount,day"]
    for number in range(lines):
        day = f"2026-{chance.among(1, 12):02d}-{chance.among(1, 28):02d}"
        rows.append(f"{number},{chance.choice(_WORDS)},{chance.below(99_900) / 100:.2f},{day}")
    if planted:
        rows[lines // 2 + 1] = f"{lines // 2},{chance.choice(_WORDS)},{planted},2026-01-01"
    return "\n".join(rows) + "\n"


def _time(number: int) -> str:
    return f"2026-01-01 {number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}"
