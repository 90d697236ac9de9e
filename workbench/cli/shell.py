"""`workbench completion` and `workbench man`: shell completion and manual pages, generated from the parsers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

import workbench
from workbench.cli.terminal import print_text
from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr

if TYPE_CHECKING:
    from workbench.cli.services import Services


# What the parsers take, as values: for completion in shells and for manual pages.


_FILES = ("FILE", "PATH", "DIR", "FOLDER", "TARGET", "SOURCE")


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a command: an option with its flags, or a positional one without.

    Attributes:
        value: its placeholder in the help; empty where it takes no value.
        choices: all values it accepts; empty where it accepts any.
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
    """A command as its parser describes it: name, summary, arguments, and subcommands."""

    words: tuple[str, ...]
    summary: str
    arguments: tuple[Argument, ...]
    actions: tuple[CommandHelp, ...] = ()

    @property
    def options(self) -> tuple[Argument, ...]:
        """The arguments that have flags."""
        return tuple(one for one in self.arguments if one.flags)

    @property
    def places(self) -> tuple[Argument, ...]:
        """The positional arguments."""
        return tuple(one for one in self.arguments if not one.flags)

    def all(self) -> Iterator[CommandHelp]:
        """Yields this command and all subcommands below it."""
        yield self
        for action in self.actions:
            yield from action.all()


def describe_parser(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = (), summary: str = ""
) -> CommandHelp:
    """Reads a parser and those of its subcommands; parsers that fill themselves late are filled now."""
    fill = getattr(parser, "fill", None)
    if fill is not None:
        parser.fill = None  # type: ignore[attr-defined]
        fill()
    arguments: list[Argument] = []
    below: list[CommandHelp] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {one.dest: one.help or "" for one in action._choices_actions}
            below += [
                describe_parser(one, (*words, name), told[name]) for name, one in action.choices.items()
            ]
        elif action.help != argparse.SUPPRESS:
            arguments.append(_describe_argument(action))
    return CommandHelp(words, summary, tuple(arguments), tuple(below))


def _describe_argument(action: argparse.Action) -> Argument:
    choices = tuple(map(str, action.choices or ()))
    takes = action.nargs != 0
    shown = action.metavar if isinstance(action.metavar, str) else None
    value = (shown or ("{" + ",".join(choices) + "}" if choices else action.dest.upper())) if takes else ""
    # argparse writes its own per cent signs twice.
    words = (action.help or "").replace("%%", "%")
    return Argument(tuple(action.option_strings), value, words, choices, action.nargs in ("+", "*"))


# Completion for bash, zsh and fish: commands, their options, and values where all are known or they are files.


_BASH = """\
# Completion of `workbench` for bash: source this file, or put it where bash looks for completions.
_workbench() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} at="" word i
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
        case "$word" in
            {valued}) ((i++)) ;;
            *) case "$at$word " in
                {paths}) at="$at$word " ;;
            esac ;;
        esac
    done
    COMPREPLY=()
    case "$at$prev" in
        {files}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return ;;
{values}
        {free}) return ;;
    esac
    case "$at" in
{words}
    esac
}}
complete -F _workbench workbench
"""


def bash(root: CommandHelp) -> str:
    """Returns a completion script for bash."""
    values = [(one, option) for one in root.all() for option in one.options if option.value]
    files = [_keys(one, option) for one, option in values if option.is_file]
    known = [(_keys(one, option), option.choices) for one, option in values if option.choices]
    free = [_keys(one, option) for one, option in values if not option.is_file and not option.choices]
    return _BASH.format(
        valued="|".join(sorted({flag for _, option in values for flag in option.flags})),
        paths="|".join(quote(_command_prefix(one)) for one in root.all() if one.words),
        files="|".join(_flat(files)),
        free="|".join(_flat(free)),
        values="\n".join(
            f"        {'|'.join(keys)}) {_compgen(choices)}; return ;;" for keys, choices in known
        ),
        words="\n".join(
            f"        {quote(_command_prefix(one))}) {_bash_completions(one)} ;;" for one in root.all()
        ),
    )


def _command_prefix(command: CommandHelp) -> str:
    return "".join(f"{word} " for word in command.words)


def _keys(command: CommandHelp, option: Argument) -> list[str]:
    return [quote(_command_prefix(command) + flag) for flag in option.flags]


def _flat(keys: Iterable[list[str]]) -> list[str]:
    return [key for some in keys for key in some]


def _bash_completions(command: CommandHelp) -> str:
    files = any(one.is_file for one in command.places)
    more = ' COMPREPLY+=($(compgen -f -- "$cur"))' if files else ""
    return f"{_compgen(_next_words(command))};{more}"


def _next_words(command: CommandHelp) -> tuple[str, ...]:
    """Returns what may follow the command: subcommands, values of positional arguments, and flags."""
    flags = (option.flags[-1] for option in command.options)
    named = (choice for one in command.places for choice in one.choices)
    return (*(one.words[-1] for one in command.actions), *named, *flags)


def _compgen(words: Iterable[str]) -> str:
    return f'COMPREPLY=($(compgen -W {quote(" ".join(words))} -- "$cur"))'


def zsh(root: CommandHelp) -> str:
    """Returns a completion function for zsh, to be stored as `_workbench` in its `fpath`."""
    functions = "\n".join(_zsh_function(one) for one in root.all())
    return f'#compdef workbench\n{functions}\n_workbench "$@"\n'


def _zsh_function(command: CommandHelp) -> str:
    lines = [f"{_zsh_name(command)}() {{"]
    specs = [spec for option in command.options for spec in _zsh_option(option)]
    if command.actions:
        told = " ".join(quote(f"{one.words[-1]}:{_zsh_escaped(one.summary)}") for one in command.actions)
        lines += [
            "    local state",
            f"    local -a actions=({told})",
            f"    _arguments -C {' '.join(specs)} '1: :->action' '*:: :->rest'",
            "    case $state in",
            "        action) _describe action actions ;;",
            "        rest) case $words[1] in",
            *(f"            {one.words[-1]}) {_zsh_name(one)} ;;" for one in command.actions),
            "        esac ;;",
            "    esac",
        ]
    else:
        places = [quote(f"*:{_zsh_escaped(one.value)}:{_zsh_values(one)}") for one in command.places[-1:]]
        first = [
            quote(f"{number}:{_zsh_escaped(one.value)}:{_zsh_values(one)}")
            for number, one in enumerate(command.places[:-1], 1)
        ]
        lines.append(f"    _arguments {' '.join([*specs, *first, *places])}")
    return "\n".join([*lines, "}"])


def _zsh_name(command: CommandHelp) -> str:
    return "_".join(("_workbench", *command.words))


def _zsh_option(option: Argument) -> Iterator[str]:
    for flag in option.flags:
        value = f":{_zsh_escaped(option.value)}:{_zsh_values(option)}" if option.value else ""
        yield quote(f"*{flag}[{_zsh_escaped(option.help)}]{value}")


def _zsh_values(argument: Argument) -> str:
    if argument.choices:
        return f"({' '.join(argument.choices)})"
    return "_files" if argument.is_file else " "


def _zsh_escaped(text: str) -> str:
    return text.replace("[", "(").replace("]", ")").replace(":", "\\:")


def fish(root: CommandHelp) -> str:
    """Returns completion commands for fish."""
    lines = ["# Completion of `workbench` for fish.", "complete -c workbench -f"]
    for command in root.all():
        here = _fish_here(command)
        for action in command.actions:
            lines.append(_fish(here, f"-a {quote(action.words[-1])}", action.summary))
        for place in command.places:
            offered = " ".join(place.choices)
            if offered:
                lines.append(_fish(here, f"-a {quote(offered)}", place.help))
            elif place.is_file:
                lines.append(_fish(here, "-F", place.help))
        lines += [_fish(here, _fish_flags(option), option.help) for option in command.options]
    return "\n".join(lines) + "\n"


def _fish(here: str, what: str, told: str) -> str:
    return f"complete -c workbench -n {quote(here)} {what} -d {quote(told)}"


def _fish_here(command: CommandHelp) -> str:
    if not command.words:
        return "__fish_use_subcommand"
    seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.words)
    below = " ".join(one.words[-1] for one in command.actions)
    return f"{seen}; and not __fish_seen_subcommand_from {below}" if below else seen


def _fish_flags(option: Argument) -> str:
    flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
    if not option.value:
        return flags
    if option.choices:
        return f"{flags} -x -a {quote(' '.join(option.choices))}"
    return f"{flags} -r -F" if option.is_file else f"{flags} -x"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


# Manual pages, one for the program and one for each command, in the format of `man`.


_STATUS = "0 where it is done, 1 where it failed and said why, 2 where it was called wrongly."


def pages(root: CommandHelp, version: str, summary: str) -> dict[str, str]:
    """Returns the manual pages in roff, by file name."""
    names = {"workbench.1": _page(root, version, summary)}
    names |= {f"workbench-{one.words[0]}.1": _page(one, version, one.summary) for one in root.actions}
    return names


def _page(command: CommandHelp, version: str, summary: str) -> str:
    name = "-".join(("workbench", *command.words))
    lines = [
        f'.TH "{name.upper()}" 1 "" "workbench {version}" "Context Workbench"',
        ".SH NAME",
        f"{_roff(name)} \\- {_roff(summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_roff(' '.join(('workbench', *command.words)))}",
        _synopsis(command),
        *_section("ARGUMENTS", command.places),
        *_section("OPTIONS", command.options),
    ]
    if command.actions:
        lines.append(".SH COMMANDS" if not command.words else ".SH ACTIONS")
        for one in command.actions:
            lines += [".SS " + _roff(" ".join(one.words)), _roff(one.summary)]
            lines += [line for argument in one.arguments if command.words for line in _argument(argument)]
    lines += [".SH EXIT STATUS", _STATUS]
    if not command.words:
        lines += [".SH SEE ALSO", _see_also(command)]
    return "\n".join(line for line in lines if line) + "\n"


def _see_also(command: CommandHelp) -> str:
    return ",\n".join(_roff(f"workbench-{one.words[0]}(1)") for one in command.actions)


def _synopsis(command: CommandHelp) -> str:
    places = [f"{_roff(one.value)}{' ...' if one.many else ''}" for one in command.places]
    more = "COMMAND" if command.actions and not command.words else "ACTION" if command.actions else ""
    return " ".join(filter(None, ["[OPTION]...", more, *places]))


def _section(title: str, arguments: tuple[Argument, ...]) -> Iterator[str]:
    if arguments:
        yield f".SH {title}"
        for one in arguments:
            yield from _argument(one)


def _argument(one: Argument) -> Iterator[str]:
    flags = ", ".join(f"\\fB{_roff(flag)}\\fR" for flag in one.flags)
    yield ".TP"
    yield " ".join(filter(None, [flags, f"\\fI{_roff(one.value)}\\fR" if one.value else ""]))
    yield _roff(one.help) or "\\&"


def _roff(text: str) -> str:
    """Escapes text for roff: a hyphen stays a hyphen, and no line starts a roff request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


SUMMARY = "see and edit exactly what a language model gets"


class Completion:
    """`workbench completion`: prints the completion script of a shell."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("shell", choices=tuple(SHELLS), metavar="SHELL", help="bash, zsh or fish")

    def run(self, arguments: argparse.Namespace, services: Services) -> int:
        print_text(SHELLS[arguments.shell](describe_parser(arguments.root)).rstrip("\n"))
        return 0


class Manual:
    """`workbench man`: prints a manual page."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "page", nargs="?", metavar="COMMAND", help="the page of a command; else of the program"
        )

    def run(self, arguments: argparse.Namespace, services: Services) -> int:
        made = pages(
            describe_parser(arguments.root),
            workbench.__version__,
            SUMMARY,
        )
        name = f"workbench-{arguments.page}.1" if arguments.page else "workbench.1"
        if name not in made:
            raise InvalidInput("COMMAND", tr("there is no command {page!r}", page=arguments.page))
        print_text(made[name].rstrip("\n"))
        return 0
