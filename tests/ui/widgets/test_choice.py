"""Fields: what is chosen, typed and ticked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.widgets.children import child
from workbench.ui.look.proxy_style import polish_all
from workbench.ui.look.theme import DARK, LIGHT, set_theme
from workbench.ui.widgets.buttons import ToolButton
from workbench.ui.widgets.choice import (
    SWITCH_HEIGHT,
    SWITCH_WIDTH,
    Check,
    Choice,
    Field,
    NumberField,
    SecretField,
    Switch,
    TextField,
)
from workbench.ui.widgets.labels import KeyCap

OPTIONS = (("layered", "Layered"), ("flat", "Flat list"))


def wheel(widget: QWidget) -> QWheelEvent:
    place = QPointF(widget.rect().center())
    event = QWheelEvent(
        place, place, QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)
    return event


@pytest.fixture
def choice(qtbot) -> Choice:
    made = Choice(OPTIONS)
    qtbot.addWidget(made)
    return made


def test_an_option_is_chosen_by_its_value(choice: Choice, qtbot):
    assert choice.chosen() == "layered"
    with qtbot.assertNotEmitted(choice.currentIndexChanged):
        choice.choose("flat")
    assert (choice.chosen(), choice.currentText()) == ("flat", "Flat list")


def test_an_unknown_value_changes_nothing(choice: Choice):
    choice.choose("gone")
    assert choice.chosen() == "layered"


def test_its_list_gets_its_look_when_it_is_opened_and_a_new_theme_changes_it(choice: Choice, qapp):
    choice.show()
    assert not choice.view().styleSheet()
    choice.showPopup()
    assert choice.view().sizeHintForRow(0) >= 26
    assert LIGHT.raised in choice.view().styleSheet()
    set_theme(qapp, DARK)
    polish_all(qapp)
    assert DARK.raised in choice.view().styleSheet()
    set_theme(qapp, LIGHT)


def test_the_wheel_never_changes_a_choice(choice: Choice):
    """Scrolling a page of settings must not change one of them."""
    event = wheel(choice)
    assert choice.chosen() == "layered"
    assert not event.isAccepted()


def test_all_fields_are_of_one_height(qtbot):
    for made in (Choice(OPTIONS), NumberField(0, 10), Field("Search"), SecretField("Key")):
        qtbot.addWidget(made)
        assert made.sizeHint().height() == 28


def test_a_number_has_its_thousands_apart_and_its_limits(qtbot):
    field = NumberField(0, 16_000, 100)
    qtbot.addWidget(field)
    field.setValue(20_000)
    assert field.value() == 16_000
    assert field.text() == "16,000"


def test_the_wheel_changes_a_number_only_where_it_has_the_focus(qtbot):
    field = NumberField(0, 10)
    qtbot.addWidget(field)
    field.setValue(5)
    wheel(field)
    assert field.value() == 5


def test_a_box_is_ticked_by_space(qtbot):
    box = Check("Keep", checked=True)
    qtbot.addWidget(box)
    box.show()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert not box.isChecked()


def test_a_fields_text_leaves_room_for_icon_and_key(qtbot):
    field = Field("Search chats", "search", "Ctrl+F")
    qtbot.addWidget(field)
    field.resize(240, 28)
    margins = field.textMargins()
    assert margins.left() >= 24
    assert margins.right() >= child(field, KeyCap).sizeHint().width()


def test_the_key_goes_while_one_types(qtbot):
    field = Field("Search chats", "search", "Ctrl+F")
    qtbot.addWidget(field)
    cap = child(field, KeyCap)
    field.setText("a")
    assert cap.isHidden()
    field.clear()
    assert not cap.isHidden()


def test_a_field_is_called_by_its_placeholder(qtbot):
    field = Field("Search chats")
    qtbot.addWidget(field)
    assert field.accessibleName() == "Search chats"


def test_tab_leaves_a_text_field(qtbot):
    field = TextField("Say something")
    qtbot.addWidget(field)
    assert field.tabChangesFocus()


@pytest.fixture
def secret(qtbot) -> SecretField:
    made = SecretField("Passphrase", "key")
    qtbot.addWidget(made)
    made.resize(240, 28)
    made.setText("correct horse")
    made.show()
    return made


def test_a_secret_is_hidden_until_the_eye_is_pressed(secret: SecretField):
    eye = child(secret, ToolButton)
    assert secret.echoMode() == QLineEdit.EchoMode.Password
    QTest.mouseClick(eye, Qt.MouseButton.LeftButton)
    assert secret.echoMode() == QLineEdit.EchoMode.Normal
    assert eye.accessibleName() == "Hide the secret"
    QTest.mouseClick(eye, Qt.MouseButton.LeftButton)
    assert secret.echoMode() == QLineEdit.EchoMode.Password
    assert eye.icon_name() == "eye"


def test_a_secret_is_not_offered_to_prediction(secret: SecretField):
    assert secret.inputMethodHints() & Qt.InputMethodHint.ImhSensitiveData


def test_the_eye_does_not_lie_on_the_text(secret: SecretField, qtbot):
    secret.resize(260, 28)
    qtbot.wait(1)
    eye = child(secret, ToolButton).geometry()
    margins = secret.textMargins()
    assert eye.left() >= secret.width() - margins.right() - 2


def test_it_turns_and_shows_it(qtbot: QtBot):
    made = Switch("read", on=False)
    qtbot.addWidget(made)
    made.show()
    off = made.grab().toImage()
    QTest.keyClick(made, Qt.Key.Key_Space)
    assert made.isChecked()
    assert made.grab().toImage() != off
    assert (made.accessibleName(), made.width(), made.height()) == (
        "read",
        SWITCH_WIDTH,
        SWITCH_HEIGHT,
    )
