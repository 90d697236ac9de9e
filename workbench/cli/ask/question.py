"""The arguments of `workbench ask` as values, checked."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.cli.ask.asking import Text
from workbench.cli.ask.attaching import may_bring, read_passwords
from workbench.cli.services import WorldOptions
from workbench.cli.standard_input import MEBIBYTE, read_standard_input
from workbench.domain.errors import InvalidInput
from workbench.domain.files.attachment import PRIORITY_LOW
from workbench.domain.keys.secret import Secret
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node
from workbench.domain.request import Timeouts
from workbench.domain.settings.overrides import apply_overrides, parse_override
from workbench.domain.settings.preferences import ContextSettings

# Reads `--set timeouts.…`, which is no setting of a request.


_SECTION = "timeouts"


def split_timeouts(overrides: Mapping[str, object]) -> tuple[dict[str, float | None], dict[str, object]]:
    """The waiting times that were given, by name, and the overrides that are about something else."""
    waits, others = {}, {}
    for key, value in overrides.items():
        section, dot, name = key.partition(".")
        if dot and section == _SECTION:
            waits[name] = _seconds(name, value)
        else:
            others[key] = value
    return waits, others


def _seconds(name: str, value: object) -> float | None:
    form = form_of(Timeouts)
    if name not in form.names:
        raise InvalidInput(f"{_SECTION}.{name}", f"unknown setting; expected one of {', '.join(form.names)}")
    seconds: float | None = getattr(form.read(Node({name: value}, _SECTION)), name)
    return seconds


LONGEST_PIPED = 16 * MEBIBYTE
_LEAST_LENGTH = 100


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked for on the command line, checked before anything is opened."""

    texts: tuple[Text, ...]
    chat: str | None
    attach: tuple[str, ...]
    priorities: dict[str, int]
    lengths: dict[str, int]
    fitting: tuple[str, ...]
    overrides: dict[str, object]
    wishes: WorldOptions
    tools: bool
    preset: str | None = None
    save_preset: str | None = None
    wait_s: float = 0.0
    dry: bool = False
    passwords: tuple[Secret, ...] = ()
    pictures: bool = False


def read_question(arguments: argparse.Namespace) -> Question:
    """The arguments as values; what is wrong with them is said before a store is opened or made."""
    overrides = dict(parse_override(text) for text in arguments.overrides)
    if arguments.model is not None:
        overrides["model"] = arguments.model
    waits, overrides = split_timeouts(overrides)
    apply_overrides(ContextSettings(), overrides)
    return Question(
        texts=tuple(_text(text) for text in arguments.texts),
        chat=arguments.chat,
        attach=tuple(arguments.attach),
        priorities=dict(_priority(text, arguments) for text in arguments.priority),
        lengths=dict(_length(text, arguments) for text in arguments.shorten),
        fitting=tuple(_fitting(path, arguments) for path in arguments.by_relevance),
        overrides=overrides,
        wishes=WorldOptions(arguments.workspace, key_env=arguments.key_env, waits=waits),
        tools=arguments.tools,
        preset=_preset(arguments),
        save_preset=_save_preset(arguments.save_preset),
        wait_s=_wait(arguments.wait),
        dry=_dry(arguments),
        passwords=() if arguments.password_file is None else read_passwords(arguments.password_file),
        pictures=arguments.pages_as_pictures,
    )


def _dry(arguments: argparse.Namespace) -> bool:
    if arguments.payload and not arguments.dry_run:
        raise InvalidInput("--payload", "it shows the request of --dry-run; give that too")
    if arguments.dry_run and len(arguments.texts) > 1:
        raise InvalidInput("--dry-run", "one question at a time: the second would go on from an answer")
    dry: bool = arguments.dry_run
    return dry


def _wait(seconds: float) -> float:
    if not 0 <= seconds < math.inf:
        raise InvalidInput("--wait", "expected a number of seconds")
    return seconds


def _preset(arguments: argparse.Namespace) -> str | None:
    name: str | None = arguments.preset
    if name is not None and arguments.chat is not None:
        raise InvalidInput("--preset", "a preset is for a new chat; leave out --chat, or the preset")
    return name


def _save_preset(name: str | None) -> str | None:
    if name is not None and not name.strip():
        raise InvalidInput("--save-preset", "expected a name")
    return name


def _priority(text: str, arguments: argparse.Namespace) -> tuple[str, int]:
    path, number = _path_and_number("--priority", text)
    if not number.isdecimal() or int(number) > PRIORITY_LOW:
        raise InvalidInput("--priority", f"expected an integer 0..{PRIORITY_LOW}, got {number!r}")
    _check_attached("--priority", path, arguments)
    return path, int(number)


def _length(text: str, arguments: argparse.Namespace) -> tuple[str, int]:
    path, number = _path_and_number("--shorten", text)
    if not number.isdecimal() or 0 < int(number) < _LEAST_LENGTH:
        raise InvalidInput(
            "--shorten",
            f"expected a number of tokens from {_LEAST_LENGTH} on, or 0 for all of it, got {number!r}",
        )
    _check_attached("--shorten", path, arguments)
    return path, int(number)


def _fitting(path: str, arguments: argparse.Namespace) -> str:
    _check_attached("--by-relevance", path, arguments)
    return path


def _path_and_number(option: str, text: str) -> tuple[str, str]:
    path, equals, number = text.rpartition("=")
    if not equals or not path:
        raise InvalidInput(option, f"expected PATH=N, got {text!r}")
    return path, number


def _check_attached(option: str, path: str, arguments: argparse.Namespace) -> None:
    if arguments.chat is None and not any(may_bring(attached, path) for attached in arguments.attach):
        raise InvalidInput(option, f"{path} is not attached; attach it with --attach")


def _text(text: str) -> Text:
    typed = text != "-"
    if not typed:
        piped = read_standard_input(LONGEST_PIPED, "give the text as a file with --attach")
        try:
            text = piped.decode("utf-8").removesuffix("\n")
        except UnicodeDecodeError as problem:
            byte = f"byte {problem.start} (0x{piped[problem.start]:02x})"
            raise InvalidInput("-", f"standard input is not UTF-8 at {byte}; nothing was asked") from None
    if not text.strip():
        raise InvalidInput("TEXT", "a question without words")
    return Text(text, typed)
