"""A window over a settings file that cannot be used: it says so, sends nothing, and goes on once that is mended."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import WindowStage
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences

pytestmark = pytest.mark.usefixtures("no_window_left")


class Desktop(QObject):
    """Takes what would be opened outside of the window."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[QUrl] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        """Note it."""
        self.opened.append(url)


@in_qt_loop
async def test_the_notice_stays_send_is_blocked_and_mending_the_file_turns_it_on(qapp, data: Path):
    file = data / "settings.toml"
    right = file.read_text(encoding="utf-8")
    file.write_text(f"{right}openai_url = \n", encoding="utf-8")
    stage = await WindowStage.open(data)
    card, composer = stage.window.chat.off, stage.window.chat.composer
    assert card.isVisible()
    assert card.title.text() == "Sending is off: correct settings.toml in line 2, column 14."
    assert card.words.text().startswith("Reason: this is not valid TOML. Nothing leaves this computer")

    desktop = Desktop()
    QDesktopServices.setUrlHandler("file", desktop, "take")  # type: ignore[arg-type]  # the stub wants bytes, the call a name
    try:
        card.open.click()
    finally:
        QDesktopServices.unsetUrlHandler("file")
    assert desktop.opened == [QUrl.fromLocalFile(str(file))]

    await stage.new_chat()
    QTest.keyClicks(composer.text, "Hello?")
    await stage.until_chat(lambda chat: chat.draft == "Hello?")
    assert not composer.strip.send.isEnabled()
    assert composer.strip.send.accessibleDescription() == card.title.text()
    QTest.keyClick(composer.text, Qt.Key.Key_Return)
    await stage.settle()
    assert composer.note.words.text() == card.title.text()
    assert (composer.text.text(), stage.open_chat.running, stage.open_chat.ended) == ("Hello?", None, None)

    stage.session.send(ChangePreferences(Preferences(model="x")))
    await until(lambda: "Nothing was saved, and the file was not changed." in stage.window.toast.text())
    assert file.read_text(encoding="utf-8") == f"{right}openai_url = \n"
    assert [name for name in os.listdir(data) if name.startswith("settings")] == ["settings.toml"]

    file.write_text(right, encoding="utf-8")
    card.again.click()
    await until(lambda: not card.isVisible())
    await stage.new_chat()
    QTest.keyClicks(composer.text, "Hello?")
    await stage.until_chat(lambda chat: chat.draft == "Hello?")
    QTest.keyClick(composer.text, Qt.Key.Key_Return)
    chat = await stage.until_chat(lambda chat: chat.running is None and chat.ended is not None)
    assert chat.ended is not None
    assert chat.ended.state == "complete"
    assert stage.crashes == []
