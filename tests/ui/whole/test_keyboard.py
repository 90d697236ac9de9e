"""The main tasks with the keyboard alone: every key goes to whatever has the focus, as it does for a person."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.widgets import all_of
from tests.fakes.window_stage import WindowStage, dialog, scripted_folder
from workbench.ui.dialogs.guide import GuideDialog
from workbench.ui.dialogs.palette import Palette
from workbench.ui.dialogs.settings_dialog import SettingsDialog

pytestmark = pytest.mark.usefixtures("no_window_left")


MODIFIERS = {
    "Ctrl": Qt.KeyboardModifier.ControlModifier,
    "Shift": Qt.KeyboardModifier.ShiftModifier,
    "Alt": Qt.KeyboardModifier.AltModifier,
}
KEYS = {",": Qt.Key.Key_Comma}


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None, "nothing has the focus"
    return widget


def press(keys: str) -> None:
    """Press keys, named as shortcuts are, wherever the focus is."""
    *held, key = (keys.replace("++", "+Plus") if keys != "+" else "Plus").split("+")
    modifiers = Qt.KeyboardModifier.NoModifier
    for name in held:
        modifiers |= MODIFIERS[name]
    QTest.keyClick(focused(), KEYS.get(key) or getattr(Qt.Key, f"Key_{key}"), modifiers)


def write(words: str) -> None:
    QTest.keyClicks(focused(), words)


async def active(window: QWidget) -> None:
    """Have the window active again, as a window manager would when a dialog goes."""
    window.activateWindow()
    await until(lambda: QApplication.activeWindow() is window)


async def press_until(keys: str, there: Callable[[], bool], most: int = 60) -> None:
    """Press again and again until one is where one wants to be: nothing may hold the focus for good."""
    for _ in range(most):
        if there():
            return
        press(keys)
    assert there(), f"{keys} does not lead there; the focus is in {focused()!r}"


@in_qt_loop
async def test_a_first_hour_without_a_mouse(qapp, tmp_path: Path):
    notes = tmp_path / "notes.md"
    notes.write_text("# Release\n\nThe release is on Friday.\n" * 20, encoding="utf-8")
    stage = await WindowStage.open(scripted_folder(tmp_path, "On Friday."))
    stage.window.resize(1600, 1000)
    await active(stage.window)
    stage.window.chat.composer.setFocus()
    await attach_and_ask(stage, notes)
    await tune(stage)
    await look_around(stage)
    await stage.close()
    assert stage.crashes == []


async def attach_and_ask(stage: WindowStage, notes: Path) -> None:
    window = stage.window
    press("Ctrl+N")
    await stage.until_chat(lambda chat: not chat.records and chat.draft == "")
    press("Ctrl+O")
    chooser = await dialog(QFileDialog)
    await until(lambda: chooser.isAncestorOf(focused()) and isinstance(focused(), QLineEdit))
    write(str(notes))
    press("Return")
    await until(lambda: not chooser.isVisible())
    await active(window)
    await stage.until_chat(lambda chat: len(chat.attachments) == 1)
    await press_until("F6", lambda: focused() is window.chat.composer.text)
    write("When is the release?")
    await stage.until_chat(lambda chat: chat.draft == "When is the release?")
    press("Return")
    await stage.until_chat(lambda chat: chat.ended is not None and len(chat.records) == 2)


async def tune(stage: WindowStage) -> None:
    tree = stage.window.inspector.layers.tree
    await press_until("F6", lambda: focused() is tree)
    await press_until("Down", lambda: (row := tree.rows.row(tree.currentIndex())) is not None and row.tunable)
    press("Space")
    await stage.until_chat(lambda chat: chat.attachments[0].pinned)
    press("Space")
    await stage.until_chat(lambda chat: not chat.attachments[0].pinned)
    press("+")
    await stage.until_chat(lambda chat: chat.attachments[0].priority > 5)
    press("Delete")
    await stage.until_chat(lambda chat: chat.attachments[0].state == "excluded")
    press("Ctrl+Alt+Z")
    await stage.until_chat(lambda chat: chat.attachments[0].state != "excluded")


async def look_around(stage: WindowStage) -> None:
    window = stage.window
    press("Ctrl+K")
    await until(
        lambda: any(one.isVisible() and one.isAncestorOf(focused()) for one in all_of(Palette, window))
    )
    write("diff")
    press("Return")
    await until(lambda: window.inspector.pages.name() == "diff")
    kinds: tuple[tuple[str, type[QWidget]], ...] = (("F1", GuideDialog), ("Ctrl+,", SettingsDialog))
    for keys, kind in kinds:
        press(keys)
        opened = await dialog(kind)
        await active(opened)
        press("Escape")
        await until(partial(is_gone, opened))
        await active(window)
        await until(lambda: window.isAncestorOf(focused()))
    press("Ctrl+Shift+F")
    write("Friday")
    await until(lambda: (found := stage.session.state.found) is not None and len(found.hits) > 0)
    press("Escape")


def is_gone(widget: QWidget) -> bool:
    return not widget.isVisible()


@in_qt_loop
async def test_tab_goes_round_the_whole_window_and_comes_back(qapp, tmp_path: Path):
    """Nothing takes the focus and keeps it, and each pane is on the way."""
    stage = await WindowStage.open(scripted_folder(tmp_path, "Yes."))
    window = stage.window
    window.resize(1600, 1000)
    await active(window)
    # Its controls come and go until the next request is shown, and a hidden one is not on the way.
    await stage.until_chat(lambda chat: chat.view is not None)
    await stage.settle()
    await until(window.inspector.layers.tree.isVisible)
    window.inspector.layers.tree.setFocus(Qt.FocusReason.TabFocusReason)
    begun, seen = focused(), list[QWidget]()
    for _ in range(200):
        press("Tab")
        seen.append(focused())
        if focused() is begun:
            break
    assert seen[-1] is begun
    composer, inspector = window.chat.composer, window.inspector
    panes = (window.left, window.chat.head, window.chat.middle, composer, inspector)
    gone_to = [next(place for place, pane in enumerate(panes) if pane.isAncestorOf(one)) for one in seen]
    turns = [place for place, before in zip(gone_to, [-1, *gone_to], strict=False) if place != before]
    assert turns == [4, 0, 1, 2, 3, 4], "from the inspector once round, each pane once"
    back = list[QWidget]()
    for _ in seen:
        press("Shift+Tab")
        back.append(focused())
    assert back[:-1] == list(reversed(seen[:-1]))
    await stage.close()
