"""Scrolling: the end is followed only by those who are there, and nothing jumps under the reader's eyes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QPaintEvent, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.ui.chat.chat_samples import long_chat
from workbench.engine.state import RunningTurn
from workbench.ui.chat.messages.feed import Item, items_of
from workbench.ui.chat.standing import Marks
from workbench.ui.chat.transcript import following_scroll
from workbench.ui.chat.transcript.feed_column import LIVE
from workbench.ui.chat.transcript.following_scroll import NARROW_SIDE_PX, SIDE_PX, WIDEST_PX, FollowingScroll
from workbench.ui.chat.transcript.transcript import Transcript


@pytest.fixture
def area(qtbot: QtBot) -> FollowingScroll:
    made = FollowingScroll()
    qtbot.addWidget(made)
    made.resize(596, 500)
    made.show()
    return made


def opened(area: FollowingScroll, messages: int) -> FollowingScroll:
    area.open_items(items_of(long_chat(messages), Marks()))
    area.settle()
    return area


def growing(messages: int, text: str) -> tuple[Item, ...]:
    chat = long_chat(messages)
    last = chat.records[-2].id
    return items_of(
        replace(chat, records=chat.records[:-1], running=RunningTurn(1, last, text=text)), Marks()
    )


def at_end(area: FollowingScroll) -> bool:
    return area.verticalScrollBar().value() == area.verticalScrollBar().maximum()


def test_a_chat_opens_at_its_end_with_only_what_is_seen(area: FollowingScroll):
    opened(area, 2_000)
    assert at_end(area)
    assert area.follows()
    assert 3 < area.column.last - area.column.first < 30


def test_two_screens_above_are_made_in_turns_and_no_more_until_one_scrolls(area: FollowingScroll):
    """A hundred were made after each opening, seconds of work that the next opening or keystroke waited for."""
    opened(area, 5_000)
    area.finish_drawing()
    live = area.column.last - area.column.first
    assert live < 60
    assert at_end(area)
    bar = area.verticalScrollBar()
    assert bar.value() >= 2 * area.viewport().height()
    bar.setValue(0)
    area.finish_drawing()
    assert live < area.column.last - area.column.first < 120
    assert bar.value() >= 2 * area.viewport().height()


class Painted(QObject):
    """Notes how much of a widget is painted."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__()
        self.region = QRegion()
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.region += event.region()
        return False

    def pixels(self) -> int:
        boxes: Iterator[QRect] = iter(self.region)  # type: ignore[call-overload]
        return sum(box.width() * box.height() for box in boxes)


def until_calm(widget: QWidget) -> None:
    """Wait until nothing of it is painted any more: in a process that has run others, what is due comes late."""
    quiet = 0
    while quiet < 5:
        seen = Painted(widget)
        QTest.qWait(5)
        quiet = 0 if seen.pixels() else quiet + 1
        widget.removeEventFilter(seen)


def test_a_step_paints_only_what_comes_into_sight(qtbot: QtBot):
    """All of it was painted at every step, since something lay over it and it had no ground of its own."""
    transcript = Transcript()
    qtbot.addWidget(transcript)
    transcript.resize(596, 500)
    transcript.show()
    transcript.overlays.has_chat = True
    opened(transcript, 40).finish_drawing()
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.value() - 400)
    jump = transcript.overlays.jump
    assert jump.isVisible()
    until_calm(transcript.column)
    seen = Painted(transcript.column)
    bar.setValue(bar.value() - 40)
    QApplication.processEvents()
    assert jump.isVisible()
    strip, button = 40 * transcript.viewport().width(), jump.width() * jump.height()
    assert strip <= seen.pixels() <= strip + 2 * button, "what came, and where the button was and is"


def test_what_is_near_is_never_taken_away_for_what_is_near_at_the_other_end(area: FollowingScroll):
    """In a window that is higher than a bounded number of messages, each end took the other's, for ever."""
    opened(area, 400)
    area.resize(596, 1_600)
    area.to_message(area.column.items()[200].key)
    area.finish_drawing()
    assert area.column.last - area.column.first > LIVE
    assert area._surplus_above() >= 0 or area.column.first == 0
    assert area._surplus_below() >= 0 or area.column.reaches_end()


