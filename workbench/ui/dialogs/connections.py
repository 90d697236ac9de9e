"""Connections: how this run connects, and whom it has connected to; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QListWidget, QWidget

from workbench.domain.connection import ConnectionMade, NetworkSeen
from workbench.ui import formatting
from workbench.ui.look.space import STRETCH, fill
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown

_tr = translator("Connections")
WIDTH, HEIGHT = 720, 520


class ConnectionsDialog(Sheet):
    """A line a connection, the newest first."""

    def __init__(self, look: Callable[[], NetworkSeen], parent: QWidget | None = None) -> None:
        super().__init__(_tr("Connections"), WIDTH, HEIGHT, parent)
        self._look = look
        self.way = label("", "ui", wrap=True)
        self.list = QListWidget()
        self.list.setAccessibleName(_tr("Connections of this run"))
        self.empty = label(
            _tr("Nothing was connected to since the program was started."), "small", "t3", wrap=True
        )
        unseen = label(
            _tr(
                "Only what this program opens is listed, and only until it ends; the built-in model, which runs on "
                "this computer, is not. What the programs of tool servers do by themselves cannot be seen here."
            ),
            "small",
            "t3",
            wrap=True,
        )
        fill(self.body, self.way, (self.list, 1), self.empty, unseen)
        self.again = on_click(button(_tr("Look again"), icon="refresh"), self.look)
        fill(self.foot, STRETCH, self.again, on_click(button(_tr("Close"), "primary"), self.accept))
        self.look()

    def look(self) -> None:
        """Show what there is now."""
        seen = self._look()
        set_text(self.way, " ".join(_ways(seen)))
        self.list.clear()
        self.list.addItems([_line(one) for one in reversed(seen.made)])
        self.list.setVisible(bool(seen.made))
        self.empty.setVisible(not seen.made)


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


def _line(made: ConnectionMade) -> str:
    why = {"model": _tr("model"), "page": _tr("page"), "tool server": _tr("tool server")}[made.why]
    amount = _tr("{sent} sent, {received} received").format(
        sent=formatting.size(made.sent_bytes), received=formatting.size(made.received_bytes)
    )
    via = _tr("through {proxy}").format(proxy=shown(made.via, 80)) if made.via else ""
    return " · ".join(filter(None, (formatting.clock(made.at), shown(made.host, 120), why, amount, via)))
