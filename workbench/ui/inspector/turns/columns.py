"""The list of turns as a table, the newest first: its columns, and which go where there is little room."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, Qt

from workbench.domain.settings.preferences import Layout
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.verdict_words import our_break, turn_badge, turn_description
from workbench.ui.model_button import model_name
from workbench.ui.translation import N_
from workbench.ui.widgets.guided import with_more
from workbench.ui.widgets.items.delegate import NOWHERE, Index
from workbench.ui.widgets.items.list_model import ITEM
from workbench.ui.widgets.plain import tip

EDGE = 16
LEAST_CACHE = 140
_LAYOUTS: Mapping[Layout, str] = {
    "layered": N_("layered"),
    "append_only": N_("append-only"),
    "auto": N_("auto"),
}


class Column(IntEnum):
    """The columns, in their order."""

    TURN = 0
    SENT = 1
    LAYOUT = 2
    TOKENS_IN = 3
    PREDICTED = 4
    REPORTED = 5
    CACHE = 6
    OUT = 7
    PRICE = 8


FIGURES = frozenset({Column.PREDICTED, Column.REPORTED, Column.OUT, Column.PRICE})
"""Columns whose figures stand at the end."""
_WIDTHS: Mapping[Column, int] = {
    Column.TURN: 34 + EDGE,
    Column.SENT: 46,
    Column.LAYOUT: 84,
    Column.TOKENS_IN: 94,
    Column.PREDICTED: 60,
    Column.REPORTED: 60,
    Column.CACHE: 0,
    Column.OUT: 52,
    Column.PRICE: 70 + EDGE,
}
_GIVING_WAY = (Column.LAYOUT, Column.SENT, Column.PRICE, Column.OUT)
"""Which columns go first where the verdict would have no room."""
_HEADS: Mapping[Column, str] = {
    Column.TURN: N_("Turn"),
    Column.SENT: N_("Sent"),
    Column.LAYOUT: N_("Layout"),
    Column.TOKENS_IN: N_("Tokens in"),
    Column.PREDICTED: N_("Predicted"),
    Column.REPORTED: N_("Reported"),
    Column.CACHE: N_("Cache"),
    Column.OUT: N_("Out"),
    Column.PRICE: N_("Price"),
}


_TIPS: Mapping[Column, str] = {
    Column.TOKENS_IN: N_("The turn’s last request as the provider counted it, or as counted here."),
    Column.PREDICTED: N_("What the cache was expected to serve of the turn’s last request."),
    Column.REPORTED: N_("What the provider says its cache served of the turn’s last request."),
    Column.CACHE: N_("Whether the prediction came true for the turn’s last request."),
    Column.OUT: N_("Tokens of the answer as the provider counted them, all requests of the turn together."),
    Column.PRICE: N_("All requests of the turn together, at the model’s listed prices."),
}


_WATCHED_TIPS: Mapping[Column, str] = {
    Column.TOKENS_IN: N_("The request as the provider counted it, or as counted here."),
    Column.PREDICTED: N_("What the cache was expected to serve of the request."),
    Column.REPORTED: N_("What the provider says its cache served of the request."),
    Column.CACHE: N_("Whether the prediction came true."),
    Column.OUT: N_("Tokens of the answer as the provider counted them."),
    Column.PRICE: N_("At the model’s listed prices."),
}


def head_text(column: Column, watched: bool = False) -> str:
    """What stands over a column; other programs choose a model, and no layout of ours."""
    if watched and column in (Column.LAYOUT, Column.TURN):
        word = N_("Model") if column is Column.LAYOUT else N_("No.")
        return QCoreApplication.translate("TurnHead", word)
    return QCoreApplication.translate("TurnHead", _HEADS[column])


def head_tip(column: Column, watched: bool = False) -> str:
    """Where the figures of a column come from, and of which requests they are: a turn with tools makes several."""
    told = (_WATCHED_TIPS if watched else _TIPS).get(column)
    return "" if told is None else QCoreApplication.translate("TurnHead", told)


def widths(total: int) -> dict[Column, int]:
    """How wide each column is; 0 where it is left out. The verdict takes the rest."""
    found = dict(_WIDTHS)
    for column in _GIVING_WAY:
        if total - sum(found.values()) >= LEAST_CACHE:
            break
        found[column] = 0
    found[Column.CACHE] = max(0, total - sum(found.values()))
    return found


def layout_word(layout: Layout | None) -> str:
    """What a layout is called; a dash where it was not noted."""
    return "—" if layout is None else QCoreApplication.translate("TurnHead", _LAYOUTS[layout])


def tokens_in(turn: TurnRow) -> int:
    """The turn's last request, as the provider counted it, else as we did."""
    return turn.last_tokens


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
        case Column.LAYOUT:
            return layout_word(turn.layout) if turn.tools is None else model_name(turn.model)
        case Column.TOKENS_IN:
            return formatting.tokens(tokens_in(turn))
        case Column.PREDICTED:
            return _or_dash(turn.predicted_tokens)
        case Column.REPORTED:
            return _or_dash(turn.reported_tokens)
        case Column.CACHE:
            badge, found = turn_badge(turn), our_break(turn)
            return ", ".join(one.word for one in (badge, found) if one is not None and one.word)
        case Column.OUT:
            return _or_dash(turn.completion_tokens)
        case Column.PRICE:
            return price(turn)


