"""The field a message is written in."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt
from PySide6.QtGui import QDragEnterEvent, QImage, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.effort import tries
from tests.fakes.random_edits import LETTERS, RandomEdits
from workbench.ui.chat.composer.text import MOST_LINES, ComposerText
from workbench.ui.look.fonts import line_height

Key, Mod = Qt.Key, Qt.KeyboardModifier
LINE = 22


def field(qtbot: QtBot, text: str = "") -> ComposerText:
    made = ComposerText()
    qtbot.addWidget(made)
    made.resize(400, 30)
    made.begin_with(text)
    made.show()
    made.setFocus()
    return made


def counted(signal: object) -> list[object]:
    found: list[object] = []
    signal.connect(lambda *said: found.append(said[0] if said else None))  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Enter])
@pytest.mark.parametrize("modifier", [Mod.NoModifier, Mod.ControlModifier])
def test_enter_sends(qtbot: QtBot, key: Qt.Key, modifier: Qt.KeyboardModifier):
    text = field(qtbot, "words")
    sent = counted(text.submitted)
    QTest.keyClick(text, key, modifier)
    assert len(sent) == 1
    assert text.text() == "words"


def test_shift_enter_begins_a_line(qtbot: QtBot):
    text = field(qtbot, "one")
    QTest.keyClick(text, Key.Key_Return, Mod.ShiftModifier)
    QTest.keyClicks(text, "two")
    assert text.text() == "one\ntwo"


@pytest.mark.parametrize(("lines", "high"), [(1, 1), (3, 3), (8, 8), (20, 8)])
def test_it_grows_with_its_lines_up_to_eight(qtbot: QtBot, lines: int, high: int):
    text = field(qtbot, "\n".join("x" for _ in range(lines)))
    assert line_height("chat") == LINE
    assert text.height() == high * LINE
    assert text.verticalScrollBar().isVisible() is (lines > MOST_LINES)


def test_wrapped_lines_count_and_it_shrinks_again(qtbot: QtBot):
    text = field(qtbot, "word " * 40)
    assert text.height() > LINE
    text.replace_text("")
    assert text.height() == LINE


def test_lines_keep_their_height_through_undo_and_new_lines(qtbot: QtBot):
    text = field(qtbot, "one")
    QTest.keyClick(text, Key.Key_Return, Mod.ShiftModifier)
    QTest.keyClicks(text, "two")
    assert text.height() == 2 * LINE
    for _ in range(9):
        text.undo()
    assert text.text() == "one"
    assert text.height() == LINE


def test_every_keystroke_is_told(qtbot: QtBot):
    text = field(qtbot)
    told = counted(text.edited)
    QTest.keyClicks(text, "abc")
    assert told == ["a", "ab", "abc"]


def test_a_draft_that_is_only_shown_is_not_told(qtbot: QtBot):
    text = field(qtbot)
    told = counted(text.edited)
    text.begin_with("other")
    text.show_foreign("another")
    assert told == []


def test_a_foreign_change_keeps_the_cursor(qtbot: QtBot):
    text = field(qtbot, "hello world")
    cursor = text.textCursor()
    cursor.setPosition(5)
    text.setTextCursor(cursor)
    text.show_foreign("hello there")
    assert text.textCursor().position() == 5


def test_arrows_recall_and_come_back(qtbot: QtBot):
    text = field(qtbot, "draft")
    text.recall.learn(["first", "second\nof two lines"])
    told = counted(text.edited)
    QTest.keyClick(text, Key.Key_Up)
    QTest.keyClick(text, Key.Key_Up)
    assert text.text() == "first"
    QTest.keyClick(text, Key.Key_Down)
    QTest.keyClick(text, Key.Key_Down)
    assert text.text() == "draft"
    assert told == ["second\nof two lines", "first", "second\nof two lines", "draft"]


def test_arrows_move_within_the_text_first(qtbot: QtBot):
    """In a long message the arrows are for moving; only at its edges do they recall."""
    text = field(qtbot, "one\ntwo")
    text.recall.learn(["earlier"])
    QTest.keyClick(text, Key.Key_Up)
    assert text.text() == "one\ntwo"
    QTest.keyClick(text, Key.Key_Up)
    assert text.text() == "earlier"


def test_a_wrapped_line_is_a_line(qtbot: QtBot):
    text = field(qtbot, "word " * 40)
    text.recall.learn(["earlier"])
    QTest.keyClick(text, Key.Key_Up)
    assert text.text() != "earlier"


def test_a_long_question_that_was_just_recalled_does_not_hold_up_the_arrows(qtbot: QtBot):
    text = field(qtbot, "draft")
    text.recall.learn(["first", "word " * 40])
    QTest.keyClick(text, Key.Key_Up)
    QTest.keyClick(text, Key.Key_Up)
    assert text.text() == "first"
    QTest.keyClick(text, Key.Key_Down)
    QTest.keyClick(text, Key.Key_Down)
    assert text.text() == "draft"


def test_a_recall_can_be_undone(qtbot: QtBot):
    text = field(qtbot, "draft")
    text.recall.learn(["first"])
    QTest.keyClick(text, Key.Key_Up)
    text.undo()
    assert text.text() == "draft"


def test_selecting_upwards_does_not_recall(qtbot: QtBot):
    text = field(qtbot, "draft")
    text.recall.learn(["first"])
    QTest.keyClick(text, Key.Key_Up, Mod.ShiftModifier)
    assert text.text() == "draft"


def test_undo_is_left_to_the_window_where_there_is_nothing_to_undo_here(qtbot: QtBot):
    """Ctrl+Z in an empty composer must take back the last step of tuning."""
    text = field(qtbot, "draft")

    def wanted_here() -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, Key.Key_Z, Mod.ControlModifier)
        event.ignore()
        text.event(event)
        return event.isAccepted()

    assert not wanted_here()
    QTest.keyClicks(text, "!")
    assert wanted_here()


def test_another_chat_has_nothing_to_undo(qtbot: QtBot):
    text = field(qtbot)
    QTest.keyClicks(text, "words")
    text.begin_with("other chat")
    assert not text.document().isUndoAvailable()


def test_what_is_pasted_is_offered_and_never_taken_as_markup(qtbot: QtBot):
    text = field(qtbot)
    offered = counted(text.offered)
    mime = QMimeData()
    mime.setHtml("<b>bold</b>")
    mime.setText("bold")
    text.insertFromMimeData(mime)
    assert offered == [mime]
    assert text.text() == ""


def test_files_and_pictures_may_be_dropped_on_it(qtbot: QtBot):
    mime = QMimeData()
    mime.setImageData(QImage(2, 2, QImage.Format.Format_RGB32))
    assert field(qtbot).canInsertFromMimeData(mime)


def test_copying_gives_plain_text_only(qtbot: QtBot):
    text = field(qtbot, "one\ntwo")
    text.selectAll()
    mime = text.createMimeDataFromSelection()
    assert mime.formats() == ["text/plain"]
    assert mime.text() == "one\ntwo"


def test_the_hint_is_there_only_while_nothing_is_written(qtbot: QtBot):
    text = field(qtbot)
    empty = text.grab().toImage()
    text.set_hint("Write a message")
    hinted = text.grab().toImage()
    assert hinted != empty
    text.inputMethodEvent(QInputMethodEvent("に", []))
    assert text.is_composing
    text.inputMethodEvent(QInputMethodEvent())
    assert text.grab().toImage() == hinted


def test_escape_is_told_and_tab_leaves(qtbot: QtBot):
    text = field(qtbot)
    stopped = counted(text.stopped)
    QTest.keyClick(text, Key.Key_Escape)
    assert len(stopped) == 1
    assert text.tabChangesFocus()


def test_focus_is_told(qtbot: QtBot):
    text = field(qtbot)
    qtbot.waitUntil(text.isActiveWindow)
    told = counted(text.focused)
    text.clearFocus()
    text.setFocus()
    assert told[-2:] == [False, True]


@pytest.mark.parametrize("taken_above", [False, True])
def test_a_drag_from_elsewhere_is_left_to_the_window_that_shows_where_it_goes(
    qtbot: QtBot, taken_above: bool
):
    """Taken here, the overlay of the whole pane would vanish as soon as the pointer is over the text."""
    window = QWidget()
    qtbot.addWidget(window)
    window.setAcceptDrops(taken_above)
    text = ComposerText()
    text.setParent(window)
    mime = QMimeData()
    mime.setText("words")
    event = QDragEnterEvent(
        QPoint(2, 2), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Mod.NoModifier
    )
    text.dragEnterEvent(event)
    assert event.isAccepted() is not taken_above


@pytest.mark.parametrize("seed", range(3))
def test_the_text_is_what_qt_has_after_every_edit(qtbot: QtBot, seed: int):
    """It is followed letter by letter, since reading a long one takes a while: it must never be another one."""
    text = field(qtbot, "begun")
    edits = RandomEdits(seed, (*LETTERS, "two\nlines", "\u2028", "a\u00a0b", "x" * 300))
    draw = edits.draw
    for _ in range(tries(300)):
        cursor = text.textCursor()
        end = text.document().characterCount() - 1
        at = len(text.toPlainText()[: draw.randrange(end + 1)].encode("utf-16-le")) // 2
        cursor.setPosition(at)
        what = draw.random()
        if what < 0.15:
            text.undo() if draw.random() < 0.6 else text.redo()
        elif what < 0.35:
            to_end = draw.random() < 0.5
            cursor.setPosition(end if to_end else 0, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(edits.edit("") if draw.random() < 0.5 else "")
        elif what < 0.38:
            text.begin_with(edits.edit("begun anew"))
        elif what < 0.4:
            text.show_foreign(edits.edit(text.text()))
        else:
            cursor.insertText(edits.edit(""))
        if draw.random() < 0.7:
            assert text.text() == text.toPlainText()
        cursor = text.textCursor()
        head = text.toPlainText()[: draw.randrange(text.document().characterCount())]
        cursor.setPosition(
            len(head.encode("utf-16-le")) // 2
        )  # never inside of a letter, as people cannot go there
        text.setTextCursor(cursor)
        whole = QTextCursor(cursor)
        whole.setPosition(0, QTextCursor.MoveMode.KeepAnchor)
        assert text.before() == whole.selection().toPlainText()
        assert text.before() + text.after() == text.text() == text.toPlainText()


def test_words_given_back_do_not_put_the_cursor_inside_of_a_letter(qtbot: QtBot):
    text = field(qtbot, "see 😀")
    text.moveCursor(QTextCursor.MoveOperation.End)
    text.show_foreign("given back 😀\n\nsee 😀")
    QTest.keyClicks(text, "X")
    assert text.text() == "given back 😀\n\nsee 😀X"
    text.moveCursor(QTextCursor.MoveOperation.Start)
    text.show_foreign("other")
    assert text.before() == ""
