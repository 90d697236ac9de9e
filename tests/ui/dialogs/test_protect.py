"""How chats are protected: the first question, a new passphrase, and the recovery code."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.domain.secrets import Secret
from workbench.ui.dialogs.protect import (
    SECRET_HINTS,
    NewPassphraseDialog,
    PassphraseFields,
    ProtectDialog,
    RecoveryCodeDialog,
)
from workbench.ui.given import Choice


def test_a_passphrase_counts_only_when_it_is_typed_twice_alike(qtbot):
    fields = PassphraseFields()
    qtbot.addWidget(fields)
    fields.first.setText("a long enough sentence")
    assert fields.passphrase() is None
    fields.again.setText("another")
    assert fields.passphrase() is None
    assert "match yet" in fields.words.text()
    fields.again.setText("a long enough sentence")
    assert fields.passphrase() == Secret.of_text("a long enough sentence")


def test_a_short_one_is_allowed_and_warned_about(qtbot):
    fields = PassphraseFields()
    qtbot.addWidget(fields)
    fields.first.setText("short")
    fields.again.setText("short")
    assert fields.passphrase() is not None
    assert "Weak" in fields.words.text()


def test_where_the_keyring_is_of_no_use_it_cannot_be_chosen_and_the_reason_is_said(qtbot):
    dialog = ProtectDialog("/data", "no backend")
    qtbot.addWidget(dialog)
    assert not dialog.keyring.isEnabled()
    assert dialog.typed.isChecked()
    assert not dialog.go_on.isEnabled()


def test_the_keyring_alone_is_a_choice(qtbot):
    dialog = ProtectDialog("/data", "")
    qtbot.addWidget(dialog)
    with qtbot.waitSignal(dialog.chosen) as heard:
        qtbot.mouseClick(dialog.go_on, Qt.MouseButton.LeftButton)
    assert heard.args == [Choice(None, keyring=True)]


def test_neither_is_no_choice(qtbot):
    dialog = ProtectDialog("/data", "")
    qtbot.addWidget(dialog)
    dialog.keyring.setChecked(False)
    assert not dialog.go_on.isEnabled()


def test_a_refusal_is_shown_and_escape_leaves(qtbot):
    dialog = ProtectDialog("/data", "")
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.set_busy(True)
    assert not dialog.go_on.isEnabled()
    dialog.set_busy(False)
    dialog.refuse("The disk is full.")
    assert dialog.problem.text() == "The disk is full."
    with qtbot.waitSignal(dialog.quit_wished):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_the_old_passphrase_is_asked_for_before_a_new_one_counts(qtbot):
    dialog = NewPassphraseDialog(True)
    qtbot.addWidget(dialog)
    for field in (dialog.fields.first, dialog.fields.again):
        field.setText("words that nobody knows")
    assert not dialog.go_on.isEnabled()
    dialog.old.setText("old")
    with qtbot.waitSignal(dialog.chosen) as heard:
        dialog.go_on.click()
    assert heard.args == [Secret.of_text("old"), Secret.of_text("words that nobody knows")]


def test_a_store_without_a_passphrase_has_no_old_one_to_ask_for(qtbot):
    dialog = NewPassphraseDialog(False)
    qtbot.addWidget(dialog)
    for field in (dialog.fields.first, dialog.fields.again):
        field.setText("words that nobody knows")
    with qtbot.waitSignal(dialog.chosen) as heard:
        dialog.go_on.click()
    assert heard.args == [None, Secret.of_text("words that nobody knows")]


def test_it_does_not_close_while_something_is_being_changed(qtbot):
    dialog = NewPassphraseDialog(True)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.set_busy(True)
    dialog.reject()
    assert dialog.isVisible()
    dialog.set_busy(False)
    dialog.reject()
    assert not dialog.isVisible()


def test_tab_goes_from_field_to_field(qtbot):
    """It went to the eye, and letters still landed in the first field."""
    fields = PassphraseFields()
    qtbot.addWidget(fields)
    fields.show()
    fields.activateWindow()
    fields.first.setFocus()
    qtbot.keyClick(fields.first, Qt.Key.Key_Tab)
    assert fields.focusWidget() is fields.again


CODE = Secret.of_text("ABCD-EFGH-JKLM")


def test_the_code_is_there_to_read_and_copy(qtbot):
    dialog = RecoveryCodeDialog(CODE)
    qtbot.addWidget(dialog)
    assert dialog.words.text() == "ABCD-EFGH-JKLM"
    dialog._copy()
    assert QGuiApplication.clipboard().text() == "ABCD-EFGH-JKLM"


def test_the_recovery_code_does_not_stay_on_the_clipboard(qtbot):
    """Whatever is pasted next would show it, and clipboard managers would keep it for good."""
    dialog, clipboard = RecoveryCodeDialog(CODE), QGuiApplication.clipboard()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog._copy()
    hints = [clipboard.mimeData().data(name).data() for name in SECRET_HINTS]
    assert hints == [b"secret", b"1"]
    assert "cleared in a minute" in dialog.said.text()
    assert dialog._copied.isActive()
    assert dialog._copied.interval() == 60_000
    dialog._copied.timeout.emit()
    assert clipboard.text() == ""
    dialog._copy()
    dialog.hide()
    assert clipboard.text() == ""


def test_what_was_copied_after_the_recovery_code_stays_on_the_clipboard(qtbot):
    dialog = RecoveryCodeDialog(CODE)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog._copy()
    QGuiApplication.clipboard().setText("something else")
    dialog.hide()
    assert QGuiApplication.clipboard().text() == "something else"


def test_one_goes_on_only_after_saying_that_it_is_kept(qtbot):
    dialog = RecoveryCodeDialog(CODE)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert not dialog.go_on.isEnabled()
    dialog.check.setChecked(True)
    with qtbot.waitSignal(dialog.kept):
        qtbot.mouseClick(dialog.go_on, Qt.MouseButton.LeftButton)


def test_a_saved_code_can_be_read_by_its_owner_only(qtbot, tmp_path: Path):
    dialog = RecoveryCodeDialog(CODE)
    qtbot.addWidget(dialog)
    target = tmp_path / "code.txt"
    dialog.save_to(str(target))
    assert "ABCD-EFGH-JKLM" in target.read_text(encoding="utf-8")
    if sys.platform != "win32":
        assert stat.S_IMODE(target.stat().st_mode) & 0o077 == 0


def test_a_place_that_cannot_be_written_is_said(qtbot, tmp_path: Path):
    dialog = RecoveryCodeDialog(CODE)
    qtbot.addWidget(dialog)
    dialog.save_to(str(tmp_path / "no" / "such" / "folder"))
    assert dialog.said.text().startswith("Not saved:")


def test_the_first_dialog_grows_where_it_is(qtbot: QtBot):
    """It jumped up when it had something to say."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(700, 640)
    window.move(0, 0)
    window.show()
    dialog = ProtectDialog("/data", "", window)
    dialog.open()
    qtbot.wait(10)
    before = dialog.geometry()
    dialog.refuse("The folder can’t be written. Choose another one, or free some room. " * 3)
    qtbot.wait(10)
    assert dialog.height() > before.height()
    assert dialog.geometry().topLeft() == before.topLeft()
    dialog.close()
