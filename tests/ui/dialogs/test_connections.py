"""Connections: whom this run has connected to, and which way."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import get_args

from PySide6.QtCore import Qt

from tests.fakes.widgets import button_with
from workbench.domain.connection import ConnectionMade, NetworkSeen, Purpose
from workbench.ui.dialogs.connections import ConnectionsDialog
from workbench.ui.dialogs.settings_privacy import PrivacyPage

FIRST = ConnectionMade("127.0.0.1:11434", "model", "2026-01-02T03:04:05Z", "", 1200, 34)
SECOND = ConnectionMade("pages.example:443", "page", "2026-01-02T03:05:05Z", "p:1")


def cells(dialog: ConnectionsDialog) -> list[list[str]]:
    model = dialog.table.rows
    return [
        [str(model.index(row, column).data()) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_the_newest_connection_stands_first(qtbot):
    dialog = ConnectionsDialog(lambda: NetworkSeen(made=(FIRST, SECOND)))
    qtbot.addWidget(dialog)
    newest, oldest = cells(dialog)
    assert newest[1:] == ["pages.example:443 through p:1", "page", "0 bytes", "0 bytes"]
    assert oldest[1:] == ["127.0.0.1:11434", "model", "1.2 kB", "34 bytes"]
    assert (dialog.empty.isHidden(), dialog.card.isHidden()) == (True, False)


def test_what_a_connection_was_for_is_said(qtbot):
    purposes: tuple[Purpose, ...] = get_args(Purpose)
    dialog = ConnectionsDialog(lambda: NetworkSeen(made=tuple(replace(FIRST, why=one) for one in purposes)))
    qtbot.addWidget(dialog)
    assert [row[2] for row in cells(dialog)] == list(reversed(purposes))


def test_each_column_has_its_head_and_is_spoken_with_it(qtbot):
    dialog = ConnectionsDialog(lambda: NetworkSeen(made=(FIRST,)))
    qtbot.addWidget(dialog)
    model = dialog.table.rows
    heads = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(model.columnCount())]
    assert heads == ["When", "Host", "What for", "Sent", "Received"]
    spoken = model.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Host: 127.0.0.1:11434"


def test_a_host_s_name_is_shown_harmless(qtbot):
    dialog = ConnectionsDialog(lambda: NetworkSeen(made=(replace(FIRST, host="a\u202e\n<b>x</b>"),)))
    qtbot.addWidget(dialog)
    host = cells(dialog)[0][1]
    assert "\u202e" not in host
    assert "\n" not in host
    assert "<b>" not in dialog.table.rows.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)


def test_every_cell_is_painted(qtbot):
    """A delegate that raises while it paints shows nothing, and only a picture tells."""
    dialog = ConnectionsDialog(lambda: NetworkSeen(made=(FIRST, SECOND)))
    qtbot.addWidget(dialog)
    dialog.show()
    picture = dialog.table.viewport().grab().toImage()
    inks = {picture.pixel(x, y) for x in range(0, picture.width(), 2) for y in range(0, picture.height(), 2)}
    assert len(inks) > 3


def test_none_is_said_and_looking_again_shows_what_came_since(qtbot):
    seen = [NetworkSeen(), NetworkSeen(made=(FIRST,))]
    dialog = ConnectionsDialog(lambda: seen.pop(0))
    qtbot.addWidget(dialog)
    assert (cells(dialog), dialog.empty.isHidden(), dialog.card.isHidden()) == ([], False, True)
    assert dialog.empty.title.text() == "No connections yet"
    dialog.again.click()
    assert (len(cells(dialog)), dialog.empty.isHidden()) == (1, True)


def test_the_way_is_said(qtbot):
    for seen, words in (
        (NetworkSeen(), "Other computers are asked directly, without a proxy."),
        (NetworkSeen(proxy="p:1"), "Other computers are asked through the proxy p:1."),
        (NetworkSeen(offline=True), "Offline is switched on: nothing leaves this computer."),
        (NetworkSeen(plain_http=("http://nas:80",)), "Asked without encryption: http://nas:80."),
    ):
        dialog = ConnectionsDialog(partial(replace, seen))
        qtbot.addWidget(dialog)
        assert words in dialog.way.text()


def test_settings_lead_to_it(qtbot):
    page = PrivacyPage("/data")
    qtbot.addWidget(page)
    wishes: list[object] = []
    page.wishes.wish.connect(wishes.append)
    button_with("Show…", page).click()
    assert wishes == ["connections"]
