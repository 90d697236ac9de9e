"""From the first paint to an open store."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtWidgets import QWidget

from tests.fakes.given import CODE, RIGHT, PaperGiven
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import dialog
from workbench.domain.secrets import Secret
from workbench.ui.dialogs.protect import ProtectDialog, RecoveryCodeDialog
from workbench.ui.dialogs.unlock import UnlockDialog
from workbench.ui.given import Choice
from workbench.ui.window.startup import NotOpened, keep_chats, open_store


@in_qt_loop
async def test_a_store_that_opens_by_itself_asks_nobody(qapp):
    paper, over = PaperGiven(), QWidget()
    store, fresh = await open_store(paper.given(), over)
    assert (store, fresh) == (paper.store, False)


@in_qt_loop
async def test_a_first_start_chooses_and_shows_the_code(qapp):
    paper, over = PaperGiven(exists=False), QWidget()
    opening = asyncio.get_running_loop().create_task(open_store(paper.given(), over))
    protect = await dialog(ProtectDialog)
    protect.chosen.emit(Choice(None, keyring=True))  # type: ignore[attr-defined]
    shown = await dialog(RecoveryCodeDialog)
    assert shown.words.text() == CODE.reveal_text()  # type: ignore[attr-defined]
    shown.kept.emit()  # type: ignore[attr-defined]
    _, fresh = await opening
    assert fresh
    assert paper.made == [Choice(None, keyring=True)]


@in_qt_loop
async def test_what_was_given_at_start_protects_a_new_store_and_nothing_is_asked(qapp):
    """The dialog's passphrase would be taken and unlock nothing: what was given goes first."""
    paper, over = PaperGiven(exists=False), QWidget()
    given = paper.given(secret_given=lambda: True, look=paper.look)
    opening = asyncio.get_running_loop().create_task(open_store(given, over))
    (await dialog(RecoveryCodeDialog)).kept.emit()  # type: ignore[attr-defined]
    assert await opening == (paper.store, True)
    assert paper.made == [Choice(None, keyring=False)]


@in_qt_loop
async def test_a_wrong_secret_is_asked_for_again(qapp):
    paper, over = PaperGiven(needs=RIGHT), QWidget()
    opening = asyncio.get_running_loop().create_task(open_store(paper.given(), over))
    unlock = await dialog(UnlockDialog)
    assert isinstance(unlock, UnlockDialog)
    unlock.tried.emit(Secret.of_text("wrong"))
    await until(unlock.problem.isVisible)
    unlock.tried.emit(RIGHT)
    store, _ = await opening
    assert store is paper.store


@in_qt_loop
async def test_whoever_leaves_opens_nothing(qapp):
    paper, over = PaperGiven(needs=RIGHT), QWidget()
    opening = asyncio.get_running_loop().create_task(open_store(paper.given(), over))
    unlock = await dialog(UnlockDialog)
    unlock.quit_wished.emit()  # type: ignore[attr-defined]
    with pytest.raises(NotOpened):
        await opening


@in_qt_loop
async def test_whoever_looks_around_first_chooses_nothing_and_keeps_later(qapp):
    paper, over = PaperGiven(exists=False), QWidget()
    given = paper.given(look=paper.look, throwaway=lambda: not paper.exists)
    opening = asyncio.get_running_loop().create_task(open_store(given, over))
    protect = await dialog(ProtectDialog)
    assert isinstance(protect, ProtectDialog)
    protect.look.click()
    assert await opening == (paper.store, False)
    assert paper.made == []

    keeping = asyncio.get_running_loop().create_task(keep_chats(given, over))
    later = await dialog(ProtectDialog)
    assert isinstance(later, ProtectDialog)
    assert (later.look.isHidden(), later.leave.text()) == (True, "Not now")
    later.leave.click()
    assert not await keeping
    assert paper.made == []

    keeping = asyncio.get_running_loop().create_task(keep_chats(given, over))
    (await dialog(ProtectDialog)).chosen.emit(Choice(RIGHT, keyring=False))  # type: ignore[attr-defined]
    (await dialog(RecoveryCodeDialog)).kept.emit()  # type: ignore[attr-defined]
    assert await keeping
    assert paper.made == [Choice(RIGHT, keyring=False)]


@in_qt_loop
async def test_where_nothing_can_be_looked_at_it_is_not_offered(qapp):
    paper, over = PaperGiven(exists=False), QWidget()
    opening = asyncio.get_running_loop().create_task(open_store(paper.given(), over))
    protect = await dialog(ProtectDialog)
    assert isinstance(protect, ProtectDialog)
    assert protect.look.isHidden()
    protect.quit_wished.emit()
    with pytest.raises(NotOpened):
        await opening
