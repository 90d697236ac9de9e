"""Reads `--set KEY=VALUE`: settings that win over everything a trajectory says, in every turn."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from workbench.cli.replay.json_input import parse_json
from workbench.cli.replay.reading import Node, show
from workbench.cli.replay.settings import SECTIONS, SETTINGS, TEXTS, merge_settings
from workbench.domain.errors import InvalidInput
from workbench.domain.preferences import ContextSettings

_TEXT_KEYS = (*TEXTS, *(f"persona.{source}" for source in SECTIONS["persona"]))
_KEYS = (*SETTINGS, *(f"{section}.{name}" for section, names in SECTIONS.items() for name in names))


def parse_override(text: str) -> tuple[str, object]:
    """Split "KEY=VALUE"; the value is JSON where it parses as such, and a plain string otherwise."""
    key, equals, written = text.partition("=")
    if not equals or not key.strip():
        raise InvalidInput("--set", f"expected KEY=VALUE, got {show(text)}")
    key = key.strip()
    value = _value(written)
    # A model called 4 or a prompt that says true is text all the same.
    return key, written if key in _TEXT_KEYS and not isinstance(value, str) else value


def apply_overrides(settings: ContextSettings, overrides: Mapping[str, object]) -> ContextSettings:
    """The settings with every override on top, in the order given."""
    for key, value in overrides.items():
        _refuse_unknown(key)
        section, dot, name = key.partition(".")
        settings = merge_settings(settings, Node({section: {name: value} if dot else value}, "settings"))
    return settings


def _value(written: str) -> object:
    try:
        return parse_json(written)
    except InvalidInput:
        return written


def _refuse_unknown(key: str) -> None:
    if key in _KEYS:
        return
    near = get_close_matches(key, _KEYS, n=1) if len(key) <= 60 else []
    path = f"settings.{key}" if key.isprintable() and len(key) <= 60 else f"settings[{show(key)}]"
    raise InvalidInput(path, f"unknown setting; did you mean {show(near[0])}?" if near else "unknown setting")
