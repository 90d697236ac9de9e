"""The rules of providers' caches: dated facts, read from a TOML file that users may correct."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from workbench.domain.caching import CacheRules
from workbench.domain.model import ModelCard
from workbench.domain.reading.constraints import Count, Inline, Name
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node
from workbench.domain.translation import tr
from workbench.providers.catalogue import load_toml, normalised


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules by id, and minimum lengths by the start of a model's name → CacheRulebook."""

    by_id: Mapping[str, CacheRules]
    minimums: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def rules(self, card: ModelCard) -> CacheRules | None:
        """Returns the rules that the card names, with the minimum of its model."""
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


@dataclass(frozen=True, slots=True)
class _Minimum:
    """The minimum length that is cached for one model."""

    model: Name
    tokens: Count


@dataclass(frozen=True, slots=True)
class _Entry:
    """One provider's rules as in the file."""

    rules: Annotated[CacheRules, Inline()]
    minimums: tuple[_Minimum, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    """The whole file."""

    format: Literal["workbench-cache-rules/1"]
    rules: tuple[_Entry, ...]


def load_rules(path: Path) -> Rulebook:
    """Reads the rules; errors name the field."""
    return load_toml(path, tr("the file of cache rules"), _rulebook)


def _rulebook(node: Node) -> Rulebook:
    entries = form_of(_File).read(node).rules
    minimums = {
        one.rules.id: {normalised(least.model): least.tokens for least in one.minimums} for one in entries
    }
    return Rulebook({one.rules.id: one.rules for one in entries}, minimums)
