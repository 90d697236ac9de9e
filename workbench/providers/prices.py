"""The price list: dated prices of models, read from a TOML file that users may extend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from workbench.domain.errors import InvalidInput
from workbench.domain.model import HOUR_RULES, ModelCard
from workbench.domain.provider import KEYED
from workbench.domain.reading.constraints import Date, Name, Within
from workbench.domain.reading.form import form_of
from workbench.domain.translation import tr
from workbench.domain.usage import Price
from workbench.providers.catalogue import load_toml, normalised

_HOUR_WRITE = 2  # × the input, by Anthropic's price list of 2026-11-15


@dataclass(frozen=True, slots=True)
class PriceTable:
    """All prices by provider and normalised model name → PriceList."""

    prices: Mapping[tuple[str, str], Price]

    def price(self, card: ModelCard) -> Price | None:
        """Returns the price of the longest entry that the model's name starts with, at its provider.

        Models on this computer, and those at other servers, have none.
        """
        name = normalised(card.name)
        for end in range(len(name), 0, -1):
            at_boundary = end == len(name) or not name[end].isalnum()
            if at_boundary and (card.provider, name[:end]) in self.prices:
                return _for_an_hour(self.prices[card.provider, name[:end]], card)
        return None


def _for_an_hour(price: Price, card: ModelCard) -> Price:
    """Returns the price with writing to an hour-long cache, where that was chosen."""
    if card.cache_rules not in HOUR_RULES.values() or price.cache_write is None:
        return price
    return replace(price, cache_write=price.input * _HOUR_WRITE)


Usd = Annotated[float, Within(0, 100_000)]


@dataclass(frozen=True, slots=True)
class _Model:
    """A model's prices as in the file, in US dollars per million tokens."""

    name: Name
    input: Usd
    output: Usd
    as_of: Date | None = None
    cached: Usd | None = None
    cache_write: Usd | None = None


@dataclass(frozen=True, slots=True)
class _Family:
    """Models of one provider; the date applies to those without their own."""

    provider: Name
    models: tuple[_Model, ...]
    as_of: Date | None = None


@dataclass(frozen=True, slots=True)
class _File:
    """The whole file."""

    format: Literal["workbench-prices/1"]
    family: tuple[_Family, ...]


def load_prices(path: Path) -> PriceTable:
    """Reads a price list; errors name the field."""
    return load_toml(
        path, tr("the price list"), lambda node: PriceTable(dict(_prices(form_of(_File).read(node))))
    )


class LatePrices:
    """The prices of a file that is read when the first model of a hosted provider is asked about → PriceList."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def price(self, card: ModelCard) -> Price | None:
        """Returns the price as `PriceTable` does; models that are not hosted have none, which needs no file."""
        return self._table.price(card) if card.provider in KEYED else None

    @cached_property
    def _table(self) -> PriceTable:
        return load_prices(self._path)


def _prices(file: _File) -> Iterator[tuple[tuple[str, str], Price]]:
    for number, family in enumerate(file.family):
        for place, one in enumerate(family.models):
            as_of = one.as_of or family.as_of
            if as_of is None:
                raise InvalidInput(f"family[{number}].models[{place}].as_of", "missing")
            price = Price(one.name, one.input, one.output, as_of, one.cached, one.cache_write)
            yield (family.provider, normalised(one.name)), price
