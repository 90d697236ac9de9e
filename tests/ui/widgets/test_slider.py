"""A slider, and a value that can be typed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.ui.widgets.children import child
from workbench.ui.widgets.choice import NumberField
from workbench.ui.widgets.slider import Slider, ValueButton


@pytest.fixture
def slider(qtbot) -> Slider:
    made = Slider(0, 100, 10)
    qtbot.addWidget(made)
    made.resize(206, 20)
    made.show()
    return made


def test_the_knob_goes_from_one_end_to_the_other(slider: Slider):
    places = []
    for value in (0, 50, 100):
        slider.setValue(value)
        places.append(slider.knob_center())
    assert places[0] == pytest.approx(10, abs=1)
    assert places[1] == pytest.approx(103, abs=2)
    assert places[2] == pytest.approx(196, abs=1)


def test_the_arrows_take_a_step(slider: Slider):
    slider.setValue(50)
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert slider.value() == 60


def test_a_click_goes_there(slider: Slider):
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(150, 10))
    assert slider.value() == pytest.approx(75, abs=6)


def test_it_is_filled_up_to_the_knob(slider: Slider, theme):
    slider.setValue(50)
    image = slider.grab().toImage()
    assert image.pixelColor(40, 10).name().upper() == theme.accent
    assert image.pixelColor(160, 10).name().upper() == theme.track


@pytest.fixture
def value(qtbot) -> ValueButton:
    made = ValueButton(0, 16_000, 100)
    qtbot.addWidget(made)
    made.show_value(12_800, "12,800")
    made.resize(made.sizeHint())
    made.show()
    made.activateWindow()
    return made


def field_of(value: ValueButton) -> NumberField:
    return child(value, NumberField)


def test_a_value_can_be_typed(value: ValueButton, qtbot):
    QTest.mouseClick(value, Qt.MouseButton.LeftButton)
    field = field_of(value)
    assert field.isVisible()
    assert field.value() == 12_800
    field.setValue(4000)
    with qtbot.waitSignal(value.entered) as told:
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert told.args == [4000]
    assert field.isHidden()


def test_escape_leaves_it_as_it_was(value: ValueButton, qtbot):
    QTest.mouseClick(value, Qt.MouseButton.LeftButton)
    field_of(value).setValue(4000)
    with qtbot.assertNotEmitted(value.entered):
        QTest.keyClick(field_of(value), Qt.Key.Key_Escape)
    assert field_of(value).isHidden()


def test_the_same_value_again_tells_nothing(value: ValueButton, qtbot):
    QTest.mouseClick(value, Qt.MouseButton.LeftButton)
    with qtbot.assertNotEmitted(value.entered):
        QTest.keyClick(field_of(value), Qt.Key.Key_Return)


def test_a_changed_value_stands_out(value: ValueButton, theme):
    before = value.grab().toImage()
    value.show_value(2, "10 → 2", changed=True)
    value.set_range(0, 10)
    assert value.accessibleDescription() == "10 → 2"
    value.resize(value.sizeHint())
    assert value.grab().toImage() != before


def test_it_grows_while_it_is_a_field(value: ValueButton):
    before = value.sizeHint().width()
    QTest.mouseClick(value, Qt.MouseButton.LeftButton)
    assert value.sizeHint().width() > before
