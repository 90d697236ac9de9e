"""Finding a command by a few of its letters: how well it fits, and which letters did it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from workbench.domain.matching import TITLE_FIRST, letters_in
from workbench.ui.commands import Command


class Match(NamedTuple):
    """A command that fits; `marks` are the places in its title that were typed."""

    command: Command
    score: int
    marks: tuple[int, ...] = ()


def matches(typed: str, commands: Iterable[Command]) -> list[Match]:
    """The commands that fit and can be run now, best first; without letters, all of them as they stand."""
    allowed = [command for command in commands if command.enabled()]
    if not typed.strip():
        return [Match(command, 0) for command in allowed]
    found = [fit for command in allowed if (fit := _fit(typed.strip(), command)) is not None]
    return sorted(found, key=lambda match: -match.score)


def grouped(found: Sequence[Match]) -> list[tuple[str, list[Match]]]:
    """The matches under their headings, the heading of the best one first."""
    groups: dict[str, list[Match]] = {}
    for match in found:
        groups.setdefault(match.command.group, []).append(match)
    return list(groups.items())


def _fit(typed: str, command: Command) -> Match | None:
    by_title = letters_in(typed, command.title)
    if by_title is not None:
        return Match(command, by_title[0] + TITLE_FIRST, by_title[1])
    by_more = letters_in(typed, f"{command.more} {command.line} {command.group}")
    return None if by_more is None else Match(command, by_more[0])
