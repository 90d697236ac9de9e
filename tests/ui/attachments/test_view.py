"""The tree of attachments by mouse and key."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt, SignalInstance
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_attachments
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.ui.attachments.delegate import AttachmentDelegate, Part
from workbench.ui.attachments.view import AttachmentsView
from workbench.ui.look.theme import LIGHT

Key = Qt.Key


def shown(qtbot: QtBot, rows: tuple[AttachmentRow, ...] | None = None) -> AttachmentsView:
    view = AttachmentsView("Attachments")
    qtbot.addWidget(view)
    view.resize(252, 400)
    view.tree().show_rows(rows or sample_attachments())
    view.show()
    view.setFocus()
    view.setCurrentIndex(view.tree().index(0, 0))
    return view


def place_of(view: AttachmentsView, key: str, part: Part) -> QPoint:
    index = view.tree().index_of(key)
    delegate = view.itemDelegate()
    assert isinstance(delegate, AttachmentDelegate)
    parts = delegate.parts(QRectF(view.visualRect(index)), index)
    box: QRectF = getattr(parts, part) if part else parts.name
    return box.center().toPoint()


def heard(signal: SignalInstance) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    signal.connect(
        lambda rows, *rest: (
            found.append((*(row.key for row in rows), *rest))
            if isinstance(rows, tuple)
            else found.append((rows.key,))
        )
    )
    return found


@pytest.mark.parametrize(
    ("key", "signal"),
    [
        (Key.Key_Space, "pin_wanted"),
        (Key.Key_Delete, "detach_wanted"),
        (Key.Key_F5, "refresh_wanted"),
        (Key.Key_Return, "preview_wanted"),
    ],
)
def test_keys_do_what_the_design_says(qtbot: QtBot, key: Qt.Key, signal: str):
    view = shown(qtbot)
    found = heard(getattr(view, signal))
    QTest.keyClick(view, key)
    assert found == [("project-spec.md",)]


def test_a_second_del_takes_nothing_else_off_and_the_arrows_go_on_from_there(qtbot: QtBot):
    """Qt made the neighbour the current row: who pressed Del twice lost two files."""
    rows = sample_attachments()
    view = shown(qtbot, rows)
    view.setCurrentIndex(view.tree().index_of(rows[1].key))
    found = heard(view.detach_wanted)
    QTest.keyClick(view, Key.Key_Delete)
    view.show_rows(tuple(row for row in rows if row is not rows[1]))
    assert view.chosen_rows() == ()
    QTest.keyClick(view, Key.Key_Delete)
    QTest.keyClick(view, Key.Key_Down)
    QTest.keyClick(view, Key.Key_Delete)
    assert found[0] == (rows[1].key,)
    assert len(found) == 2
    assert found[1][0] in (rows[0].key, rows[2].key)


def test_a_row_that_the_keyboard_came_to_has_the_ring_before_it_is_chosen(qtbot: QtBot):
    """None was drawn: Enter then opened a file that nobody saw."""
    view = shown(qtbot)
    qtbot.waitUntil(view.hasFocus)
    view.clearSelection()
    view.clearFocus()
    edge = view.visualRect(view.currentIndex()).center() - QPoint(0, view.rowHeight(view.currentIndex()) // 2)

    def ringed() -> bool:
        picture = view.viewport().grab().toImage()
        return any(picture.pixelColor(edge + QPoint(0, by)) == QColor(LIGHT.accent) for by in range(3))

    assert not ringed()
    view.setFocus(Qt.FocusReason.ShortcutFocusReason)
    assert ringed()


def test_what_is_chosen_stays_so_where_it_moves(qtbot: QtBot):
    rows = sample_attachments()
    view = shown(qtbot, rows)
    view.show_rows((*rows[1:], rows[0]))
    assert view.chosen_rows() == (rows[0],)


def test_plus_and_minus_nudge_the_priority(qtbot: QtBot):
    view = shown(qtbot)
    found = heard(view.nudge_wanted)
    QTest.keyClick(view, Key.Key_Plus)
    QTest.keyClick(view, Key.Key_Minus)
    assert found == [("project-spec.md", 1), ("project-spec.md", -1)]


def test_digits_set_the_priority_and_one_zero_is_ten(qtbot: QtBot):
    view = shown(qtbot)
    found = heard(view.priority_wanted)
    for digit in (Key.Key_7, Key.Key_1, Key.Key_0, Key.Key_0):
        QTest.keyClick(view, digit)
    assert [rest[-1] for rest in found] == [7, 1, 10, 0]


def test_many_are_chosen_with_shift_and_done_with_at_once(qtbot: QtBot):
    view = shown(qtbot)
    found = heard(view.pin_wanted)
    QTest.keyClick(view, Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(view, Key.Key_Space)
    assert found == [("project-spec.md", "docs/api.md")]


def test_ctrl_and_a_letter_is_left_to_the_window(qtbot: QtBot):
    view = shown(qtbot)
    found = heard(view.pin_wanted)
    QTest.keyClick(view, Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert found == []


@pytest.mark.parametrize(
    ("part", "signal"), [("pin", "pin_wanted"), ("refresh", "refresh_wanted"), ("freeze", "freeze_wanted")]
)
def test_a_part_of_a_row_is_pressed_without_selecting_the_row(qtbot: QtBot, part: Part, signal: str):
    view = shown(qtbot)
    found = heard(getattr(view, signal))
    place = place_of(view, "docs/api.md", part)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert found == [("docs/api.md",)]
    assert [row.key for row in view.chosen_rows()] == ["project-spec.md"]


def test_the_pin_of_a_selected_row_pins_all_selected(qtbot: QtBot):
    view = shown(qtbot)
    view.selectAll()
    found = heard(view.pin_wanted)
    place = place_of(view, "docs/api.md", "pin")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert len(found[0]) == 4


def test_a_press_that_ends_elsewhere_does_nothing(qtbot: QtBot):
    view = shown(qtbot)
    found = heard(view.refresh_wanted)
    place = place_of(view, "docs/api.md", "refresh")
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    away = place_of(view, "logs/big.log", "")
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=away)
    assert found == []


def test_the_priority_opens_its_menu(qtbot: QtBot):
    view = shown(qtbot)
    with qtbot.waitSignal(view.priorities_wanted):
        place = place_of(view, "src/auth.py", "priority")
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_double_click_shows_the_file(qtbot: QtBot):
    view = shown(qtbot)
    found = heard(view.preview_wanted)
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(view, "src/auth.py", ""))
    assert found == [("src/auth.py",)]


def test_a_folder_opens_and_closes(qtbot: QtBot):
    rows = tuple(AttachmentRow(f"s/{n}", "file", f"s/{n}", 1, 5, False, "sent") for n in range(8))
    view = shown(qtbot, rows)
    folder = view.tree().index(0, 0)
    assert view.isExpanded(folder)
    high = view.content_height()
    place = view.visualRect(folder).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert not view.isExpanded(folder)
    assert view.content_height() < high
    assert len(view.chosen_rows()) == 8
