"""Connections: whom this run has connected to, and which way."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tests.fakes.widgets import button_with
from workbench.domain.connection import ConnectionMade, NetworkSeen
from workbench.ui.dialogs.connections import ConnectionsDialog
from workbench.ui.dialogs.settings_privacy import PrivacyPage

FIRST = ConnectionMade("127.0.0.1:11434", "model", "2026-01-02T03:04:05Z", "", 1200, 34)
SECOND = ConnectionMade("pages.example:443", "page", "2026-01-02T03:05:05Z", "p:1")


def lines(dialog: ConnectionsDialog) -> list[str]:
    return [dialog.list.item(row).text() for row in range(dialog.list.count())]


def test_the_newest_connection_stands_first(qtbot):
    dialog = ConnectionsDialog(lambda: NetworkSeen(made=(FIRST, SECOND)))
    qtbot.addWidget(dialog)
    newest, oldest = lines(dialog)
    assert "pages.example:443 · page · " in newest
    assert newest.endswith(" · through p:1")
    assert "127.0.0.1:11434 · model · 1.2 kB sent, 34 bytes received" in oldest
    assert dialog.empty.isHidden()


def test_none_is_said_and_looking_again_shows_what_came_since(qtbot):
    seen = [NetworkSeen(), NetworkSeen(made=(FIRST,))]
    dialog = ConnectionsDialog(lambda: seen.pop(0))
    qtbot.addWidget(dialog)
    assert (lines(dialog), dialog.empty.isHidden(), dialog.list.isHidden()) == ([], False, True)
    dialog.again.click()
    assert (len(lines(dialog)), dialog.empty.isHidden()) == (1, True)


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
