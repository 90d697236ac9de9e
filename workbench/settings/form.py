"""What may stand in the settings file, checked entry by entry, and how preferences are written there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import JsonPath, Node, WrongValue, show, suggest
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.translation import joined, tr
from workbench.settings.key_like import cut

Complain = Callable[[JsonPath, str], None]

_FORM, _CONTEXT = form_of(Preferences), form_of(ContextSettings)
# TOML has no null. Where a setting may be none at all (as in: never trim), that is written as false.
_MAY_BE_NONE = {place for place, kind in _CONTEXT.places() if kind.may_be_none}


def read_form(entries: dict[str, Any], complain: Complain) -> Preferences:
    """The preferences in these entries; what cannot be used is taken out of them, so that its default holds."""
    for place in list(_FORM.unknown(entries)):
        cut(entries, place)
    while True:
        try:
            preferences = _FORM.read(Node(_with_none(entries)))
            # Requests are built by these: what is wrong with them is said here, and not when a chat begins.
            _CONTEXT.read(Node(preferences.context, place=("context",)))
        except WrongValue as wrong:
            complain(wrong.place, joined((wrong.discreet, _found(entries, wrong)), ""))
            cut(entries, wrong.place)
        else:
            return preferences


def _found(entries: Mapping[str, Any], wrong: WrongValue) -> str:
    """What stands there instead; without words, which are nobody's business but their owner's."""
    if not wrong.discreet.startswith("expected"):
        return ""
    value: Any = entries
    for step in wrong.place:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return ""
    match value:
        case bool() | int() | float():
            return tr(", found {show}", show=show(value))
        case str():
            return (
                tr(", found another")
                if "one of" in wrong.discreet
                else tr(", found text")
                if value
                else tr(", found none")
            )
        case Mapping():
            return tr(", found a table")
        case list() | tuple():
            return tr(", found a list")
    return tr(", found a date or a time")


def check_form(entries: Mapping[str, Any], complain: Complain) -> None:
    """Complain about everything that could not be read back."""
    read_form(deepcopy(dict(entries)), complain)


def unknown_names(entries: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """What stands in the file and is no setting, and what to say of what was probably meant."""
    known = [".".join(place) for place, _ in _FORM.places()]
    for place in _FORM.unknown(entries):
        yield place, suggest(".".join(place), known)


def write_form(preferences: Preferences) -> dict[str, Any]:
    """The entries that these preferences are written as."""
    written = _FORM.write(preferences)
    models = {name: _without_unset(facts) for name, facts in written["models"].items()}
    context = _without_none(written["context"])
    sparse = {name: _without_unset(written[name]) for name in ("timeouts", "spend")}
    return {**written, **sparse, "models": models, "context": context}


def _without_unset(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_none(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without_none(inner) for inner in value]
    return False if value is None else value


def _with_none(entries: Mapping[str, Any]) -> dict[str, Any]:
    context = entries.get("context")
    return {**entries, "context": nulls(context)} if isinstance(context, dict) else dict(entries)


def nulls(values: Mapping[str, Any], above: tuple[str, ...] = ()) -> dict[str, Any]:
    """Settings of requests as they are written in TOML, with none where false stands for it."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        place = (*above, name)
        if isinstance(value, Mapping):
            found[name] = nulls(value, place)
        else:
            found[name] = None if value is False and place in _MAY_BE_NONE else value
    return found


# Where things stand in a TOML text: its mistake, or each of its entries, by line and column.


class Position(NamedTuple):
    """A place in a text, counted from 1."""

    line: int
    column: int


_SAID = re.compile(r"\(at line (\d+), column (\d+)\)\Z")
_STRING = r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
_KEY = rf"(?:{_STRING}|[\w-]+)"
_KEYS = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_PART = re.compile(_KEY, re.DOTALL)
_ENTRY = re.compile(rf"[ \t]*(?:\[\[?[ \t]*(?P<table>{_KEYS})[ \t]*\]|(?P<keys>{_KEYS})[ \t]*=)", re.DOTALL)
_TOKEN = re.compile(rf"{_STRING}|#[^\n]*|[\[\]{{}}\n]|[^\"'#\[\]{{}}\n]+|.", re.DOTALL)


def mistake_in(content: bytes) -> Position | None:
    """Where this stops being TOML; None where it is, or the reader does not say where."""
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        return _position(content[: problem.start].decode(), problem.start)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        said = _SAID.search(str(problem))
        return _position(text, len(text)) if said is None else Position(int(said[1]), int(said[2]))
    except RecursionError:
        return None
    return None


def position_of(place: JsonPath, text: str) -> Position | None:
    """Where an entry of a valid text stands, else the table or list that holds it."""
    names = tuple(step for step in place if isinstance(step, str))
    found: tuple[int, Position | None] = (0, None)
    for entry, start in _entries(text):
        shared = _common_length(entry, names)
        if shared > found[0]:
            found = (shared, _position(text, start))
    return found[1]


def _entries(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Each table and entry by its names, and where it begins; what stands inside a value is none."""
    table: tuple[str, ...] = ()
    at = 0
    while at < len(text):
        found = _ENTRY.match(text, at)
        if found is not None and found["table"] is not None:
            table = _names(found["table"])
            yield table, found.start("table")
        elif found is not None:
            yield (*table, *_names(found["keys"])), found.start("keys")
        at = _end_of_value(text, at if found is None or found["table"] is not None else found.end())


def _end_of_value(text: str, at: int) -> int:
    """Where the line ends, with everything that goes on after it inside brackets or quotes."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token[0] in ("[", "{"):
            depth += 1
        elif token[0] in ("]", "}"):
            depth -= 1
        elif token[0] == "\n" and depth <= 0:
            return token.end()
    return len(text)


def _names(keys: str) -> tuple[str, ...]:
    return tuple(_plain(part[0]) for part in _PART.finditer(keys))


def _plain(key: str) -> str:
    """A key as it is meant; a quoted one is read as TOML reads it."""
    return next(iter(tomllib.loads(f"{key} = 0"))) if key[0] in "\"'" else key


def _common_length(entry: tuple[str, ...], names: tuple[str, ...]) -> int:
    """How many names lead to both."""
    count = 0
    for one, other in zip(entry, names, strict=False):
        if one != other:
            break
        count += 1
    return count


def _position(text: str, at: int) -> Position:
    before = text[:at]
    return Position(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
