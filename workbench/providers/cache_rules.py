"""The rules of providers' caches: dated data, read from a TOML file that anyone may correct."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from workbench.domain.caching import CacheRules
from workbench.domain.errors import InvalidInput
from workbench.domain.model import ModelCard
from workbench.providers.catalogue import count, flag, listed, normalised, table, text

_FORMAT = "workbench-cache-rules/1"
_MATCHES = ("prefix", "breakpoints", "units")
_TEXTS = ("id", "match", "as_of", "source")
_COUNTS = ("minimum_tokens", "step_tokens", "lifetime_s", "most_marks", "lookback")
_FIELDS = {one.name for one in fields(CacheRules)} | {"minimums"}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All known rules by id, and minimums by the beginning of a model's name → CacheRulebook."""

    by_id: Mapping[str, CacheRules]
    minimums: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def rules(self, card: ModelCard) -> CacheRules | None:
        """The rules that the card names, with the minimum of its model."""
        rules = self.by_id.get(card.cache_rules or "")
        if rules is None:
            return None
        name = normalised(card.name)
        fitting = [
            one for one in self.minimums.get(rules.id, {}) if name == one or name.startswith(f"{one}-")
        ]
        if not fitting:
            return rules
        return replace(rules, minimum_tokens=self.minimums[rules.id][max(fitting, key=len)])


def load_rules(path: Path) -> Rulebook:
    """Read the rules; what is wrong with a file is said with the path of the field."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(str(path), f"the rules of caches cannot be read: {error}") from error
    try:
        return _rulebook(document)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.path}", error.reason) from error


def _rulebook(document: Mapping[str, object]) -> Rulebook:
    if document.get("format") != _FORMAT:
        raise InvalidInput("format", f"expected {_FORMAT!r}, got {document.get('format')!r}")
    by_id: dict[str, CacheRules] = {}
    minimums: dict[str, dict[str, int]] = {}
    for number, value in enumerate(listed(document.get("rules"), "rules")):
        path = f"rules[{number}]"
        entry = table(value, path)
        rules = _rules(entry, path)
        by_id[rules.id] = rules
        minimums[rules.id] = dict(
            _minimum(one, f"{path}.minimums[{place}]")
            for place, one in enumerate(listed(entry.get("minimums", []), f"{path}.minimums"))
        )
    return Rulebook(by_id, minimums)


def _rules(entry: Mapping[str, object], path: str) -> CacheRules:
    for name in sorted(entry.keys() - _FIELDS):
        raise InvalidInput(f"{path}.{name}", f"unknown field; expected one of {', '.join(sorted(_FIELDS))}")
    found: dict[str, Any] = {name: text(entry.get(name), f"{path}.{name}") for name in _TEXTS}
    if found["match"] not in _MATCHES:
        raise InvalidInput(f"{path}.match", f"expected one of {', '.join(_MATCHES)}, got {found['match']!r}")
    if not _DATE.fullmatch(found["as_of"]):
        raise InvalidInput(f"{path}.as_of", f"expected a date such as 2026-01-31, got {found['as_of']!r}")
    for name in entry.keys() - {*_TEXTS, "minimums"}:
        read = count if name in _COUNTS else flag
        found[name] = read(entry[name], f"{path}.{name}")
    if not found.get("step_tokens", 1):
        raise InvalidInput(f"{path}.step_tokens", "expected a positive integer, got 0")
    return CacheRules(**found)


def _minimum(value: object, path: str) -> tuple[str, int]:
    entry = table(value, path)
    return normalised(text(entry.get("model"), f"{path}.model")), count(entry.get("tokens"), f"{path}.tokens")
