"""What a change costs before it is made: the cached tokens that would have to be read again."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui import formatting


class PriceTag(NamedTuple):
    """How many cached tokens are lost, of how many."""

    lost_tokens: int
    cached_tokens: int


def start_of(view: EnvelopeView, key: RowKey) -> int | None:
    """How many tokens go out before a row; None where there is no such row."""
    before = 0
    for layer in view.layers:
        for row in layer.rows:
            if row.key == key:
                return before
            before += row.tokens if row.counted else 0
    return None


def price_of_changing(view: EnvelopeView, key: RowKey) -> PriceTag | None:
    """What leaving a row out, or putting it back, would cost; None where it costs nothing, or nobody can say.

    A cache serves one run from the beginning, so everything that it holds behind the row is read again. The row itself
    is not: it goes away, or was not there.
    """
    start, row = start_of(view, key), view.row(key)
    if start is None or row is None or not view.cached_tokens:
        return None
    lost = view.cached_tokens - start - (row.tokens if row.counted else 0)
    return PriceTag(lost, view.cached_tokens) if lost > 0 else None


def price_words(tag: PriceTag | None) -> str:
    """The price in words; empty where there is none."""
    if tag is None:
        return ""
    words = QCoreApplication.translate("PriceTag", "re-reads {lost} of {cached} cached tokens")
    return words.format(lost=formatting.tokens(tag.lost_tokens), cached=formatting.tokens(tag.cached_tokens))
