"""The dashed box that says how files get here."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.attachments.bands import HINT_HEIGHT, DropHint


def test_it_says_it_in_words_and_paints_dashes(qtbot: QtBot):
    hint = DropHint()
    qtbot.addWidget(hint)
    hint.resize(228, HINT_HEIGHT)
    image = hint.grab().toImage()
    edge = {image.pixel(x, 0) for x in range(20, 200)}
    assert "Ctrl+O" in hint.accessibleName()
    assert len(edge) > 1
