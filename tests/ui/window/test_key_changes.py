"""Changing what opens the store, from the window."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from tests.fakes.given import CODE, RIGHT, PaperKeyKeeper
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import dialog
from workbench.domain.errors import WorkbenchError
from workbench.domain.secrets import Secret
from workbench.engine.tasks import Tasks
from workbench.ui.dialogs.protect import NewPassphraseDialog, RecoveryCodeDialog
from workbench.ui.window.key_changes import KeyChanges


def made_with(keeper: PaperKeyKeeper) -> tuple[KeyChanges, list[object], list[str]]:
    made = KeyChanges(lambda: keeper, Tasks(lambda name, error: None))
    told: list[str] = []
    status: list[object] = []
    made.told.connect(told.append)
    made.status.connect(status.append)
    return made, status, told


@in_qt_loop
async def test_the_keyring_is_turned_on_and_the_status_follows(qapp):
    keeper, over = PaperKeyKeeper(), QWidget()
    made, status, _ = made_with(keeper)
    made.run("keyring-on", over)
    await until(lambda: bool(status))
    assert "keyring" in keeper.kinds


@in_qt_loop
async def test_a_new_recovery_code_is_shown(qapp):
    over = QWidget()
    made, status, _ = made_with(PaperKeyKeeper())
    made.run("recovery", over)
    shown = await dialog(RecoveryCodeDialog)
    assert shown.words.text() == CODE.reveal_text()  # type: ignore[attr-defined]
    shown.kept.emit()  # type: ignore[attr-defined]
    await until(lambda: bool(status))


@in_qt_loop
async def test_a_new_passphrase_is_taken_only_with_the_old_one(qapp):
    """Whoever sat down at an open window could lock its owner out."""
    keeper, over = PaperKeyKeeper(), QWidget()
    made, _, told = made_with(keeper)
    made.run("passphrase", over)
    asked = await dialog(NewPassphraseDialog)
    assert isinstance(asked, NewPassphraseDialog)
    asked.chosen.emit(Secret.of_text("wrong"), Secret.of_text("new one"))
    await until(lambda: "Nothing was changed" in asked.problem.text())
    assert (keeper.passphrases, told, asked.isVisible()) == ([], [], True)
    asked.chosen.emit(RIGHT, Secret.of_text("new one"))
    await until(lambda: bool(told))
    assert keeper.passphrases == [Secret.of_text("new one")]


@in_qt_loop
async def test_a_change_of_mind_changes_nothing(qapp):
    keeper, over = PaperKeyKeeper(), QWidget()
    made, status, told = made_with(keeper)
    made.run("passphrase", over)
    asked = await dialog(NewPassphraseDialog)
    asked.reject()  # type: ignore[attr-defined]
    await until(lambda: bool(status))
    assert (keeper.passphrases, told) == ([], [])


@in_qt_loop
async def test_where_there_is_no_passphrase_yet_none_is_asked_for(qapp):
    keeper, over = PaperKeyKeeper(), QWidget()
    keeper.kinds = ["keyring", "recovery"]
    made, _, told = made_with(keeper)
    made.run("passphrase", over)
    asked = await dialog(NewPassphraseDialog)
    asked.chosen.emit(None, Secret.of_text("new one"))  # type: ignore[attr-defined]
    await until(lambda: bool(told))
    assert keeper.passphrases == [Secret.of_text("new one")]


@in_qt_loop
async def test_what_cannot_be_done_is_said(qapp):
    class Refusing(PaperKeyKeeper):
        def use_keyring(self, wanted: bool) -> None:
            raise WorkbenchError("No keyring here.")

    over = QWidget()
    made, _, told = made_with(Refusing())
    made.run("keyring-on", over)
    await until(lambda: told == ["No keyring here."])
