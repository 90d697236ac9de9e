"""The dialog of connections: how this run connects, and to whom it has connected; nothing of it is stored."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from workbench.domain.connection import ConnectionMade, NetworkSeen
from workbench.ui import formatting
from workbench.ui.look.space import STRETCH, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.items.text_table import Column, TextRow, TextTable
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import EmptyState

WIDTH, HEIGHT = 760, 520
HOST = 1


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("When"), 84, quiet=True),
        Column(tr("Host")),
        Column(tr("What for"), 108, quiet=True),
        Column(tr("Sent"), 88, figures=True),
        Column(tr("Received"), 100, figures=True),
    )


class ConnectionsDialog(Sheet):
    """A table of connections, newest first."""

    def __init__(self, look: Callable[[], NetworkSeen], parent: QWidget | None = None) -> None:
        super().__init__(tr("Connections"), WIDTH, HEIGHT, parent)
        self._look = look
        self.way = label("", "ui", wrap=True)
        self.table = TextTable(_columns(), tr("Connections of this run, the newest first"))
        self.card = Card()
        rows(self.card, (1, 1, 1, 1)).addWidget(self.table)
        self.empty = EmptyState(
            "globe", tr("No connections yet"), tr("No connections since the program started.")
        )
        unseen = label(
            tr(
                "Lists connections made by this program since it started. The built-in model runs on this "
                "computer and isn’t listed. Connections made by tool servers can’t be seen here."
            ),
            "small",
            "t3",
            wrap=True,
        )
        fill(self.body, self.way, (self.card, 1), (self.empty, 1), unseen)
        self.again = on_click(button(tr("Refresh"), icon="refresh"), self.look)
        fill(self.foot, STRETCH, self.again, on_click(button(tr("Close"), "primary"), self.accept))
        self.look()

    def look(self) -> None:
        """Show the connections made so far."""
        seen = self._look()
        set_text(self.way, " ".join(_connection_words(seen)))
        self.table.rows.reset_items([_row(made) for made in reversed(seen.made)])
        self.card.setVisible(bool(seen.made))
        self.empty.setVisible(not seen.made)


def _row(made: ConnectionMade) -> TextRow:
    said = f"{cell_text(made, HOST)}\n{shown(made.at, 40)}"
    return TextRow(tuple(cell_text(made, column) for column in range(5)), said)


def cell_text(made: ConnectionMade, column: int) -> str:
    """Text of a cell; a proxy is named beside the host."""
    match column:
        case 0:
            return formatting.clock(made.at)
        case 1:
            via = tr(" through {proxy}").format(proxy=shown(made.via, 80)) if made.via else ""
            return shown(made.host, 120) + via
        case 2:
            named = {"model": tr("model"), "page": tr("page"), "tool server": tr("tool server")}
            named["web search"] = tr("web search")
            return named.get(made.why, tr("watched program"))
        case 3:
            return formatting.size(made.sent_bytes)
        case _:
            return formatting.size(made.received_bytes)


def _connection_words(seen: NetworkSeen) -> list[str]:
    said = [tr("Offline is switched on: nothing leaves this computer.")] if seen.offline else []
    if seen.proxy:
        through = tr("Other computers are asked through the proxy {proxy}.")
        said.append(through.format(proxy=shown(seen.proxy, 80)))
    else:
        said.append(tr("Other computers are asked directly, without a proxy."))
    if seen.plain_http:
        plain = tr("Asked without encryption: {servers}.")
        said.append(plain.format(servers=shown(", ".join(seen.plain_http), 200)))
    return said