def test_what_grows_is_followed_at_the_end(area: FollowingScroll):
    area.open_items(growing(20, "One."))
    area.settle()
    for n in range(30):
        area.column.show_items(growing(20, "One.\n\n" + "More words. " * 10 * n))
        area.settle()
        assert at_end(area)


def test_a_reader_who_scrolled_up_is_left_alone(area: FollowingScroll):
    opened(area, 20)
    area.finish_drawing()
    area.column.show_items(growing(20, "One."))
    area.settle()
    bar = area.verticalScrollBar()
    bar.setValue(bar.maximum() - 300)
    assert not area.follows()
    value = bar.value()
    area.column.show_items(growing(20, "One.\n\n" + "More words. " * 400))
    area.settle()
    assert bar.value() == value
    bar.setValue(bar.maximum())
    assert area.follows()


def test_messages_made_above_do_not_move_what_is_read(area: FollowingScroll):
    opened(area, 200)
    bar = area.verticalScrollBar()
    bar.setValue(0)
    view = area.column.views()[0]
    seen = view.mapTo(area, view.rect().topLeft()).y()
    first = area.column.first
    area.make_more()
    assert area.column.first < first
    assert view.mapTo(area, view.rect().topLeft()).y() == seen


def test_a_batch_makes_a_message_however_busy_the_machine_is(
    area: FollowingScroll, monkeypatch: pytest.MonkeyPatch
):
    """With its time over before it began, a batch made nothing, and a busy machine saw no end of batches."""
    opened(area, 200)
    area.verticalScrollBar().setValue(0)
    first = area.column.first
    monkeypatch.setattr(following_scroll, "BATCH_MS", 0)
    area.make_more()
    assert area.column.first < first


def test_a_message_far_away_is_brought_into_sight_without_all_between(area: FollowingScroll):
    opened(area, 2_000)
    assert area.to_message("x40")
    view = area.column.view("x40")
    assert view is not None
    assert 0 <= view.mapTo(area, view.rect().topLeft()).y() < 200
    assert area.column.last - area.column.first < 60
    assert not area.follows()
    assert not area.to_message("nowhere")
    area.to_end()
    assert at_end(area)
    assert area.column.reaches_end()


def test_the_column_stands_in_the_middle_and_is_at_most_so_wide(area: FollowingScroll):
    opened(area, 20)
    for width, side in ((596, SIDE_PX), (464, NARROW_SIDE_PX), (1_200, (1_200 - WIDEST_PX) // 2)):
        area.resize(width, 500)
        view = area.column.views()[-1]
        left = view.mapTo(area, view.rect().topLeft()).x()
        assert left == side
        assert width - left - view.width() == side


def test_another_width_keeps_the_place(area: FollowingScroll):
    opened(area, 40)
    area.finish_drawing()
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum() // 2)
    top = area._first_visible()
    assert top is not None
    area.resize(464, 500)
    now = area._first_visible()
    assert now is not None
    assert now[0] is top[0]
    area.to_end()
    area.resize(596, 400)
    assert at_end(area)


def test_home_and_end(area: FollowingScroll):
    opened(area, 20)
    area.finish_drawing()
    QTest.keyClick(area, Qt.Key.Key_Home)
    assert area.verticalScrollBar().value() == 0
    QTest.keyClick(area, Qt.Key.Key_End)
    assert at_end(area)
    assert area.follows()


def test_where_the_column_grows_only_what_is_new_is_painted(qtbot: QtBot):
    """All messages in view were painted again for each that came; the pixels that stay are what would be painted."""
    transcript = Transcript()
    qtbot.addWidget(transcript)
    transcript.resize(596, 500)
    transcript.show()
    opened(transcript, 40).finish_drawing()
    until_calm(transcript.column)
    seen = Painted(transcript.column)
    transcript.column.resize(transcript.column.width(), transcript.column.height() + 100)
    QApplication.processEvents()
    assert seen.pixels() == 0, "what is new is below what is in view"
    transcript.column.show_items(growing(42, "One."))
    transcript.settle()
    until_calm(transcript.column)
    shown = transcript.screen().grabWindow(transcript.winId()).toImage()
    transcript.viewport().repaint()
    assert transcript.screen().grabWindow(transcript.winId()).toImage() == shown
