"""The turns of a chat as a table, the newest first."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, Qt

from workbench.domain.shown.turn_view import TurnRow
from workbench.ui.inspector.rows.verdict_words import turn_description
from workbench.ui.inspector.turns.columns import Column, cell_text, head_text, head_tip, model_name, tokens_in
from workbench.ui.widgets.items.item import NOWHERE, Index
from workbench.ui.widgets.items.list_model import ITEM
from workbench.ui.widgets.plain import tip


class TurnModel(QAbstractTableModel):
    """A turn more inserts a row; a turn that changed changes its row; anything else is another branch."""

    def __init__(self) -> None:
        super().__init__()
        self._turns: tuple[TurnRow, ...] = ()
        self.largest_tokens = 1

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
        """All of them, the oldest first."""
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
            return tip(self._told(turn))
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == Column.TURN:
            return self._told(turn)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return head_text(Column(section))
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return tip(head_tip(Column(section)))
        return None

    def _told(self, turn: TurnRow) -> str:
        """A turn in sentences, and who answered it."""
        told = turn_description(turn)
        return (
            f"{told} {self.tr('Model: {name}.').format(name=model_name(turn.model))}" if turn.model else told
        )

    def _take(self, turns: tuple[TurnRow, ...]) -> None:
        self._turns = turns
        self.largest_tokens = max(map(tokens_in, turns), default=1) or 1
