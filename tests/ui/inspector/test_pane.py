"""The inspector as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QLineEdit,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.fakes.envelope_views import long_view, retyped
from tests.fakes.sample_envelope import over_view, sample_view
from tests.fakes.sample_state import CHAT, sample_state, sample_trial
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import OpenTurn
from workbench.engine.state import ChatState, RunningTurn
from workbench.ui.inspector.lesson import HINTS
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.inspector.payload.page import PayloadPage
from workbench.ui.inspector.what_if.controls import WhatIfSlider

STATE = sample_state()
CHAT_STATE = STATE.open[CHAT]
FILE = RowKey("L3_TURN", "src/auth.py")


@pytest.fixture
def pane(qtbot: QtBot) -> InspectorPane:
    made = InspectorPane()
    qtbot.addWidget(made)
    made.resize(752, 1000)
    made.show_state(STATE, CHAT_STATE)
    made.show()
    return made


def answering() -> ChatState:
    assert CHAT_STATE.view is not None
    sent = replace(CHAT_STATE.view, standing="in_flight", sent_utc="2026-11-12T14:06:00Z")
    return replace(CHAT_STATE, draft="", in_flight=sent)


def test_a_page_is_turned_to_without_looking_for_the_next_stop_of_tab(qtbot: QtBot):
    """The page that had the focus was hidden with it, and Qt looked through the whole window for who gets it."""

    class Window(QWidget):
        looked = 0

        def focusNextPrevChild(self, forward: bool) -> bool:
            self.looked += 1
            return super().focusNextPrevChild(forward)

    window = Window()
    qtbot.addWidget(window)
    pane = InspectorPane(parent=window)
    pane.show_state(STATE, CHAT_STATE)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    pane.layers.tree.setFocus()
    assert pane.layers.tree.hasFocus()
    pane.show_page("payload")
    assert window.looked == 0
    assert pane.pages.page("payload").isAncestorOf(window.focusWidget())


def test_the_next_request_is_shown(pane: InspectorPane):
    assert pane.head.subtitle.text() == "next, turn 9"
    assert pane.block.figures.total.figure() == "11,686"
    assert pane.layers.tree.shown_rows() == 11
    assert pane.page() == "layers"


def test_one_selection_everywhere(pane: InspectorPane, qtbot: QtBot):
    with qtbot.waitSignal(pane.selected) as told:
        pane.layers.tree.select(FILE)
    assert told.args == [FILE]
    assert pane.block.bar.cursor_key() == FILE
    assert pane.layers.rail.list.selected_key() == FILE
    other = RowKey("L2_PREVIOUS", "docs/api.md")
    pane.block.bar.selected.emit(other)
    assert pane.layers.tree.selected_key() == other


def test_selecting_from_outside_is_not_told_back(pane: InspectorPane, qtbot: QtBot):
    with qtbot.assertNotEmitted(pane.selected):
        pane.select(FILE)
    assert pane.layers.tree.selected_key() == FILE


def test_enter_shows_a_rows_bytes(pane: InspectorPane):
    pane.select(FILE)
    QTest.keyClick(pane.layers.tree, Qt.Key.Key_Return)
    assert pane.page() == "payload"
    assert pane.pages.currentWidget() is pane.pages.page("payload")


@pytest.mark.parametrize("name", ["layers", "payload", "diff", "history"])
def test_pages_are_turned_by_name(pane: InspectorPane, name):
    pane.show_page(name)
    assert pane.page() == name
    assert pane.tools.isVisible() == (name == "layers")
    assert pane.entry() is not None


def test_while_a_turn_runs_its_request_is_shown(pane: InspectorPane):
    pane.show_state(STATE, answering())
    assert pane.head.subtitle.text() == "turn 9, sent 14:06"
    assert pane.head.badge.word() == "in flight, bytes match"
    pane.show_state(STATE, replace(answering(), draft="and then?"))
    assert pane.head.subtitle.text() == "next, turn 9"


def test_other_bytes_than_those_shown_do_not_match(pane: InspectorPane):
    chat = answering()
    assert chat.in_flight is not None
    other = replace(chat, in_flight=replace(chat.in_flight, digest="ffff"))
    pane.show_state(STATE, other)
    assert pane.head.badge.word() == "in flight"


def test_whoever_tunes_while_a_turn_runs_sees_the_next_request(pane: InspectorPane, qtbot: QtBot):
    """What is in flight cannot be changed; a pin that changed nothing on the screen would look broken."""
    running = answering()
    pane.show_state(STATE, running)
    pane.select(FILE)
    with qtbot.waitSignal(pane.wishes.step):
        QTest.keyClick(pane.layers.tree, Qt.Key.Key_Space)
    pane.show_state(STATE, replace(running, ahead=True))
    assert pane.head.subtitle.text() == "next, turn 9"


def opened() -> ChatState:
    assert CHAT_STATE.view is not None
    rows = [replace(layer, rows=layer.rows[:1]) for layer in CHAT_STATE.view.layers]
    sent = replace(
        CHAT_STATE.view,
        turn=3,
        layers=tuple(rows),
        total_tokens=4_321,
        standing="sent",
        sent_utc="2026-11-12T13:50:00Z",
    )
    return replace(CHAT_STATE, opened=sent)


def test_a_turn_that_is_opened_is_what_head_bar_table_and_payload_show(pane: InspectorPane, qtbot: QtBot):
    """Head, bar and Layers went on with the next request while Payload and its copies showed the old one."""
    pane.show_state(STATE, opened())
    assert pane.head.subtitle.text() == "turn 3, sent 13:50"
    assert (pane.head.badge.isVisible(), pane.head.badge.word()) == (True, "read-only")
    assert pane.block.figures.total.figure() == "4,321"
    assert pane.layers.tree.shown_rows() == 5
    pane.show_page("payload")
    payload = pane.pages.page("payload")
    assert isinstance(payload, PayloadPage)
    assert payload.tools.request.chosen() == "3"
    with qtbot.waitSignal(pane.wishes.intent) as told:
        pane.head.back.click()
    assert told.args == [OpenTurn(CHAT, None)]
    pane.show_state(STATE, CHAT_STATE)
    assert not pane.head.back.isVisible()


def test_nothing_of_a_turn_that_was_sent_can_be_tuned(pane: InspectorPane, qtbot: QtBot):
    told: list[object] = []
    pane.wishes.step.connect(told.append)
    pane.show_state(STATE, opened())
    pane.show_page("layers")
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Plus, Qt.Key.Key_Delete):
        QTest.keyClick(pane.layers.tree, key)
    assert told == []
    assert not pane.layers.rail.isVisible()
    assert not pane.layers.what_if.isVisible()
    pane.show_state(STATE, CHAT_STATE)
    assert pane.layers.rail.isVisible()


def test_the_ghost_is_shown_with_the_next_request_only(pane: InspectorPane):
    low = pane.block.sizeHint().height()
    pane.show_state(STATE, replace(CHAT_STATE, trial=sample_trial()))
    assert pane.block.sizeHint().height() > low


def test_over_the_limit_sending_is_blocked(pane: InspectorPane):
    pane.show_state(STATE, replace(CHAT_STATE, view=over_view()))
    assert pane.head.badge.word() == "sending blocked"


def test_the_diff_tab_counts_what_breaks_the_prefix(pane: InspectorPane):
    assert pane.tabs.count_of(2) == 0
    pane.show_state(STATE, replace(CHAT_STATE, view=replace(sample_view(), breaks=1)))
    assert pane.tabs.count_of(2) == 1
    pane.show_state(STATE, CHAT_STATE)
    assert pane.tabs.count_of(2) == 0


def test_without_a_chat_it_says_what_to_do(pane: InspectorPane, qtbot: QtBot):
    pane.show_state(STATE, None)
    assert pane.empty.isVisible()
    assert not pane.block.isVisible()
    assert pane.entry() is pane.empty.button
    with qtbot.waitSignal(pane.wishes.wish) as told:
        pane.empty.pressed.emit()
    assert told.args == ["new-chat"]
    pane.show_state(STATE, CHAT_STATE)
    assert not pane.empty.isVisible()
    assert pane.block.isVisible()


def test_a_low_window_folds_the_lower_panels(pane: InspectorPane):
    assert not pane.layers.what_if_fold.is_folded()
    pane.resize(588, 700)
    assert pane.layers.what_if_fold.is_folded()
    pane.resize(752, 1000)
    assert not pane.layers.what_if_fold.is_folded()


def test_each_hint_goes_when_it_is_read_and_the_last_one_ends_the_lesson(pane: InspectorPane, qtbot: QtBot):
    assert not pane.lesson_line.isVisible()
    pane.set_lesson(HINTS)
    assert pane.lesson_line.isVisible()
    QTest.mouseClick(pane.lesson_line.done, Qt.MouseButton.LeftButton)
    assert not pane.lesson_line.isVisible()
    pane.show_state(STATE, replace(CHAT_STATE, view=over_view()))
    assert not pane.lesson_line.isVisible()
    pin, priority = pane.layers.cards.cards.values()
    assert pin.isVisible()
    pin.done.click()
    assert (pin.isVisible(), priority.isVisible(), pane.layers.rail.isVisible()) == (False, True, False)
    with qtbot.waitSignal(pane.wishes.wish) as told:
        priority.done.click()
    assert told.args == ["lesson-read"]
    assert (pane.layers.cards.isVisible(), pane.layers.rail.isVisible()) == (False, True)


def test_the_head_says_that_it_is_the_sample(pane: InspectorPane):
    pane.set_sample(True)
    assert pane.head.subtitle.text() == "sample chat, turn 9"


def test_undo_is_wished_by_button(pane: InspectorPane, qtbot: QtBot):
    pane.set_undo(True, "Pin src/auth.py", True, "Unpin src/auth.py")
    told: list[object] = []
    pane.wishes.wish.connect(told.append)
    QTest.mouseClick(pane.head.undo, Qt.MouseButton.LeftButton)
    QTest.mouseClick(pane.head.redo, Qt.MouseButton.LeftButton)
    assert told == ["undo", "redo"]


def test_columns_are_remembered_as_text(pane: InspectorPane):
    kept = pane.columns_state()
    pane.layers.tree.head.resizeSection(1, 80)
    assert pane.columns_state() != kept
    pane.restore_columns(kept)
    assert pane.columns_state() == kept


def test_the_same_state_changes_nothing(pane: InspectorPane, qtbot: QtBot):
    with qtbot.assertNotEmitted(pane.layers.tree.rows.dataChanged):
        pane.show_state(STATE, CHAT_STATE)


def operated(root: QWidget) -> list[QWidget]:
    """What takes the focus under a widget; a scroll bar is operated through what it scrolls."""
    kinds = (QAbstractButton, QAbstractItemView, QAbstractSlider, QLineEdit)
    found = [root, *cast(list[QWidget], root.findChildren(QWidget))]
    return [
        widget
        for widget in found
        if isinstance(widget, kinds)
        and type(widget) is not QScrollBar
        and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not widget.objectName().startswith("qt_")
    ]


def test_everything_that_can_be_operated_is_named(pane: InspectorPane):
    for root in (pane.head, pane.block, pane.tools, pane.layers.tree, pane.layers.rail, pane.layers.what_if):
        assert [widget for widget in operated(root) if not widget.accessibleName()] == []


def test_it_can_be_painted_in_every_theme(pane: InspectorPane, theme):
    assert not pane.grab().isNull()


def test_the_tab_key_goes_from_top_to_bottom(pane: InspectorPane):
    reached: list[QWidget] = []
    widget: QWidget = pane.head.undo
    for _ in range(600):
        reached.append(widget)
        widget = widget.nextInFocusChain()
    budget = pane.layers.what_if.controls["context_window"]
    assert isinstance(budget, WhatIfSlider)
    wanted = [
        pane.head.undo,
        pane.block.bar,
        pane.tabs,
        pane.tools.search,
        pane.layers.tree,
        pane.layers.rail.list,
        budget.slider,
        pane.layers.what_if.apply,
    ]
    places = [reached.index(each) for each in wanted]
    assert places == sorted(places)


def test_what_was_shown_when_it_was_sent_is_what_is_compared(pane: InspectorPane):
    """The request without a question, shown for a moment after Send, took its place: the mark was gone."""
    assert CHAT_STATE.view is not None
    asked = replace(CHAT_STATE, draft="", running=RunningTurn(9, "m17", "Why?"))
    pane.show_state(STATE, replace(asked, view=replace(CHAT_STATE.view, digest="another")))
    pane.show_state(STATE, replace(answering(), running=asked.running))
    assert pane.head.badge.word() == "in flight, bytes match"


class Painting(QObject):
    """Notes which widgets are painted, and how wide a part of each; and who is laid out again."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: dict[str, int] = {}
        self.laid_out: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        name = type(watched).__name__
        if isinstance(event, QPaintEvent):
            self.painted[name] = max(self.painted.get(name, 0), event.rect().width())
        elif event.type() == QEvent.Type.LayoutRequest:
            self.laid_out.append(name)
        return False


def test_a_key_paints_what_it_changes_and_lays_nothing_out(pane: InspectorPane, qtbot: QtBot):
    """Everything that is painted with every key makes typing slow; what is left out must not be missing afterwards."""
    view = long_view(60)
    for number, tokens in enumerate((40, 41)):
        pane.show_state(STATE, replace(CHAT_STATE, draft="x" * number, view=retyped(view, tokens)))
        qtbot.wait(400)  # until the digest stands
    seen, app = Painting(), QApplication.instance()
    assert app is not None
    app.installEventFilter(seen)
    pane.show_state(STATE, replace(CHAT_STATE, draft="xyz", view=retyped(view, 42)))
    qtbot.waitUntil(lambda: "Headline" in seen.painted)
    qtbot.wait(50)
    app.removeEventFilter(seen)
    assert "FoldHead" not in seen.painted  # their titles are the same
    assert seen.painted["Legend"] < 200 < pane.block.legend.width()
    assert seen.painted["Headline"] < 120 < pane.block.figures.total.width()
    assert seen.laid_out == []
    qtbot.wait(400)
    shown = pane.screen().grabWindow(pane.winId()).toImage()
    assert shown == pane.grab().toImage().convertToFormat(shown.format())
