"""What may stand in the settings file, checked entry by entry, and how preferences are written there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from workbench.domain.app_preferences import Preferences
from workbench.domain.preferences import ContextSettings
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node, Place, WrongValue, suggest
from workbench.settings.key_like import cut, dotted

Complain = Callable[[Place, str], None]

_FORM = form_of(Preferences)
# TOML has no null. Where a setting may be none at all (as in: never trim), that is written as false.
_MAY_BE_NONE = {place for place, kind in form_of(ContextSettings).places() if kind.may_be_none}


def read_form(entries: dict[str, Any], complain: Complain) -> Preferences:
    """The preferences in these entries; what cannot be used is taken out of them, so that its default holds."""
    for place in list(_FORM.unknown(entries)):
        cut(entries, place)
    while True:
        try:
            return _FORM.read(Node(_with_none(entries)))
        except WrongValue as wrong:
            # Without the value: what stands in the file is nobody's business but its owner's.
            complain(wrong.place, wrong.discreet)
            cut(entries, wrong.place)


def check_form(entries: Mapping[str, Any], complain: Complain) -> None:
    """Complain about everything that could not be read back."""
    read_form(deepcopy(dict(entries)), complain)


def unknown_names(entries: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What stands in the file and is no setting, and what to say of what was probably meant."""
    known = [".".join(place) for place, _ in _FORM.places()]
    for place in _FORM.unknown(entries):
        yield dotted(place), suggest(".".join(place), known)


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
