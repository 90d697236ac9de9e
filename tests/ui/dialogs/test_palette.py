"""The palette: typed, chosen and run by keyboard; the focus goes back to where it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLineEdit, QWidget

from tests.fakes.sample_state import sample_state
from workbench.domain.search_words import letters_in
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.state import WorkbenchState
from workbench.ui.commands import Command
from workbench.ui.dialogs.palette import Palette, PaletteModel, grouped, matches
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


def command(title: str, group: str = "Chat", enabled: bool = True, more: str = "") -> Command:
    return Command(title, title, group, lambda: None, more=more, enabled=lambda: enabled)


ALL = [command("New chat"), command("Rename this chat"), command("Search all chats", "Go to", more="find")]


ENVELOPE = [command("New chat", "Chat"), command("Layers", "Request"), command("Payload", "Request")]


def test_the_model_keeps_the_rules(qapp):
    model = PaletteModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_matches(matches("", ENVELOPE))
    model.show_matches(matches("lay", ENVELOPE))
    model.show_matches([])


def test_headings_cannot_be_chosen_and_are_stepped_over(qapp):
    model = PaletteModel()
    model.show_matches(matches("", ENVELOPE))
    assert [row.heading for row in model.items] == ["Chat", "", "Request", "", ""]
    assert model.first() == 1
    assert model.beside(1, 1) == 3
    assert model.beside(4, 1) == 4
    assert model.beside(1, -1) == 1
    assert model.flags(model.index(0, 0)) == Qt.ItemFlag.NoItemFlags


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("new", "New chat"),
        ("rtc", "Rename this chat"),
        ("find", "Search all chats"),
        ("CHATS", "Search all chats"),
    ],
)
def test_the_best_fit_comes_first(typed: str, first: str):
    assert matches(typed, ALL)[0].command.title == first


def test_what_cannot_be_done_now_is_not_offered():
    assert matches("", [command("a", enabled=False)]) == []


def test_letters_strewn_over_a_title_are_no_fit():
    assert letters_in("nhs", "Rename this chats") is None


def test_nothing_typed_is_everything_in_its_order():
    assert [match.command.title for match in matches("  ", ALL)] == [one.title for one in ALL]


def test_groups_follow_their_best_match():
    assert [name for name, _ in grouped(matches("search", ALL))] == ["Go to"]


@given(st.text(max_size=8), st.text(max_size=20))
def test_marks_are_places_in_the_title_in_their_order(typed: str, title: str):
    found = letters_in(typed, title)
    if found is not None:
        marks = found[1]
        assert list(marks) == sorted(set(marks))
        assert all(0 <= place < len(title) for place in marks)
