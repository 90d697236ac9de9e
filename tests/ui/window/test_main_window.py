"""The window: draws a state, remembers its sizes, goes round its panes, and closes only when everything is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QSlider,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, NOW, sample_state
from tests.fakes.widgets import all_of
from tests.ui.chat.chat_samples import long_chat
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import EditInPlace, EditQuestion
from workbench.engine.state import RunningTurn, WorkbenchState
from workbench.ui.attachments.pane import row_menu
from workbench.ui.look.theme import LIGHT
from workbench.ui.memory import WindowMemory
from workbench.ui.offers import Offer
from workbench.ui.window.main_window import FRAME, MainWindow, Skeleton, first_place


@pytest.fixture
def window(qapp) -> Iterator[MainWindow]:
    made = MainWindow(WindowMemory(None))
    made.resize(1600, 1000)
    made.show()
    made.show_state(sample_state(), CHAT, NOW)
    yield made
    made.let_go()
    made.deleteLater()


def test_all_panes_show_one_state(window: MainWindow):
    assert window.windowTitle() == "Token refresh in auth.py – Context Workbench"
    assert window.inspector.block.bar.bar().total_tokens == 11_686
    assert window.chat.composer.text.text().startswith("Why does refresh()")


def test_without_a_chat_every_pane_says_what_to_do(window: MainWindow):
    window.show_state(WorkbenchState(), "", NOW)
    assert window.windowTitle() == "Context Workbench"


def test_a_title_cannot_play_tricks_in_the_task_bar(window: MainWindow):
    from dataclasses import replace

    state = sample_state()
    chat = replace(state.open[CHAT].chat, title="ab\u202egpj.exe\nx")
    tricky = replace(state, open={CHAT: replace(state.open[CHAT], chat=chat)})
    window.show_state(tricky, CHAT, NOW)
    assert "\u202e" not in window.windowTitle()
    assert "\n" not in window.windowTitle()


def test_f6_goes_round_the_panes_and_escape_comes_back_to_the_composer(qtbot, window: MainWindow):
    visited = []
    window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange, False)
    for _ in range(4):
        window.next_pane()
        assert window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange), "so the ring is drawn"
        focus = window.focusWidget()
        visited.append(
            next(
                name
                for name, pane in (
                    ("chats", window.left.chats),
                    ("attachments", window.left.attachments),
                    ("composer", window.chat.composer),
                    ("inspector", window.inspector),
                )
                if pane is focus or pane.isAncestorOf(focus)
            )
        )
    assert sorted(visited) == ["attachments", "chats", "composer", "inspector"]
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.chat.composer.isAncestorOf(window.focusWidget())


def test_the_selection_is_one(window: MainWindow):
    key = RowKey("L3_TURN", "src/auth.py")
    window.select(key)
    assert window.inspector.layers.tree.selected_key() == key


def test_a_mark_in_the_transcript_goes_where_the_selection_goes(window: MainWindow):
    """A row chosen in the composer's bar left the line beside the messages of the row before."""

    def marked() -> set[str]:
        column = window.chat.transcript.column
        return {item.key for item in column.items() if (view := column.view(item.key)) and view.is_marked()}

    window.inspector.layers.tree.select(RowKey("L4_STRIP", "turn 8"))
    assert marked()
    window.chat.composer.selected.emit(RowKey("L1_SYSTEM", "persona"))
    assert marked() == set()
    window.chat.selected.emit(RowKey("L4_STRIP", "turn 8"))
    assert marked()
    window.select(None)
    assert marked() == set()


def test_closing_waits_until_everything_is_kept(qtbot, window: MainWindow):
    with qtbot.waitSignal(window.closing):
        window.close()
    assert window.isVisible()
    window.let_go()
    assert not window.isVisible()


