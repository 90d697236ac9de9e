"""The price list: dated prices of models, read from a TOML file that anyone may extend."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.domain.errors import InvalidInput
from workbench.domain.model import HOUR_RULES, ModelCard
from workbench.domain.usage import Price
from workbench.providers.catalogue import listed, normalised, table, text

_FORMAT = "workbench-prices/1"
_FIELDS = {"name", "as_of", "input", "cached", "cache_write", "output"}
_MOST_USD = 100_000
_HOUR_WRITE = 2  # × the input, by Anthropic's price list of 2026-11-15
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class PriceTable:
    """All known prices by who is paid and the model's normalised name → PriceList."""

    prices: Mapping[tuple[str, str], Price]

    def price(self, card: ModelCard) -> Price | None:
        """The price of the longest entry that the model's name starts with, at the provider that serves it.

        A model on one's own computer costs nothing here, and one at a server of somebody else's an unknown sum: neither
        has a price.
        """
        name = normalised(card.name)
        for end in range(len(name), 0, -1):
            at_boundary = end == len(name) or not name[end].isalnum()
            if at_boundary and (card.provider, name[:end]) in self.prices:
                return _for_an_hour(self.prices[card.provider, name[:end]], card)
        return None


def _for_an_hour(price: Price, card: ModelCard) -> Price:
    """The price of a cache that holds what is written for an hour, where that was chosen."""
    if card.cache_rules not in HOUR_RULES.values() or price.cache_write is None:
        return price
    return replace(price, cache_write=price.input * _HOUR_WRITE)


def load_prices(path: Path) -> PriceTable:
    """Read a price list; what is wrong with a file is said with the path of the field."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(str(path), f"the price list cannot be read: {error}") from error
    try:
        return PriceTable({(provider, normalised(one.model)): one for provider, one in _prices(document)})
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.path}", error.reason) from error


def _prices(document: Mapping[str, object]) -> Iterator[tuple[str, Price]]:
    if document.get("format") != _FORMAT:
        raise InvalidInput("format", f"expected {_FORMAT!r}, got {document.get('format')!r}")
    for number, value in enumerate(listed(document.get("family"), "family")):
        path = f"family[{number}]"
        family = table(value, path)
        provider = text(family.get("provider"), f"{path}.provider")
        for index, model in enumerate(listed(family.get("models"), f"{path}.models")):
            at = f"{path}.models[{index}]"
            yield provider, _price({"as_of": family.get("as_of"), **table(model, at)}, at)


def _price(entry: Mapping[str, object], path: str) -> Price:
    for field in sorted(entry.keys() - _FIELDS):
        raise InvalidInput(f"{path}.{field}", f"unknown field; expected one of {', '.join(sorted(_FIELDS))}")
    as_of = text(entry.get("as_of"), f"{path}.as_of")
    if not _DATE.fullmatch(as_of):
        raise InvalidInput(f"{path}.as_of", f"expected a date such as 2026-01-31, got {as_of!r}")
    return Price(
        model=text(entry.get("name"), f"{path}.name"),
        input=_usd(entry.get("input"), f"{path}.input"),
        output=_usd(entry.get("output"), f"{path}.output"),
        as_of=as_of,
        cached=_usd(entry["cached"], f"{path}.cached") if "cached" in entry else None,
        cache_write=_usd(entry["cache_write"], f"{path}.cache_write") if "cache_write" in entry else None,
    )


def _usd(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_USD:
        raise InvalidInput(path, f"expected US dollars for a million tokens, got {value!r}")
    return float(value)
