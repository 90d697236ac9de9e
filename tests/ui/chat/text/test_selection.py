"""A selection over the blocks of a message: dragged, by keys, copied in reading order, one at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QCursor, QGuiApplication, QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.code_block import CodeBlock
from workbench.ui.chat.text.formula_view import FormulaView
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import piece_parts
from workbench.ui.chat.text.prose import ProseView
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.chat.text.selection import WHOLE, Part
from workbench.ui.chat.text.table_view import TableView
from workbench.ui.widgets.stack import Stack, StackItem

ANSWER = (
    "First words here.\n\nSecond paragraph.\n\n- one\n- two\n\n```py\ndef f():\n\treturn 1\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n$$x^2$$\n\nThe last words.\n"
)
COPIED = (
    "First words here.\n\nSecond paragraph.\n\n• one\n• two\n\ndef f():\n\treturn 1\n\n"
    "a\tb\n1\t2\n3\t4\n\nx^2\n\nThe last words."
)


@pytest.fixture
def stack(qtbot: QtBot) -> Iterator[BlockStack]:
    ink = Ink()
    made = BlockStack(ink)
    qtbot.addWidget(made)
    made.show_text(ANSWER)
    made.resize(420, made.heightForWidth(420))
    made.show()
    made.place_all()
    ink.finish()
    made.resize(420, made.heightForWidth(420))
    yield made
    QGuiApplication.clipboard().clear()


def surface(view: QWidget) -> QWidget:
    """What the mouse really meets."""
    text = view.text if isinstance(view, CodeBlock) else view
    return text.viewport() if isinstance(text, SafeBrowser) else text


def mouse(view: QWidget, kind: QEvent.Type, spot: QPoint, *, held: bool = True) -> None:
    """An event of the left button at a point of the screen, as Qt delivers it while the button is down."""
    target, left, none = surface(view), Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    button = none if kind == QEvent.Type.MouseMove else left
    at = QPointF(target.mapFromGlobal(spot))
    buttons = left if held else none
    event = QMouseEvent(kind, at, QPointF(spot), button, buttons, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(target, event)


def spot_of(view: QWidget, place: int) -> QPoint:
    """Where on the screen a place of a block's text is."""
    text = view.text if isinstance(view, CodeBlock) else view
    assert isinstance(text, SafeBrowser)
    at = text.cursorRect(text.cursor_of(Part(place, place))).center()
    return text.viewport().mapToGlobal(at)


def drag(start: QWidget, first: QPoint, last: QPoint) -> None:
    mouse(start, QEvent.Type.MouseButtonPress, first)
    mouse(start, QEvent.Type.MouseMove, QRect(first, last).center())
    mouse(start, QEvent.Type.MouseMove, last)
    mouse(start, QEvent.Type.MouseButtonRelease, last, held=False)


def copied(view: QWidget) -> str:
    text = view.text if isinstance(view, CodeBlock) else view
    QTest.keySequence(text, QKeySequence(QKeySequence.StandardKey.Copy))
    return QGuiApplication.clipboard().text()


def test_a_drag_selects_over_paragraphs_lists_code_tables_and_formulas(stack: BlockStack):
    views = stack.views()
    assert [type(view) for view in views] == [ProseView, CodeBlock, TableView, FormulaView, ProseView]
    drag(views[0], spot_of(views[0], 6), spot_of(views[-1], 8))
    assert copied(views[0]) == COPIED[len("First ") : -len(" words.")]


def test_it_can_be_dragged_upwards(stack: BlockStack):
    views = stack.views()
    drag(views[-1], spot_of(views[-1], 8), spot_of(views[1], 4))
    assert copied(views[-1]) == "f():\n\treturn 1\n\na\tb\n1\t2\n3\t4\n\nx^2\n\nThe last"


def test_and_back_into_the_block_where_it_began(stack: BlockStack):
    first, code, *_ = stack.views()
    mouse(first, QEvent.Type.MouseButtonPress, spot_of(first, 0))
    mouse(first, QEvent.Type.MouseMove, spot_of(code, 5))
    assert set(stack.selection.parts()) == {first, code}
    mouse(first, QEvent.Type.MouseMove, spot_of(first, 5))
    mouse(first, QEvent.Type.MouseButtonRelease, spot_of(first, 5), held=False)
    assert stack.selection.parts() == {first: Part(0, 5)}
    assert isinstance(code, CodeBlock)
    assert not code.text.textCursor().hasSelection()
    assert copied(first) == "First"


def test_a_part_of_code_is_copied_as_it_was_written(stack: BlockStack, qtbot: QtBot):
    stack.show_text("Words.\n\n```\na\u202eb\tc\nend\n```\n")
    stack.resize(420, stack.heightForWidth(420))
    prose, code = stack.views()
    drag(prose, spot_of(prose, 0), spot_of(code, len("a⟨U+202E⟩b\tc")))
    assert copied(prose) == "Words.\n\na\u202eb\tc"


def test_a_table_is_selected_by_rows(stack: BlockStack):
    views = stack.views()
    table = views[2]
    assert isinstance(table, TableView)
    cell = table.document().find("1").selectionStart()
    drag(views[1], spot_of(views[1], 0), spot_of(table, cell))
    assert copied(views[1]) == "def f():\n\treturn 1\n\na\tb\n1\t2"


