"""Finding a command by a few of its letters: how well it fits, and which letters did it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from workbench.ui.commands import Command

WORD_START, IN_A_ROW, ANYWHERE = 8, 5, 1
TITLE_FIRST = 20


class Match(NamedTuple):
    """A command that fits; `marks` are the places in its title that were typed."""

    command: Command
    score: int
    marks: tuple[int, ...] = ()


def letters_in(typed: str, text: str) -> tuple[int, tuple[int, ...]] | None:
    """How well the letters stand in the text in their order, and where; None where they do not."""
    wanted, within = typed.casefold(), text.casefold()
    if len(within) != len(text):
        within = text.lower() if len(text.lower()) == len(text) else text
    whole = within.find(wanted)
    if whole >= 0:
        at_start = whole == 0 or not within[whole - 1].isalnum()
        score = len(wanted) * IN_A_ROW + (WORD_START if at_start else 0) + (TITLE_FIRST if whole == 0 else 0)
        return score, tuple(range(whole, whole + len(wanted)))
    places: list[int] = []
    score, start = 0, 0
    for letter in wanted:
        if letter.isspace():
            continue
        place = within.find(letter, start)
        if place < 0:
            return None
        first = place == 0 or not within[place - 1].isalnum()
        score += WORD_START if first else IN_A_ROW if places and place == places[-1] + 1 else ANYWHERE
        places.append(place)
        start = place + 1
    # Letters strewn over a long title are not what somebody meant.
    return (score, tuple(places)) if score >= 3 * len(places) else None


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
