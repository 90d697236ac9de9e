"""The parts our style paints: fields, boxes, marks, arrows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QRadioButton,
    QSpinBox,
    QStyle,
    QStyleOption,
    QWidget,
)

from workbench.ui.look.theme import Theme


def picture(widget: QWidget) -> QImage:
    return widget.grab().toImage()


def colours(image: QImage) -> set[str]:
    return {
        image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(image.height())
    }


@pytest.mark.parametrize("kind", [QLineEdit, QSpinBox, QComboBox])
def test_a_field_has_the_border_of_the_design(theme: Theme, qtbot, kind):
    field = kind()
    qtbot.addWidget(field)
    field.resize(120, 28)
    assert picture(field).pixelColor(60, 0) == QColor(theme.edge)
    field.setEnabled(False)
    assert picture(field).pixelColor(60, 0) == QColor(theme.btnline)


def test_the_focus_is_seen_on_a_fields_border(theme: Theme, qtbot):
    field = QLineEdit()
    qtbot.addWidget(field)
    field.resize(120, 28)
    field.show()
    field.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    assert picture(field).pixelColor(60, 0) == QColor(theme.accent)


def test_a_spin_box_keeps_both_arrows(theme: Theme, qtbot):
    """A border by a style sheet takes them away."""
    box = QSpinBox()
    qtbot.addWidget(box)
    box.setRange(0, 9)
    box.setValue(5)
    box.resize(100, 28)
    image = picture(box)
    ground = QColor(theme.surface)
    for half in (range(3, 13), range(15, 25)):
        assert any(image.pixelColor(x, y) != ground for x in range(84, 98) for y in half)


def test_the_arrows_of_a_spin_box_work(qtbot):
    box = QSpinBox()
    qtbot.addWidget(box)
    box.setValue(5)
    box.resize(100, 28)
    box.show()
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(91, 6))
    assert box.value() == 6
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(91, 22))
    assert box.value() == 5


def test_a_check_box_has_a_mark_when_it_is_on(theme: Theme, qtbot):
    box = QCheckBox()
    qtbot.addWidget(box)
    box.resize(24, 24)
    assert theme.accent not in colours(picture(box))
    box.setChecked(True)
    found = colours(picture(box))
    assert theme.accent in found
    assert len(found) > 3, "the mark is drawn on the ground"


def test_three_states_of_a_check_box_look_different(theme: Theme, qtbot):
    box = QCheckBox()
    qtbot.addWidget(box)
    box.setTristate(True)
    box.resize(24, 24)
    pictures = []
    for state in (Qt.CheckState.Unchecked, Qt.CheckState.PartiallyChecked, Qt.CheckState.Checked):
        box.setCheckState(state)
        pictures.append(picture(box))
    assert pictures[0] != pictures[1] != pictures[2] != pictures[0]


def test_the_row_with_the_focus_has_a_frame_inside_for_the_keyboard_only(theme: Theme, qtbot):
    rows = QListWidget()
    qtbot.addWidget(rows)
    rows.addItems(["one", "two"])
    rows.resize(200, 80)
    rows.show()
    rows.activateWindow()
    rows.setFocus()
    rows.setCurrentRow(0)
    qtbot.waitUntil(rows.hasFocus)
    assert theme.accent not in colours(picture(rows))
    rows.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    assert theme.accent in colours(picture(rows))


def test_a_radio_button_shows_that_it_is_on(theme: Theme, qtbot):
    one = QRadioButton()
    qtbot.addWidget(one)
    one.resize(24, 24)
    off = picture(one)
    one.setChecked(True)
    assert picture(one) != off
    assert theme.accent in colours(picture(one))


def test_where_something_would_be_dropped_has_the_colour_of_the_design(theme: Theme, qtbot):
    held = QListWidget()
    qtbot.addWidget(held)
    image = QImage(100, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    option = QStyleOption()
    option.rect = QRect(0, 0, 100, 30)  # type: ignore[attr-defined]
    held.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorItemViewItemDrop, option, painter, held)
    painter.end()
    assert image.pixelColor(50, 1) == QColor(theme.accent)
