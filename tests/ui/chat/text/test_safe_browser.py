"""A text to be read: nothing is opened by it, and only plain text leaves it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeySequence, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.code_block import CodeText
from workbench.ui.chat.text.safe_browser import SafeBrowser, SafeDocument
from workbench.ui.look.proxy_style import unseen_style


def browser(qtbot: QtBot, text: str = "some words") -> SafeBrowser:
    made = SafeBrowser()
    qtbot.addWidget(made)
    QTextCursor(made.document()).insertText(text)
    made.resize(300, 60)
    made.show()
    return made


def test_its_document_is_the_safe_one_and_it_opens_nothing_itself(qtbot: QtBot):
    made = browser(qtbot)
    assert isinstance(made.document(), SafeDocument)
    assert not made.openLinks()
    assert not made.openExternalLinks()
    assert not made.acceptDrops()
    assert made.loadResource(2, QUrl("file:///etc/passwd")) == ""


def test_a_bar_that_is_never_seen_asks_nothing_of_our_style_and_one_that_is_does(qtbot: QtBot):
    """Thousands of questions to Python for each chat that was opened."""
    prose, code = browser(qtbot), CodeText()
    qtbot.addWidget(code)
    for bar in (prose.verticalScrollBar(), prose.horizontalScrollBar(), code.verticalScrollBar()):
        assert bar.style() is unseen_style()
    assert code.horizontalScrollBar().style() is code.style()


def test_a_click_on_a_link_is_only_told(qtbot: QtBot):
    made = browser(qtbot)
    with qtbot.waitSignal(made.link_wished) as told:
        made.anchorClicked.emit(QUrl("https://a.example/%E2%80%AE"))
    assert told.args == ["https://a.example/%E2%80%AE"]
    assert made.source().isEmpty()


def test_copying_gives_plain_text_only(qtbot: QtBot):
    made = browser(qtbot, "first\nsecond")
    made.selectAll()
    QTest.keySequence(made, QKeySequence(QKeySequence.StandardKey.Copy))
    held = QGuiApplication.clipboard().mimeData()
    assert held.text() == "first\nsecond"
    assert not held.hasHtml()
    assert held.formats() == ["text/plain"]


def test_the_wheel_is_left_to_the_transcript(qtbot: QtBot):
    made = browser(qtbot, "line\n" * 50)
    wheel = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, -40), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    made.wheelEvent(wheel)
    assert not wheel.isAccepted()


def test_a_selection_goes_when_another_text_is_clicked_but_not_when_a_menu_opens(qtbot: QtBot):
    made = browser(qtbot)
    made.selectAll()
    made.focusOutEvent(QFocusEvent(QFocusEvent.Type.FocusOut, Qt.FocusReason.PopupFocusReason))
    assert made.textCursor().hasSelection()
    made.focusOutEvent(QFocusEvent(QFocusEvent.Type.FocusOut, Qt.FocusReason.MouseFocusReason))
    assert not made.textCursor().hasSelection()
