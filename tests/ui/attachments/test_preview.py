"""An attachment as the model gets it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_attachments
from workbench.domain.found_secret import FoundSecret
from workbench.ui.attachments.preview import WHOLE, Preview

ROW = replace(sample_attachments()[0], text="short", content="the whole text")


def test_the_text_is_what_is_sent_until_the_whole_is_wanted(qtbot: QtBot):
    preview = Preview(ROW)
    qtbot.addWidget(preview)
    assert preview.text.toPlainText() == "short"
    preview._switch.set_current(WHOLE)
    preview._switch.chosen.emit(WHOLE)
    assert preview.text.toPlainText() == "the whole text"


def test_markup_in_a_file_is_text(qtbot: QtBot):
    preview = Preview(replace(ROW, text="<b>bold</b><img src='x'>", name="<i>a</i>"))
    qtbot.addWidget(preview)
    assert preview.text.toPlainText() == "<b>bold</b><img src='x'>"
    assert preview.title.textFormat() == Qt.TextFormat.PlainText


def test_what_is_not_sent_is_said_to_be_so(qtbot: QtBot):
    preview = Preview(replace(ROW, text="", state="dropped"))
    qtbot.addWidget(preview)
    assert preview.text.toPlainText() == ""
    assert preview._note.text().startswith("Not sent")
    preview.show_row(replace(ROW, text="", state="reference"))
    assert "reference" in preview._note.text()


def test_what_was_shortened_by_hand_says_to_how_much(qtbot: QtBot):
    preview = Preview(replace(ROW, state="compacted", most_tokens=2_000))
    qtbot.addWidget(preview)
    assert preview._note.text().startswith("Shortened to at most 2,000 tokens")


def test_it_follows_the_attachment(qtbot: QtBot):
    preview = Preview(ROW)
    qtbot.addWidget(preview)
    preview.show_row(replace(ROW, text="other", tokens=1_234, state="sent"))
    assert preview.text.toPlainText() == "other"
    assert preview._tokens.text() == "1,234 tokens"
    assert preview._badge.word() == "sent"


def test_escape_closes_it(qtbot: QtBot):
    preview = Preview(ROW)
    qtbot.addWidget(preview)
    preview.open()
    QTest.keyClick(preview.text, Qt.Key.Key_Escape)
    assert not preview.isVisible()


def test_keys_are_marked_in_both_texts_and_said_with_their_lines(qtbot: QtBot):
    key = FoundSecret("github", 2, 6, 10, "ghp_…")
    row = replace(ROW, content="first\nghp_ rest", text="<file>\nfirst\nghp_ rest\n</file>", secrets=(key,))
    preview = Preview(row)
    qtbot.addWidget(preview)
    assert preview._note.text() == "looks like a GitHub key (line 2)"
    for shown in ("as sent", WHOLE):
        if shown == WHOLE:
            preview._switch.set_current(WHOLE)
            preview._switch.chosen.emit(WHOLE)
        (mark,) = preview.text.extraSelections()
        assert mark.cursor.selectedText() == "ghp_"  # type: ignore[attr-defined]
    preview.show_row(ROW)
    assert preview.text.extraSelections() == []
