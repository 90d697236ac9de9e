"""The columns of the list of turns: what they are called, how wide they are, and which go where it is narrow."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.verdict_words import broke_word, turn_badge
from workbench.ui.widgets.plain import shown

EDGE = 16
WIDE_FROM_PX = 700
NARROW_CACHE = 146


class Column(IntEnum):
    """The columns, in their order."""

    TURN = 0
    SENT = 1
    MODEL = 2
    TOKENS_IN = 3
    PREDICTED = 4
    REPORTED = 5
    CACHE = 6
    OUT = 7
    PRICE = 8


FIGURES = frozenset({Column.PREDICTED, Column.REPORTED, Column.OUT, Column.PRICE})
"""Columns whose figures stand at the end."""
_WIDTHS: Mapping[Column, int] = {
    Column.TURN: 40 + EDGE,
    Column.SENT: 48,
    Column.MODEL: 98,
    Column.TOKENS_IN: 98,
    Column.PREDICTED: 62,
    Column.REPORTED: 62,
    Column.CACHE: 188,
    Column.OUT: 48,
}
_HEADS: Mapping[Column, str] = {
    Column.TURN: str(QT_TRANSLATE_NOOP("TurnHead", "Turn")),
    Column.SENT: str(QT_TRANSLATE_NOOP("TurnHead", "Sent")),
    Column.MODEL: str(QT_TRANSLATE_NOOP("TurnHead", "Model")),
    Column.TOKENS_IN: str(QT_TRANSLATE_NOOP("TurnHead", "Tokens in")),
    Column.PREDICTED: str(QT_TRANSLATE_NOOP("TurnHead", "Predicted")),
    Column.REPORTED: str(QT_TRANSLATE_NOOP("TurnHead", "Reported")),
    Column.CACHE: str(QT_TRANSLATE_NOOP("TurnHead", "Cache")),
    Column.OUT: str(QT_TRANSLATE_NOOP("TurnHead", "Out")),
    Column.PRICE: str(QT_TRANSLATE_NOOP("TurnHead", "Price")),
}


def head_text(column: Column) -> str:
    """What stands over a column."""
    return QCoreApplication.translate("TurnHead", _HEADS[column])


def widths(total: int) -> dict[Column, int]:
    """How wide each column is; 0 where it is left out. The last one takes the rest."""
    found = dict(_WIDTHS)
    if total < WIDE_FROM_PX:
        found[Column.MODEL] = 0
        found[Column.CACHE] = NARROW_CACHE
    rest = total - sum(found.values())
    if rest < 0:
        found[Column.SENT] = 0
        rest = total - sum(found.values())
    found[Column.PRICE] = max(0, rest)
    return found


def tokens_in(turn: TurnRow) -> int:
    """The request as the provider counted it, else as we did."""
    return turn.total_tokens if turn.prompt_tokens is None else turn.prompt_tokens


def model_name(name: str) -> str:
    """A model without the name of its provider."""
    return shown(name.partition(":")[2] or name)


def price(turn: TurnRow) -> str:
    """What the turn cost."""
    if turn.local:
        return QCoreApplication.translate("TurnHead", "no cost")
    return "—" if turn.cost_usd is None else formatting.usd(turn.cost_usd)


def cell_text(turn: TurnRow, column: Column) -> str:
    """What a cell says."""
    match column:
        case Column.TURN:
            return formatting.tokens(turn.number)
        case Column.SENT:
            return formatting.clock(turn.sent_utc)
        case Column.MODEL:
            return model_name(turn.model)
        case Column.TOKENS_IN:
            return formatting.tokens(tokens_in(turn))
        case Column.PREDICTED:
            return _or_dash(turn.predicted_tokens)
        case Column.REPORTED:
            return _or_dash(turn.reported_tokens)
        case Column.CACHE:
            badge = turn_badge(turn)
            return ", ".join(word for word in (badge.word if badge else "", broke_word(turn)) if word)
        case Column.OUT:
            return _or_dash(turn.completion_tokens)
        case Column.PRICE:
            return price(turn)


def _or_dash(tokens: int | None) -> str:
    return "—" if tokens is None else formatting.tokens(tokens)