def test_closing_asks_about_words_that_were_edited_and_are_not_saved(qtbot: QtBot, window: MainWindow):
    """Esc warns before it loses them; Ctrl+Q lost the same words without asking."""
    wishes, asked = window.wishes, "The words of a message you edited aren’t saved yet."
    wishes.send(EditInPlace(CHAT, "a1", "As it was."))
    wishes.send(EditInPlace(CHAT, "a1", "As it should be."))
    with qtbot.assertNotEmitted(window.closing):
        window.close()
    assert window.toast.accessibleName() == asked
    for end in (
        EditInPlace(CHAT, "a1", None),
        EditInPlace(CHAT, "a1", "As it was."),
        EditQuestion(CHAT, "a1", "As it should be."),
    ):
        wishes.send(EditInPlace(CHAT, "a1", "As it was."))
        wishes.send(EditInPlace(CHAT, "a1", "As it should be."))
        wishes.send(end)
        with qtbot.waitSignal(window.closing):
            window.close()
    wishes.send(EditInPlace(CHAT, "a1", "As it should be."))
    wishes.send(EditInPlace(CHAT, "a1", "Again."))
    with qtbot.waitSignal(window.closing):
        window.close_now()


def test_sizes_and_columns_are_remembered(qapp, tmp_path: Path):
    first = MainWindow(WindowMemory(tmp_path / "window.ini"))
    first.show()
    first.columns.toggle_right()
    first.let_go()
    kept = WindowMemory(tmp_path / "window.ini")
    assert not kept.bytes_of("geometry").isEmpty()
    second = MainWindow(kept)
    second.show()
    assert not second.inspector.isVisible()
    second.let_go()


def test_an_unfurnished_window_has_its_place_and_no_panes(qtbot):
    window = MainWindow(WindowMemory(None), furnished=False)
    window.show()
    assert not hasattr(window, "chat")
    window.furnish()
    window.show_state(sample_state(), CHAT, NOW)
    qtbot.waitUntil(window.chat.isVisible)
    window.let_go()


def test_the_welcome_stands_in_the_place_of_the_transcript(window: MainWindow):
    window.welcome("Opens with a passphrase")
    assert not window.chat.transcript.isVisible()
    window.end_welcome()
    assert window.chat.transcript.isVisible()


def test_the_first_hints_come_once_and_again_only_when_they_are_wanted(qapp, tmp_path: Path):
    memory = WindowMemory(tmp_path / "window.ini")
    for start, shown in enumerate((True, False)):
        window = MainWindow(memory if start == 0 else WindowMemory(tmp_path / "window.ini"))
        window.resize(1600, 1000)
        window.show()
        window.show_state(sample_state(), CHAT, NOW)
        window.welcome("Opens with a passphrase")
        assert window.inspector.lesson_line.isVisible() is shown
        window.take_tour()
        assert window.inspector.lesson_line.isVisible()
        assert window.inspector.layers.cards.isVisible()
        window.end_lesson()
        assert not window.inspector.lesson_line.isVisible()
        window.let_go()


def test_hints_stay_in_the_sample_until_they_are_read_or_the_first_turn_is_asked(window: MainWindow):
    state = sample_state()
    window.welcome("Opens with a passphrase")
    window.show_state(state, CHAT, NOW)
    window.wishes.run("go-on")
    assert window.chat.transcript.isVisible()
    assert window.inspector.lesson_line.isVisible()
    asked = replace(state.open[CHAT], running=RunningTurn(9, "m17"))
    window.show_state(replace(state, open={CHAT: asked}), CHAT, NOW)
    assert not window.inspector.lesson_line.isVisible()
    assert window.inspector.layers.rail.isVisible()
    window.take_tour()
    window.show_state(replace(state, open={CHAT: asked}), CHAT, NOW)
    assert window.inspector.lesson_line.isVisible()


INTERACTIVE = (QAbstractButton, QLineEdit, QTextEdit, QAbstractItemView, QComboBox, QSlider)


def nameless(within: QWidget) -> list[str]:
    """What can be used and has no name that a screen reader could say."""
    found = []
    for widget in all_of(QWidget, within):
        if (
            not isinstance(widget, INTERACTIVE)
            or not widget.isVisible()
            or widget.focusPolicy() == Qt.FocusPolicy.NoFocus
        ):
            continue
        words = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
        if not words:
            found.append(f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}")
    return found


def test_everything_that_can_be_used_has_a_name(window: MainWindow):
    for page in ("layers", "payload", "diff", "history"):
        window.inspector.show_page(page)
        assert nameless(window) == []


