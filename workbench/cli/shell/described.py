"""What the parsers take, as values: for completion in shells and for manual pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

_FILES = ("FILE", "PATH", "DIR", "FOLDER", "TARGET", "SOURCE")


@dataclass(frozen=True, slots=True)
class Argument:
    """An option with its flags, or something that is given by its place, without flags.

    Attributes:
        value: what stands for its value in the help; empty where it takes none.
        choices: all values there are; none where any is taken.
    """

    flags: tuple[str, ...]
    value: str
    help: str
    choices: tuple[str, ...] = ()
    many: bool = False

    @property
    def is_file(self) -> bool:
        """Whether its value is a file or a folder."""
        return any(word in self.value for word in _FILES)


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """A command: its words, what it is for, what it takes, and the actions it has."""

    words: tuple[str, ...]
    summary: str
    arguments: tuple[Argument, ...]
    actions: tuple[CommandHelp, ...] = ()

    @property
    def options(self) -> tuple[Argument, ...]:
        """What has flags."""
        return tuple(one for one in self.arguments if one.flags)

    @property
    def places(self) -> tuple[Argument, ...]:
        """What is given by its place."""
        return tuple(one for one in self.arguments if not one.flags)

    def all(self) -> Iterator[CommandHelp]:
        """It and everything below it."""
        yield self
        for action in self.actions:
            yield from action.all()


def described(parser: argparse.ArgumentParser, words: tuple[str, ...] = (), summary: str = "") -> CommandHelp:
    """A parser and those below it; commands add their arguments now, whichever was called."""
    fill = getattr(parser, "fill", None)
    if fill is not None:
        parser.fill = None  # type: ignore[attr-defined]
        fill()
    arguments: list[Argument] = []
    below: list[CommandHelp] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {one.dest: one.help or "" for one in action._choices_actions}
            below += [described(one, (*words, name), told[name]) for name, one in action.choices.items()]
        elif action.help != argparse.SUPPRESS:
            arguments.append(_argument(action))
    return CommandHelp(words, summary, tuple(arguments), tuple(below))


def _argument(action: argparse.Action) -> Argument:
    choices = tuple(map(str, action.choices or ()))
    takes = action.nargs != 0
    shown = action.metavar if isinstance(action.metavar, str) else None
    value = (shown or ("{" + ",".join(choices) + "}" if choices else action.dest.upper())) if takes else ""
    # argparse writes its own per cent signs twice.
    words = (action.help or "").replace("%%", "%")
    return Argument(tuple(action.option_strings), value, words, choices, action.nargs in ("+", "*"))
