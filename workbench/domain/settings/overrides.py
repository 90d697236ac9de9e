"""Settings of a request by their dotted names: read from a document, or set one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.form import Kind, form_of
from workbench.domain.reading.json_text import parse_json
from workbench.domain.reading.node import Node, join_path, show
from workbench.domain.settings.preferences import ContextSettings

_MOST_NEAR, _ALIKE = 3, 0.75


@cache
def _keys() -> dict[str, Kind]:
    """What `--set` takes; made when it is asked for, as `--help` needs none of it."""
    return {".".join(place): kind for place, kind in form_of(ContextSettings).places()}


def merge_settings(base: ContextSettings, node: Node) -> ContextSettings:
    """The settings that result when those given replace the ones in effect; nested objects merge."""
    return form_of(ContextSettings).read(node, base)


def merge_preferences(base: ContextSettings, context: Mapping[str, Any]) -> ContextSettings:
    """The base with what is preferred on top; what is wrong is said with its path in the settings file."""
    return merge_settings(base, Node(dict(context), "context")) if context else base


def parse_override(text: str) -> tuple[str, object]:
    """Split "KEY=VALUE"; the value is JSON where it parses as such, and a plain string otherwise."""
    key, equals, written = text.partition("=")
    if not equals or not key.strip():
        raise InvalidInput("--set", f"expected KEY=VALUE, got {show(text)}")
    key = key.strip()
    value = _value(written)
    # A model called 4 or a prompt that says true is text all the same.
    kind = _keys().get(key)
    return key, written if kind is not None and kind.is_text and not isinstance(value, str) else value


def apply_overrides(settings: ContextSettings, overrides: Mapping[str, object]) -> ContextSettings:
    """The settings with every override on top, in the order given: they win over what any document says."""
    for key, value in overrides.items():
        _refuse_unknown(key)
        inside: object = value
        for name in reversed(key.split(".")):
            inside = {name: inside}
        settings = merge_settings(settings, Node(inside, "settings"))
    return settings


def differing(before: ContextSettings, after: ContextSettings) -> Iterator[tuple[str, Any, Any]]:
    """Every setting that is another one, by its name: as it is written before, and after."""
    form = form_of(ContextSettings)
    old, new = form.write(before), form.write(after)
    places = [place for place, kind in form.places() if kind.form is None]
    pairs = ((".".join(place), _under(old, place), _under(new, place)) for place in places)
    return (pair for pair in pairs if pair[1] != pair[2])


def _under(document: Any, place: tuple[str, ...]) -> Any:
    for name in place:
        document = document.get(name)
    return document


def _value(written: str) -> object:
    try:
        return parse_json(written)
    except InvalidInput:
        return written


def _refuse_unknown(key: str) -> None:
    if key in _keys():
        return
    path = f"settings.{key}" if key.isprintable() and len(key) <= 60 else join_path("settings", key)
    raise InvalidInput(path, f"unknown setting;{_near(key)} `workbench settings keys` lists them")


def _near(key: str) -> str:
    """The settings that were probably meant: of nearly this name, or of this name in another table."""
    last = key.rpartition(".")[2]
    same = [one for one in _keys() if last and one.rpartition(".")[2] == last]
    same += [one for one, kind in _keys().items() if kind.form is None and key.startswith(f"{one}.")]
    near = list(dict.fromkeys([*same, *get_close_matches(key, _keys(), n=_MOST_NEAR, cutoff=_ALIKE)]))
    return f" did you mean {' or '.join(map(show, near[:_MOST_NEAR]))}?" if near else ""