def _or_dash(tokens: int | None) -> str:
    return "—" if tokens is None else formatting.tokens(tokens)


class TurnModel(QAbstractTableModel):
    """A turn more inserts a row; a turn that changed changes its row; anything else is another branch."""

    def __init__(self) -> None:
        super().__init__()
        self._turns: tuple[TurnRow, ...] = ()
        self.largest_tokens = 1

    @property
    def _watched(self) -> bool:
        return bool(self._turns) and self._turns[-1].watched

    def show(self, turns: tuple[TurnRow, ...]) -> None:
        """Show other turns; they come with the oldest first."""
        if turns is self._turns:
            return
        old = self._turns
        known = min(len(old), len(turns))
        if [turn.number for turn in old[:known]] != [turn.number for turn in turns[:known]] or len(
            turns
        ) < len(old):
            self.beginResetModel()
            self._take(turns)
            self.endResetModel()
            return
        if len(turns) > known:
            self.beginInsertRows(NOWHERE, 0, len(turns) - known - 1)
            self._take(turns)
            self.endInsertRows()
        else:
            self._take(turns)
        for place in range(known):
            if turns[place] is not old[place] and turns[place] != old[place]:
                row = len(turns) - 1 - place
                self.dataChanged.emit(self.index(row, 0), self.index(row, len(Column) - 1))

    def turn(self, row: int) -> TurnRow:
        return self._turns[len(self._turns) - 1 - row]

    def row_of(self, number: int | None) -> int:
        """In which row a turn is; -1 where it is not."""
        rows = (row for row in range(len(self._turns)) if self.turn(row).number == number)
        return next(rows, -1)

    def turns(self) -> tuple[TurnRow, ...]:
        return self._turns

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._turns)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(Column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        turn = self.turn(index.row())
        if role == ITEM:
            return turn
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(turn, Column(index.column()))
        if role == Qt.ItemDataRole.ToolTipRole:
            when = formatting.moment(turn.sent_utc) if index.column() == Column.SENT else ""
            return tip(with_more(f"{when}\n{self._told(turn)}" if when else self._told(turn)))
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == Column.TURN:
            return self._told(turn)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return head_text(Column(section), self._watched)
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return tip(with_more(head_tip(Column(section), self._watched)))
        return None

    def _told(self, turn: TurnRow) -> str:
        told = turn_description(turn)
        return (
            f"{told} {self.tr('Model: {name}.').format(name=model_name(turn.model))}" if turn.model else told
        )

    def _take(self, turns: tuple[TurnRow, ...]) -> None:
        self._turns = turns
        self.largest_tokens = max(map(tokens_in, turns), default=1) or 1