def test_everything_that_can_be_used_is_reached_with_the_tab_key(window: MainWindow):
    reached: set[int] = set()
    widget: QWidget = window.chat.composer
    for _ in range(3000):
        widget = widget.nextInFocusChain()
        reached.add(id(widget))
    missed = [
        type(one).__name__
        for one in all_of(QWidget, window)
        if one.isVisible()
        and one.isEnabled()
        and one.focusPolicy() & Qt.FocusPolicy.TabFocus
        and id(one) not in reached
    ]
    assert missed == []


def is_inside(part: QWidget, window: QWidget) -> bool:
    corner = part.mapToGlobal(QPoint(0, 0)) - window.mapToGlobal(QPoint(0, 0))
    return window.rect().contains(QRect(corner, part.size()))


def test_at_800_by_560_everything_is_inside_the_window(window: MainWindow):
    assert (window.minimumWidth(), window.minimumHeight()) == (800, 560)
    window.resize(800, 560)
    QApplication.processEvents()
    assert (window.width(), window.height()) == (800, 560)
    composer = window.chat.composer
    for part in (composer.strip.send, composer.text, window.chat.head.more, window.rail.settings):
        assert is_inside(part, window), part
    for page in ("layers", "payload", "diff", "history"):
        window.columns.show_right()
        window.inspector.show_page(page)
        QApplication.processEvents()
        assert window.inspector.isVisible()
        assert is_inside(window.inspector, window), page


def test_a_message_that_is_looked_at_brings_the_folded_inspector(window: MainWindow):
    window.resize(800, 560)
    QApplication.processEvents()
    assert not window.inspector.isVisible()
    window.chat.transcript.selected.emit(RowKey("L1_SYSTEM", "persona"))
    assert window.inspector.isVisible()


def test_the_chip_that_counts_the_others_is_reached_by_tab(window: MainWindow, qtbot: QtBot):
    """Chips that have no room lie between it and those in sight; it is the only way by keyboard to see them."""
    rows = tuple(
        AttachmentRow(f"f{number}", "file", f"long/name/of/file-{number}.py", 100, 5, False, "sent")
        for number in range(12)
    )
    state = sample_state()
    chat = replace(state.open[CHAT], attachments=rows)
    window.show_state(replace(state, open={**state.open, CHAT: chat}), CHAT, NOW)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    chips = window.chat.composer.chips
    in_sight = [chips._chips[key] for key in chips.shown_keys()]
    in_sight[0].setFocus()
    went = []
    for _ in range(len(in_sight) + 1):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        went.append(QApplication.focusWidget())
    assert went == [*in_sight[1:], chips._more, window.chat.composer.text]
    chips._more.setFocus()
    QTest.keyClick(chips._more, Qt.Key.Key_Space)
    (opened,) = [child for child in chips.children() if isinstance(child, QMenu)]
    assert len(opened.actions()) == len(chips.hidden_rows()) > 0
    opened.close()


def test_it_is_never_larger_than_its_screen(window: MainWindow):
    """On a small screen without a window manager, the composer was below its edge."""
    room = window.screen().availableGeometry().size()
    first = MainWindow(WindowMemory(None), furnished=False)
    assert first.size() == QSize(1600, 1000).boundedTo(room - FRAME).expandedTo(QSize(800, 560))
    first.let_go()
    first.deleteLater()


@pytest.mark.parametrize(
    "room", [QRect(0, 28, 1366, 740), QRect(1920, 0, 1280, 690), QRect(0, 0, 2560, 1400)]
)
def test_a_new_window_lies_in_what_its_screen_has_free(room: QRect):
    """It began in a corner of its own, partly under a panel or beyond the edge."""
    place = first_place(room)
    assert room.contains(QRect(place.topLeft(), place.size() + FRAME))
    assert place.size() == QSize(1600, 1000).boundedTo(room.size() - FRAME)


