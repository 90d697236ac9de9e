"""Exporting a watched chat: its own formats are offered, and only there."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.fakes.watched import CONVERSATION, watched_state
from workbench.ui.dialogs.transfer import ENDINGS, ExportDialog, formats, watched_formats


def test_the_formats_of_watched_chats_are_offered_for_one_and_each_has_an_ending(qtbot: QtBot):
    state, _ = watched_state()
    offered = {}
    for chosen in (CONVERSATION, ""):
        dialog = ExportDialog(chosen)
        qtbot.addWidget(dialog)
        dialog.show_state(state)
        dialog.show_state(state)
        offered[chosen] = [dialog.format.itemData(place) for place in range(dialog.format.count())]
    usual, more = ([name for name, _, _ in some] for some in (formats(), watched_formats()))
    assert offered == {CONVERSATION: [*usual, *more], "": usual}
    assert set(more) < set(ENDINGS)
