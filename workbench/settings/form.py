"""What may stand in the settings file, checked entry by entry, and how preferences are written there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import JsonPath, Node, WrongValue, show, suggest
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.preferences import ContextSettings
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
            complain(wrong.place, wrong.discreet + _found(entries, wrong))
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
            return f", found {show(value)}"
        case str():
            return (
                ", found another"
                if "one of" in wrong.discreet
                else ", found text"
                if value
                else ", found none"
            )
        case Mapping():
            return ", found a table"
        case list() | tuple():
            return ", found a list"
    return ", found a date or a time"


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
    models = {name: _said(facts) for name, facts in written["models"].items()}
    context = _without_none(written["context"])
    return {**written, "timeouts": _said(written["timeouts"]), "models": models, "context": context}


def _said(values: Mapping[str, Any]) -> dict[str, Any]:
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