def test_ctrl_a_selects_all_of_the_answer(stack: BlockStack):
    code = stack.views()[1]
    assert isinstance(code, CodeBlock)
    QTest.keySequence(code.text, QKeySequence(QKeySequence.StandardKey.SelectAll))
    assert copied(code) == COPIED == stack.text()
    assert all(part == WHOLE for part in stack.selection.parts().values())


def test_all_stays_all_while_the_answer_grows_and_a_part_stays_that_part(stack: BlockStack):
    stack.selection.select_all()
    stack.add("\nMore.\n\n```\nx\n```\n", piece_parts("More.\n\n```\nx\n```\n"))
    assert stack.selection.text() == COPIED + "\n\nMore.\n\nx"
    first = stack.views()[0]
    assert isinstance(first, ProseView)
    stack.show_text("Ends")
    view = stack.views()[0]
    drag(view, spot_of(view, 0), spot_of(view, 4))
    stack.show_text("Ends\n\nlater")
    assert stack.selection.text() == "Ends"
    assert stack.views()[0].textCursor().selectedText() == "Ends"  # type: ignore[union-attr]


def test_a_double_click_selects_a_word_and_dragged_on_words(stack: BlockStack):
    first = stack.views()[0]
    spot = spot_of(first, 8)
    QTest.mouseDClick(surface(first), Qt.MouseButton.LeftButton, pos=surface(first).mapFromGlobal(spot))
    assert copied(first) == "words"
    mouse(first, QEvent.Type.MouseButtonDblClick, spot)
    mouse(first, QEvent.Type.MouseMove, spot_of(first, 20))
    assert copied(first) == "words here.\n\nSecond"


def test_one_selection_at_a_time(qtbot: QtBot):
    column = Stack()
    qtbot.addWidget(column)
    one, other = BlockStack(Ink(column), parent=column), BlockStack(Ink(column), parent=column)
    for made in (one, other):
        made.show_text("Some words.\n\n```\ncode\n```\n")
    column.set_stack_items([StackItem(one), StackItem(other)])
    column.resize(400, column.heightForWidth(400))
    column.show()
    drag(one.views()[0], spot_of(one.views()[0], 0), spot_of(one.views()[1], 2))
    assert one.selection.text() == "Some words.\n\nco"
    drag(other.views()[0], spot_of(other.views()[0], 0), spot_of(other.views()[0], 4))
    assert one.selection.text() == ""
    assert other.selection.text() == "Some"
    other.views()[0].setFocus(Qt.FocusReason.MouseFocusReason)
    assert other.selection.text() == "Some"


def test_beyond_the_edge_it_scrolls_and_goes_on_selecting(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch):
    area = QScrollArea()
    qtbot.addWidget(area)
    stack = BlockStack(Ink(area))
    stack.show_text("\n\n".join(f"Line {number}\n\n```\ncode {number}\n```" for number in range(25)))
    stack.resize(300, stack.heightForWidth(300))
    area.setWidget(stack)
    area.resize(320, 200)
    area.show()
    first = stack.views()[0]
    below = area.viewport().mapToGlobal(QPoint(40, area.viewport().height() + 80))
    monkeypatch.setattr(QCursor, "pos", staticmethod(lambda: below))
    mouse(first, QEvent.Type.MouseButtonPress, spot_of(first, 0))
    mouse(first, QEvent.Type.MouseMove, below)
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum(), timeout=5_000)
    qtbot.waitUntil(lambda: "code 24" in stack.selection.text())
    mouse(first, QEvent.Type.MouseButtonRelease, below, held=False)
    held = bar.value()
    bar.setValue(0)
    qtbot.wait(80)
    assert (bar.value(), held) == (0, bar.maximum())
    assert stack.selection.text() == stack.text()


def test_a_drag_touches_only_the_blocks_that_change(stack: BlockStack, monkeypatch: pytest.MonkeyPatch):
    """A long answer has hundreds of blocks, and the mouse tells of every pixel."""
    views = stack.views()
    mouse(views[0], QEvent.Type.MouseButtonPress, spot_of(views[0], 0))
    mouse(views[0], QEvent.Type.MouseMove, spot_of(views[-1], 4))
    touched: list[SafeBrowser] = []
    select = SafeBrowser.select_part

    def watched(view: SafeBrowser, part: Part | None, seen: int | None = None) -> None:
        touched.append(view)
        select(view, part, seen)

    monkeypatch.setattr(SafeBrowser, "select_part", watched)
    mouse(views[0], QEvent.Type.MouseMove, spot_of(views[-1], 6))
    assert touched == [views[-1]]


def test_a_formula_is_selected_as_one_sign(stack: BlockStack):
    formula = stack.views()[3]
    assert isinstance(formula, FormulaView)
    middle = formula.mapToGlobal(QPoint(formula.width() // 2, 2))
    drag(formula, middle, spot_of(stack.views()[4], 3))
    assert copied(formula) == "x^2\n\nThe"
    QTest.keySequence(formula, QKeySequence(QKeySequence.StandardKey.SelectAll))
    assert copied(formula) == COPIED
    assert not formula.grab().isNull()
    stack.selection.clear()
    assert copied(formula) == "x^2"
