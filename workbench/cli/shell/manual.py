"""Manual pages, one for the program and one for each command, in the format of `man`."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.cli.shell.described import Argument, CommandHelp

_STATUS = "0 where it is done, 1 where it failed and said why, 2 where it was called wrongly."


def pages(root: CommandHelp, version: str, summary: str) -> dict[str, str]:
    """The pages by file name."""
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
        lines += [".SH SEE ALSO", _see(command)]
    return "\n".join(line for line in lines if line) + "\n"


def _see(command: CommandHelp) -> str:
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
    """The text as roff takes it: a hyphen stays one, and no line is taken for a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
