"""The text of a part, exactly as it is sent."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.ui.inspector.sections.sheet import PageText


def test_the_text_is_not_touched_and_the_arrows_end_where_it_ends(qtbot: QtBot):
    page = PageText()
    qtbot.addWidget(page)
    steps: list[int] = []
    page.stepped.connect(steps.append)
    text = "--- page 24 ---\n## 4.2 Clock skew\n<b>not markup</b>\n[figure 7 left out]\n"
    page.show_text(text, "p. 24 of 84", "710 tokens", (False, True))
    assert page.text.toPlainText() == text
    assert page.where.text() == "p. 24 of 84"
    assert not page.back.isEnabled()
    page.on.click()
    assert steps == [1]


def test_a_selection_knows_its_lines(qtbot: QtBot):
    page = PageText()
    qtbot.addWidget(page)
    page.show_text("a\n😀 b\nc\n", "", "", (False, False))
    cursor = page.text.textCursor()
    cursor.setPosition(2)
    cursor.movePosition(cursor.MoveOperation.EndOfLine, cursor.MoveMode.KeepAnchor)
    page.text.setTextCursor(cursor)
    assert page.text.selected() == ("😀 b", 1)
