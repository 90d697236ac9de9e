"""Unlocking: wrong tries are said, nothing is tried without words, and the code is another field."""

from __future__ import annotations

from PySide6.QtCore import Qt

from workbench.domain.secrets import Secret
from workbench.ui.dialogs.unlock import UnlockDialog


def test_enter_tries_what_was_typed(qtbot):
    dialog = UnlockDialog("Use your passphrase.")
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClicks(dialog.secret, "open sesame")
    with qtbot.waitSignal(dialog.tried) as heard:
        qtbot.keyClick(dialog.secret, Qt.Key.Key_Return)
    assert heard.args == [Secret.of_text("open sesame")]


def test_enter_tries_once_though_the_button_is_the_default(qtbot):
    """A dialog's default button and its field both hear Enter; two tries would cost two waits."""
    dialog = UnlockDialog("x")
    qtbot.addWidget(dialog)
    dialog.show()
    tries: list[object] = []
    dialog.tried.connect(tries.append)
    dialog.tried.connect(lambda _secret: dialog.set_busy(True))
    qtbot.keyClicks(dialog.secret, "x")
    qtbot.keyClick(dialog.secret, Qt.Key.Key_Return)
    assert len(tries) == 1


def test_nothing_typed_is_nothing_tried(qtbot):
    dialog = UnlockDialog("x")
    qtbot.addWidget(dialog)
    with qtbot.assertNotEmitted(dialog.tried):
        dialog.go_on.click()


def test_a_wrong_try_is_said_under_the_field_and_can_be_typed_over(qtbot):
    dialog = UnlockDialog("x")
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.secret.setText("wrong")
    dialog.refuse("Not the right passphrase. Nothing was changed.")
    assert dialog.problem.isVisible()
    assert dialog.secret.selectedText() or dialog.secret.hasSelectedText()


def test_the_recovery_code_has_its_own_field(qtbot):
    dialog = UnlockDialog("x")
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.other.click()
    dialog.code.setText("ABCD")
    with qtbot.waitSignal(dialog.tried) as heard:
        dialog.go_on.click()
    assert heard.args == [Secret.of_text("ABCD")]


def test_escape_leaves_the_program_and_unlocks_nothing(qtbot):
    dialog = UnlockDialog("x")
    qtbot.addWidget(dialog)
    dialog.show()
    with qtbot.waitSignal(dialog.quit_wished):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
