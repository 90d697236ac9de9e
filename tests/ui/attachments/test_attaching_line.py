"""Attaching that takes a while is seen, and can be ended."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.files.attached import AttachProgress
from workbench.engine.attaching_intents import StopAttaching
from workbench.ui.attachments.attaching_line import AttachingLine


def test_it_says_how_far_it_is_and_ends_it(qtbot: QtBot):
    line = AttachingLine()
    qtbot.addWidget(line)
    sent: list[object] = []
    line.wishes.intent.connect(sent.append)
    assert line.show_progress("talk", AttachProgress(12, 40, "spec.pdf"))
    assert line.words.text() == "12 of 40, reading spec.pdf"
    assert not line.show_progress("talk", AttachProgress(13, 40, "other.pdf"))
    line.cancel.click()
    assert sent == [StopAttaching("talk")]
    assert line.show_progress("talk", None)
    assert not line.isVisible()
    assert line.room() == 0