def test_a_window_that_was_maximised_is_so_again_with_the_size_it_had_before(qapp, tmp_path: Path):
    first = MainWindow(WindowMemory(tmp_path / "window.ini"))
    first.showMaximized()
    qapp.processEvents()
    before = first.normalGeometry()
    first.let_go()
    second = MainWindow(WindowMemory(tmp_path / "window.ini"), furnished=False)
    assert second.isMaximized()
    second.show()
    qapp.processEvents()
    assert second.isMaximized()
    assert second.normalGeometry().height() == before.height()
    second.let_go()
    second.deleteLater()


class ShownWindows(QObject):
    """Notes what is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.kinds.append(type(watched).__name__)
        return False


def test_nothing_but_the_window_is_shown_as_one(qapp: QApplication, qtbot: QtBot):
    """Labels shown before they had a place were windows for a moment: slow, and the real one was never active."""
    shown = ShownWindows()
    qapp.installEventFilter(shown)
    window = MainWindow(WindowMemory(None))
    qtbot.addWidget(window)
    window.show()
    window.welcome("passphrase")
    qapp.removeEventFilter(shown)
    assert shown.kinds == ["MainWindow"]


def test_coming_back_to_the_window_is_told(qtbot: QtBot, window: MainWindow):
    told: list[bool] = []
    window.returned.connect(lambda: told.append(True))
    other = QWidget()
    qtbot.addWidget(other)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    told.clear()
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    window.activateWindow()
    qtbot.waitUntil(lambda: bool(told))
    assert told == [True]


def test_the_grounds_are_where_the_columns_will_be(qtbot):
    skeleton = Skeleton()
    qtbot.addWidget(skeleton)
    skeleton.resize(1600, 1000)
    picture = skeleton.grab().toImage()
    ratio = picture.devicePixelRatio()
    assert picture.pixelColor(int(100 * ratio), int(500 * ratio)).name() == LIGHT.chrome.lower()
    assert picture.pixelColor(int(500 * ratio), int(500 * ratio)).name() == LIGHT.surface.lower()
    assert picture.pixelColor(int(1500 * ratio), int(500 * ratio)).name() == LIGHT.chrome.lower()


def test_a_file_has_one_menu_in_the_attachments_and_in_the_request(window: MainWindow):
    """Half of what can be done with a file was in one menu, half in the other."""
    attachments, tree = window.left.attachments, window.inspector.layers.tree
    row = next(one for one in attachments._attached or () if one.key == "src/auth.py")
    its_row = tree.rows.row(tree.rows.index_of(RowKey("L3_TURN", row.key)))
    assert its_row is not None
    from_request = tree.menu_for(its_row)
    assert from_request is not None
    from_list = row_menu(attachments, (row,), attachments._menu_actions())
    one, other = (
        [words.partition("\t")[0] for action in made.actions() if (words := action.text())]
        for made in (from_list, from_request)
    )
    assert one == other
    assert {"Detach", "Leave out", "Show in the payload", "Shorten to"} <= set(one)
    keys = {words: key for words, _, key in (each.text().partition("\t") for each in from_request.actions())}
    assert (keys["Detach"], keys["Leave out"]) == ("", "Del"), "keys are those of where it is opened"
    wanted = next(action for action in from_request.actions() if action.text().startswith("Leave out"))
    offered: list[Offer | None] = []
    window.wishes.offered.connect(offered.append)
    from_request.hovered.emit(wanted)
    assert offered
    assert offered[0] is not None
    assert "Leave out" in offered[0].title


def test_what_is_no_file_keeps_the_menu_of_its_row(window: MainWindow):
    tree = window.inspector.layers.tree
    row = tree.rows.row(tree.rows.index_of(RowKey("L4_STRIP", "turn 7")))
    assert row is not None
    made = tree.menu_for(row)
    assert made is not None
    assert not any(action.text().startswith("Detach") for action in made.actions())


def test_f6_reaches_the_minimap_where_there_is_one(window: MainWindow):
    from dataclasses import replace

    state = sample_state()
    assert window.chat.transcript.minimap.isHidden()
    chat = replace(long_chat(40), view=state.open[CHAT].view)
    window.show_state(replace(state, open={CHAT: chat}), CHAT, NOW)
    visited = []
    for _ in range(5):
        window.next_pane()
        visited.append(window.focusWidget())
    assert window.chat.transcript.minimap in visited
