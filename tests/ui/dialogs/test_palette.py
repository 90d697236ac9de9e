"""The palette: typed, chosen and run by keyboard; the focus goes back to where it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from tests.fakes.sample_state import sample_state
from workbench.domain.settings.preferences import ContextSettings
from workbench.engine.state import WorkbenchState
from workbench.ui.commands import Command
from workbench.ui.dialogs.palette import Palette
from workbench.ui.wishes import ShowChat


class Room:
    def __init__(self, qtbot) -> None:
        self.window = QWidget()
        self.window.resize(900, 640)
        self.draft = QLineEdit(self.window)
        self.palette = Palette(self.window)
        self.ran: list[str] = []
        qtbot.addWidget(self.window)
        self.window.show()

    def command(self, name: str, preview: Callable[[], ContextSettings | None] | None = None) -> Command:
        return Command(name, name, "Chat", lambda: self.ran.append(name), preview=preview)

    def open(self, *commands: Command, state: WorkbenchState | None = None) -> None:
        self.palette.open_with(commands, state or WorkbenchState())


@pytest.fixture
def room(qtbot) -> Room:
    return Room(qtbot)


def test_a_command_is_typed_and_run(qtbot, room: Room):
    room.open(room.command("New chat"), room.command("Rename this chat"))
    qtbot.keyClicks(room.palette.field, "ren")
    qtbot.keyClick(room.palette.field, Qt.Key.Key_Return)
    assert room.ran == ["Rename this chat"]
    assert not room.palette.isVisible()


def test_arrows_choose_while_the_field_keeps_the_focus(qtbot, room: Room):
    room.open(room.command("One"), room.command("Two"))
    qtbot.keyClick(room.palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(room.palette.field, Qt.Key.Key_Return)
    assert room.ran == ["Two"]


def test_escape_closes_it_and_runs_nothing(qtbot, room: Room):
    room.open(room.command("One"))
    with qtbot.waitSignal(room.palette.closed):
        qtbot.keyClick(room.palette.field, Qt.Key.Key_Escape)
    assert room.ran == []


def test_chats_can_be_gone_to(qtbot, room: Room):
    room.open(room.command("One"), state=sample_state())
    heard: list[object] = []
    room.palette.ran.connect(heard.append)
    qtbot.keyClicks(room.palette.field, "release notes")
    qtbot.keyClick(room.palette.field, Qt.Key.Key_Return)
    assert heard == [ShowChat("c2")]


def test_a_command_with_a_preview_is_tried_out_and_the_trial_ends_with_the_palette(qtbot, room: Room):
    wanted = replace(ContextSettings(), context_window=9)
    room.open(room.command("Keep two", lambda: wanted))
    tried: list[object] = []
    room.palette.tried.connect(tried.append)
    qtbot.waitUntil(lambda: tried == [wanted])
    room.palette.close()
    assert tried == [wanted, None]


def test_nothing_found_is_said_by_the_count(qtbot, room: Room):
    room.open(room.command("One"))
    qtbot.keyClicks(room.palette.field, "zzz")
    assert room.palette.count.text() == "0 results"
    qtbot.keyClick(room.palette.field, Qt.Key.Key_Return)
    assert room.ran == []
