"""Variables in instructions and prompts: {{date}}, {{workspace}} and their like, and what each becomes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

VARIABLE = re.compile(r"\{\{\s*([A-Za-z][A-Za-z0-9_ -]{0,39}?)\s*\}\}")
Rate = Literal["never", "files", "day", "turn"]

RATES: Mapping[str, Rate] = {
    "date": "day",
    "weekday": "day",
    "time": "turn",
    "workspace": "never",
    "folder": "never",
    "model": "never",
    "files": "files",
}
"""The variables that the program fills by itself, and when what they become is another one."""


@dataclass(frozen=True, slots=True)
class Used:
    """A variable where it stands in a text; `value` is None where nobody knows what it becomes."""

    name: str
    start: int
    end: int
    value: str | None = None

    @property
    def rate(self) -> Rate:
        """When it becomes something else."""
        return RATES.get(self.name, "never")


def used(text: str, values: Mapping[str, str]) -> tuple[Used, ...]:
    """The variables of a text, in their order."""
    return tuple(
        Used(name, found.start(), found.end(), values.get(name))
        for found in VARIABLE.finditer(text)
        for name in (found[1].strip().lower(),)
    )


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with what its variables become; one that nobody knows stays as it is written."""
    if "{{" not in text:
        return text
    return VARIABLE.sub(lambda found: values.get(found[1].strip().lower(), found[0]), text)


def moment_values(now: datetime) -> dict[str, str]:
    """What the variables of time become."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return {"date": f"{now:%Y-%m-%d}", "time": f"{now:%H:%M}", "weekday": days[now.weekday()]}
