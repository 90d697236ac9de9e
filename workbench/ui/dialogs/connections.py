"""Connections: how this run connects, and whom it has connected to; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QWidget

from workbench.domain.connection import ConnectionMade, NetworkSeen
from workbench.ui import formatting
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import elided, paint_elided, paint_figure, set_text_style
from workbench.ui.look.space import STRETCH, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import N_, translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.empty import EmptyState
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.items.delegate import (
    NOWHERE,
    Index,
    ItemOption,
    RowDelegate,
    paint_ground,
    paint_ring,
    paint_rule,
)
from workbench.ui.widgets.items.views import RowTree
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip

_tr = translator("Connections")
WIDTH, HEIGHT = 760, 520
HEAD_HEIGHT, ROW_HEIGHT, EDGE, GAP = 28, 30, 12, 8
WHEN, HOST, WHY, SENT, RECEIVED = range(5)
_HEADS = (N_("When"), N_("Host"), N_("What for"), N_("Sent"), N_("Received"))
_WIDTHS = {WHEN: 84, WHY: 108, SENT: 88, RECEIVED: 100}
_FIGURES = (SENT, RECEIVED)


class ConnectionsDialog(Sheet):
    """A row a connection, the newest first."""

    def __init__(self, look: Callable[[], NetworkSeen], parent: QWidget | None = None) -> None:
        super().__init__(_tr("Connections"), WIDTH, HEIGHT, parent)
        self._look = look
        self.way = label("", "ui", wrap=True)
        self.table = ConnectionTable()
        self.card = Card()
        rows(self.card, (1, 1, 1, 1)).addWidget(self.table)
        self.empty = EmptyState(
            "globe", _tr("No connections yet"), _tr("No connections since the program started.")
        )
        unseen = label(
            _tr(
                "Lists connections made by this program since it started. The built-in model runs on this "
                "computer and isn’t listed. Connections made by tool servers can’t be seen here."
            ),
            "small",
            "t3",
            wrap=True,
        )
        fill(self.body, self.way, (self.card, 1), (self.empty, 1), unseen)
        self.again = on_click(button(_tr("Refresh"), icon="refresh"), self.look)
        fill(self.foot, STRETCH, self.again, on_click(button(_tr("Close"), "primary"), self.accept))
        self.look()

    def look(self) -> None:
        """Show what there is now."""
        seen = self._look()
        set_text(self.way, " ".join(_ways(seen)))
        self.table.connections.show(tuple(reversed(seen.made)))
        self.card.setVisible(bool(seen.made))
        self.empty.setVisible(not seen.made)


class ConnectionModel(QAbstractTableModel):
    """The connections, as they were when somebody looked."""

    def __init__(self) -> None:
        super().__init__()
        self._made: tuple[ConnectionMade, ...] = ()

    def show(self, made: Sequence[ConnectionMade]) -> None:
        """Show others."""
        self.beginResetModel()
        self._made = tuple(made)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._made)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(_HEADS)

    def headerData(self, section: int, _orientation: Qt.Orientation, role: int = 0) -> Any:
        return _tr(_HEADS[section]) if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        made = self._made[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell_text(made, index.column())
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{_tr(_HEADS[index.column()])}: {cell_text(made, index.column())}"
            case Qt.ItemDataRole.ToolTipRole:
                return tip(f"{cell_text(made, HOST)}\n{shown(made.at, 40)}")
            case _:
                return None


class ConnectionTable(RowTree):
    """The connections in columns; their heads stay while the rows are scrolled."""

    def __init__(self) -> None:
        super().__init__()
        self.connections = ConnectionModel()
        self.setUniformRowHeights(True)
        self.setModel(self.connections)
        self.setHeader(_Head())
        self.setItemDelegate(_Cells(self))
        self.setItemsExpandable(False)
        self.setAccessibleName(_tr("Connections of this run, the newest first"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        for column in range(len(_HEADS)):
            mode = QHeaderView.ResizeMode.Stretch if column == HOST else QHeaderView.ResizeMode.Fixed
            self.header().setSectionResizeMode(column, mode)
            if column in _WIDTHS:
                self.setColumnWidth(column, _WIDTHS[column])


class _Head(QHeaderView):
    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setSectionsClickable(False)
        self.setStretchLastSection(False)
        self.setMinimumSectionSize(1)
        self.setFixedHeight(HEAD_HEIGHT)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        theme, box = theme_of(self), QRectF(rect)
        painter.save()
        painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), colour("line", theme))
        set_text_style(painter, font("meta"), colour("t3", theme))
        inner = _inner(box, section)
        _paint(painter, inner, elided(painter.font(), _tr(_HEADS[section]), inner.width()), section)
        painter.restore()


class _Cells(RowDelegate):
    height = ROW_HEIGHT

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        paint_ground(painter, row)
        paint_rule(painter, row.box)
        quiet = index.column() in (WHEN, WHY)
        set_text_style(painter, font("small"), colour("t2" if quiet else "t1"))
        _paint(painter, _inner(row.box, index.column()), str(index.data()), index.column())
        if index.column() == WHEN:
            paint_ring(painter, row)


def _inner(box: QRectF, column: int) -> QRectF:
    """A cell without its padding; the first and the last one keep the card's edge."""
    return box.adjusted(EDGE if column == WHEN else 0, 0, -EDGE if column == RECEIVED else -GAP, 0)


def _paint(painter: QPainter, box: QRectF, words: str, column: int) -> None:
    (paint_figure if column in _FIGURES else paint_elided)(painter, box, words)


def cell_text(made: ConnectionMade, column: int) -> str:
    """What a cell says; whoever stands between is named beside the host."""
    match column:
        case 0:
            return formatting.clock(made.at)
        case 1:
            via = _tr(" through {proxy}").format(proxy=shown(made.via, 80)) if made.via else ""
            return shown(made.host, 120) + via
        case 2:
            named = {"model": _tr("model"), "page": _tr("page"), "tool server": _tr("tool server")}
            return named.get(made.why, _tr("watched program"))
        case 3:
            return formatting.size(made.sent_bytes)
        case _:
            return formatting.size(made.received_bytes)


def _ways(seen: NetworkSeen) -> list[str]:
    said = [_tr("Offline is switched on: nothing leaves this computer.")] if seen.offline else []
    if seen.proxy:
        through = _tr("Other computers are asked through the proxy {proxy}.")
        said.append(through.format(proxy=shown(seen.proxy, 80)))
    else:
        said.append(_tr("Other computers are asked directly, without a proxy."))
    if seen.plain_http:
        plain = _tr("Asked without encryption: {servers}.")
        said.append(plain.format(servers=shown(", ".join(seen.plain_http), 200)))
    return said
