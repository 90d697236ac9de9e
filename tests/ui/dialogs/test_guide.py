"""The guide in the window."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.guide import guide_pages
from workbench.ui.dialogs.guide import GuideDialog

PAGES = guide_pages({"request": "# What a request is\n\nOne.\n", "budget": "# Budget\n\nTwo.\n"})


def test_a_page_is_shown_by_its_name(qtbot: QtBot):
    dialog = GuideDialog(PAGES, lambda _name: b"")
    qtbot.addWidget(dialog)
    dialog.show_page("budget")
    assert dialog.page() == "budget"
