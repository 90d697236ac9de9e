"""Reads `--set timeouts.…`, which is no setting of a request."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node
from workbench.domain.request import Timeouts

_SECTION = "timeouts"


def split_timeouts(overrides: Mapping[str, object]) -> tuple[dict[str, float | None], dict[str, object]]:
    """The waiting times that were given, by name, and the overrides that are about something else."""
    waits, others = {}, {}
    for key, value in overrides.items():
        section, dot, name = key.partition(".")
        if dot and section == _SECTION:
            waits[name] = _wait(name, value)
        else:
            others[key] = value
    return waits, others


def _wait(name: str, value: object) -> float | None:
    form = form_of(Timeouts)
    if name not in form.names:
        raise InvalidInput(f"{_SECTION}.{name}", f"unknown setting; expected one of {', '.join(form.names)}")
    seconds: float | None = getattr(form.read(Node({name: value}, _SECTION)), name)
    return seconds
