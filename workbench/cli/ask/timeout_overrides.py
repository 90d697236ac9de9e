"""Reads `--set timeouts.…`: how long to wait, which is set beside the settings of a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from workbench.domain.errors import InvalidInput
from workbench.domain.request import Timeouts

_SECTION = "timeouts."
_LONGEST_S = 86_400


def split_timeouts(overrides: Mapping[str, object]) -> tuple[dict[str, float], dict[str, object]]:
    """The waiting times that were given, by name, and the overrides that are about something else."""
    waits = {_name(key): _seconds(key, value) for key, value in overrides.items() if key.startswith(_SECTION)}
    return waits, {key: value for key, value in overrides.items() if not key.startswith(_SECTION)}


def _name(key: str) -> str:
    name = key.removeprefix(_SECTION)
    known = [field.name for field in fields(Timeouts)]
    if name not in known:
        raise InvalidInput(key, f"unknown setting; expected one of {', '.join(known)}")
    return name


def _seconds(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _LONGEST_S:
        raise InvalidInput(key, f"expected a number of seconds above 0, got {value!r}")
    return float(value)
