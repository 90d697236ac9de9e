"""The servers that `workbench tools add` was given: a command line, an address, or the JSON of another program."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.cli.standard_input import MEBIBYTE, read_standard_input
from workbench.cli.terminal import visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.keys.secret import Secret
from workbench.domain.mcp.json_form import McpImport, protected, read_servers
from workbench.domain.mcp.secrets import secret_place, secrets_in
from workbench.domain.mcp.server import McpServer, check_server
from workbench.files.reading import user_file

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
_HEADER = re.compile(r"(?P<name>[A-Za-z0-9-]{1,64}) *[:=] *(?P<value>.+)", re.ASCII)
_MOST_BYTES = 4 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class Added:
    """Servers to be kept.

    Attributes:
        secrets: their values by the names that the servers have for them.
        missing: names of secrets that nobody gave, with what the file says about them. notes: what was not taken.
    """

    servers: tuple[McpServer, ...]
    secrets: Mapping[str, Secret]
    missing: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def secrets_of(self, server: McpServer) -> dict[str, Secret]:
        """What is to be kept for one of them."""
        return {name: self.secrets[name] for name in secrets_in(server) if name in self.secrets}


def read_added(
    arguments: argparse.Namespace, taken: Sequence[str], environment: Callable[[str], str | None]
) -> Added:
    """The servers that were given; `taken` are names of others in the workspace."""
    values = dict(_variables(arguments.env, environment))
    if arguments.program or len(arguments.names) > 1:
        return _one(arguments, values, taken)
    if arguments.header:
        raise InvalidInput("--header", "a file holds the headers of its servers itself")
    return _filled(read_servers(_text(arguments.names[0]), taken), values)


def _one(arguments: argparse.Namespace, variables: Mapping[str, str], taken: Sequence[str]) -> Added:
    """A server by its command line or its address; every value of its environment is kept as a secret."""
    name, *urls = arguments.names
    command, *args = arguments.program or ("",)
    if command and arguments.header:
        raise InvalidInput("--header", "a program has no headers; --env gives it values")
    if urls and variables:
        raise InvalidInput("--env", "an address has no environment; --header gives it values")
    if name.lower() in (one.lower() for one in taken):
        raise InvalidInput("NAME", f"there is a server called {visible_line(name)!r} already")
    given = {f"{name}.env.{key}": Secret.of_text(value) for key, value in variables.items()}
    env = {key: secret_place(f"{name}.env.{key}") for key in variables}
    headers = dict(_headers(arguments.header))
    server = McpServer(name, command, tuple(args), env, url="".join(urls), headers=headers)
    check_server(server)
    server, found = protected(server)
    return Added((server,), {**found, **given}, {})


def _filled(found: McpImport, values: Mapping[str, str]) -> Added:
    """The servers of a file, with what it asks for in its place."""
    given = {place: values[name] for place in found.asked if (name := place.partition(".")[2]) in values}
    unused = set(values) - {place.partition(".")[2] for place in given}
    if unused:
        raise InvalidInput("--env", f"no server of the file asks for {', '.join(sorted(unused))}")
    secrets = {place: Secret.of_text(value) for place, value in given.items()}
    missing = {place: about for place, about in found.asked.items() if place not in given}
    return Added(found.servers, {**found.secrets, **secrets}, missing, found.notes)


def _variables(given: Sequence[str], environment: Callable[[str], str | None]) -> Iterator[tuple[str, str]]:
    """Each KEY=VALUE; the value of a bare KEY is that of the environment, so that no shell keeps it."""
    for one in given:
        key, mark, value = one.partition("=")
        if not _VARIABLE.fullmatch(key):
            raise InvalidInput("--env", f"{visible_line(key)!r} is not the name of a variable; use KEY=VALUE")
        found = value if mark else environment(key)
        if not found:
            raise InvalidInput("--env", f"{key} has no value; use KEY=VALUE, or set it in the environment")
        yield key, found


def _headers(given: Sequence[str]) -> Iterator[tuple[str, str]]:
    for one in given:
        found = _HEADER.fullmatch(one)
        if found is None:
            raise InvalidInput("--header", "use NAME=VALUE, such as Authorization='Bearer …'")
        yield found["name"], found["value"]


def _text(path: str) -> str:
    try:
        if path == "-":
            return read_standard_input(_MOST_BYTES, "give fewer servers").decode()
        with user_file(path) as opened:
            content = opened.read(_MOST_BYTES)
        return content.decode()
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise InvalidInput(
            visible_line(path), f"{why}; give a JSON file, NAME URL, or NAME -- COMMAND"
        ) from None
    except UnicodeDecodeError:
        raise InvalidInput(visible_line(path), "it is not UTF-8 text") from None
