"""The turns panel: bars, and the chosen turn in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import many_turns, scripted_state, sent_view
from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import CHAT
from workbench.engine.intents import OpenTurn
from workbench.engine.state import WorkbenchState
from workbench.ui.inspector.turns.timeline import MarkSpot, TimelineLegend, TurnsPanel
from workbench.ui.inspector.turns.timeline_layout import (
    BAR_HEIGHT,
    BAR_WIDTH,
    LEAST_PX,
    SLOT,
    Bar,
    Mark,
    Timeline,
    bars_of,
    content_width,
    heights,
    next_bar,
    paint_bar,
    paint_cached,
    paint_mark,
    slot_at,
    turn_bar,
    visible_range,
)
from workbench.ui.look.theme import LIGHT, Theme, colour


@pytest.fixture
def panel(qtbot) -> TurnsPanel:
    made = TurnsPanel()
    qtbot.addWidget(made)
    made.resize(720, made.sizeHint().height())
    made.show()
    made.show_state(*scripted_state())
    return made


def test_the_chosen_turn_is_told_in_words(panel: TurnsPanel):
    detail = panel.detail
    assert (detail.title.text(), detail.headline.text()) == ("Turn 7", "prefix broke")
    assert detail.sentence.text() == "History trimmed up to message 12."
    assert detail.cache.text() == "Cache: 1,792 predicted, 1,792 reported."
    panel.timeline.choose(4)
    assert (detail.title.text(), detail.headline.text()) == ("Turn 4", "as predicted")
    assert not detail.mark.isVisible()


def test_its_envelope_can_be_opened(panel: TurnsPanel):
    told: list[object] = []
    panel.wishes.intent.connect(told.append)
    panel.wishes.wish.connect(told.append)
    QTest.mouseClick(panel.detail.open, Qt.MouseButton.LeftButton)
    assert told == [OpenTurn(CHAT, 7), "layers"]


def test_the_turn_that_was_opened_elsewhere_is_the_chosen_one(panel: TurnsPanel):
    """It stayed on another turn, and offered to open what was open."""
    state, chat = scripted_state()
    panel.show_state(state, replace(chat, opened=sent_view(4)))
    assert panel.detail.title.text() == "Turn 4"
    assert not panel.detail.open.isVisible()
    panel.timeline.choose(3)
    assert panel.detail.open.isVisible()
    panel.show_state(state, replace(chat, opened=sent_view(4), draft="typed"))
    assert panel.detail.title.text() == "Turn 3"  # who looks at another one stays there
    panel.show_state(state, chat)
    assert panel.detail.title.text() == "Turn 3"
    assert panel.detail.open.isVisible()


def test_a_new_turn_is_gone_on_to_unless_an_earlier_one_is_being_read(panel: TurnsPanel):
    """It stayed on turn 2 while turns 3 and 4 arrived."""
    state, chat = scripted_state()
    panel.timeline.choose(2)
    more = (*chat.turns, replace(chat.turns[-1], number=chat.turns[-1].number + 1))
    panel.show_state(state, replace(chat, turns=more))
    assert panel.detail.title.text() == f"Turn {more[-1].number}"
    panel.show_state(state, replace(chat, turns=more, opened=sent_view(2)))
    more = (*more, replace(more[-1], number=more[-1].number + 1))
    panel.show_state(state, replace(chat, turns=more, opened=sent_view(2)))
    assert panel.detail.title.text() == "Turn 2"


def test_a_watched_request_is_gone_on_to_when_its_answer_comes(panel: TurnsPanel):
    """It is opened when it is sent, before it has a bar: the panel stayed on the one before."""
    state, chat = scripted_state()
    number = chat.turns[-1].number + 1
    sent = replace(chat.turns[-1], number=number, state="running")
    panel.show_state(state, replace(chat, turns=(*chat.turns, sent), opened=sent_view(number)))
    assert panel.detail.title.text() == "Turn 7"
    panel.show_state(
        state, replace(chat, turns=(*chat.turns, replace(sent, state="complete")), opened=sent_view(number))
    )
    assert panel.detail.title.text() == f"Turn {number}"
    assert not panel.detail.open.isVisible()


def test_folded_it_says_the_most_important(panel: TurnsPanel):
    assert panel.summary() == "8, turn 7 broke the prefix"


def test_the_same_turns_again_change_nothing(panel: TurnsPanel):
    state, chat = scripted_state()
    panel.show_state(state, chat)
    panel.timeline.choose(3)
    shown = panel.detail.turn()
    panel.show_state(state, replace(chat, draft="typed"))
    assert panel.detail.turn() is shown


def test_a_turn_that_changed_is_told_anew(panel: TurnsPanel):
    state, chat = scripted_state()
    turns = tuple(replace(turn, cached_tokens=0) if turn.number == 7 else turn for turn in chat.turns)
    panel.show_state(state, replace(chat, turns=turns))
    assert panel.detail.cache.text() == "Cache: 1,792 predicted, 0 reported."


def test_before_the_first_turn_it_says_what_will_be_here(panel: TurnsPanel):
    state, chat = scripted_state()
    panel.show_state(state, replace(chat, turns=()))
    assert panel.empty.isVisible()
    panel.show_state(WorkbenchState(), None)
    assert panel.empty.isVisible()
    assert panel.summary() == "none yet"


def test_the_words_have_less_than_half_of_the_room(panel: TurnsPanel):
    panel.resize(556, panel.height())
    assert panel.detail.width() == 256
    panel.resize(1_200, panel.height())
    assert panel.detail.width() == 320


def test_a_mark_is_there_only_where_there_is_one(qtbot):
    spot = MarkSpot()
    qtbot.addWidget(spot)
    spot.show_mark("broke")
    assert spot.isVisibleTo(None)  # type: ignore[arg-type]  # Qt takes no parent here
    spot.show_mark("")
    assert spot.isHidden()


def test_it_names_every_pattern_and_asks_for_room_for_all(qtbot):
    legend = TimelineLegend()
    qtbot.addWidget(legend)
    assert legend.accessibleDescription() == "cached, fresh, output, predicted, reported"
    assert 250 < legend.sizeHint().width() < 420


def test_without_room_it_paints_what_fits(qtbot):
    legend = TimelineLegend()
    qtbot.addWidget(legend)
    legend.resize(legend.sizeHint())
    whole = legend.grab().toImage()
    legend.resize(80, 16)
    part = legend.grab().toImage()
    assert part.copy(12, 0, 68, 16) == whole.copy(whole.width() - 68, 0, 68, 16)


@pytest.fixture
def timeline(qtbot) -> Timeline:
    made = Timeline()
    qtbot.addWidget(made)
    made.resize(9 * SLOT + 20, made.sizeHint().height())
    made.show()
    made.show_state(*scripted_state())
    return made


def click(timeline: Timeline, place: int) -> None:
    QTest.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place * SLOT + 10, 40))


def chosen(timeline: Timeline) -> int | None:
    turn = timeline.turn()
    return None if turn is None else turn.number


def test_at_first_the_frame_is_on_the_turn_worth_looking_at(timeline: Timeline):
    assert chosen(timeline) == 7
    assert timeline.accessibleDescription().startswith("Turn 7: 3,379 tokens in")


def test_a_click_chooses_a_turn_and_the_next_request_is_none(timeline: Timeline):
    numbers: list[int] = []
    timeline.chosen.connect(numbers.append)
    click(timeline, 2)
    click(timeline, 8)
    assert numbers == [3]
    assert timeline.accessibleDescription().startswith("Turn 3:")


def test_arrows_home_and_end_move_the_frame_and_enter_opens(timeline: Timeline):
    numbers: list[int] = []
    intents: list[object] = []
    timeline.chosen.connect(numbers.append)
    timeline.wishes.intent.connect(intents.append)
    for key in (
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Home,
        Qt.Key.Key_Left,
        Qt.Key.Key_End,
        Qt.Key.Key_Return,
    ):
        QTest.keyClick(timeline, key)
    assert numbers == [6, 7, 1, 8]
    assert intents == [OpenTurn(CHAT, 8)]


def test_a_double_click_opens(timeline: Timeline):
    intents: list[object] = []
    timeline.wishes.intent.connect(intents.append)
    QTest.mouseDClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(3 * SLOT + 10, 40))
    assert intents == [OpenTurn(CHAT, 7)] or intents == [OpenTurn(CHAT, 4)]


def test_of_a_thousand_turns_the_newest_are_in_view(timeline: Timeline):
    state, chat = scripted_state()
    timeline.show_state(state, replace(chat, turns=many_turns(1_000)))
    bar = timeline.horizontalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()
    QTest.keyClick(timeline, Qt.Key.Key_Home)
    assert bar.value() == 0
    timeline.grab()


def test_the_chosen_turn_has_a_frame(timeline: Timeline):
    timeline.clearFocus()
    seen = timeline.viewport().grab().toImage()
    column = {seen.pixelColor(6 * SLOT, y).name() for y in range(20, 80)}
    assert colour(LIGHT.accent).name() in column


def test_a_new_turn_is_the_chosen_one_and_another_chat_makes_its_own(timeline: Timeline):
    state, chat = scripted_state()
    click(timeline, 2)
    timeline.show_state(state, replace(chat, turns=(*chat.turns, replace(chat.turns[-1], number=9))))
    assert chosen(timeline) == 9
    timeline.show_state(state, replace(chat, chat=replace(chat.chat, id="another"), turns=chat.turns[:4]))
    assert chosen(timeline) == 4


def test_while_a_turn_is_in_flight_the_last_bar_is_now(timeline: Timeline):
    state, chat = scripted_state()
    assert chat.view is not None
    assert timeline._label(timeline._bars[-1]) == "next"
    timeline.show_state(state, replace(chat, in_flight=replace(chat.view, standing="in_flight")))
    assert timeline._label(timeline._bars[-1]) == "now"


def test_the_largest_request_grows_by_a_word_and_its_bar_alone_is_painted(timeline: Timeline, qtbot):
    """It is what all bars are to scale with, so that every key painted every turn; a pixel is some hundred tokens."""
    state, chat = scripted_state()
    assert chat.view is not None
    painted: list[int] = []

    class Seen(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if isinstance(event, QPaintEvent):
                painted.append(event.rect().width())
            return False

    seen = Seen()
    timeline.show_state(state, replace(chat, view=replace(chat.view, total_tokens=90_000)))
    qtbot.wait(50)
    timeline.viewport().installEventFilter(seen)
    timeline.show_state(state, replace(chat, view=replace(chat.view, total_tokens=90_001)))
    qtbot.wait(50)
    assert painted == []
    timeline.show_state(
        state, replace(chat, view=replace(chat.view, total_tokens=90_001, cached_tokens=9_000))
    )
    qtbot.waitUntil(lambda: bool(painted))
    assert max(painted) <= 2 * SLOT
    timeline.viewport().removeEventFilter(seen)
    kept = timeline.screen().grabWindow(timeline.winId()).toImage()
    assert kept == timeline.grab().toImage().convertToFormat(kept.format())


def test_without_a_chat_there_is_nothing(timeline: Timeline):
    timeline.show_state(WorkbenchState(), None)
    assert chosen(timeline) is None
    QTest.keyClick(timeline, Qt.Key.Key_Right)
    timeline.grab()


def test_a_turn_is_what_came_from_the_cache_what_was_read_and_what_was_written():
    turns = scripted_state()[1].turns
    assert turn_bar(turns[6]) == Bar(7, 1_792, 1_587, 835, 1_792, 1_792, "broke")
    assert turn_bar(turns[4]) == Bar(5, 0, 10_460, 980, 8_192, 0, "expired")
    assert turn_bar(replace(turns[4], state="failed")).mark == "failed"


def test_a_turn_with_tools_is_drawn_as_its_last_request():
    """The sum of its requests stood beside single ones, and over ticks of the last one alone."""
    turn = replace(
        scripted_state()[1].turns[7],
        requests=3, prompt_tokens=12_000, cached_tokens=9_000, last_prompt_tokens=4_300, last_cached_tokens=3_100,
    )  # fmt: skip
    assert turn_bar(turn) == Bar(8, 3_100, 1_200, 1_249, 3_200, 3_100)
    assert turn_bar(replace(turn, last_prompt_tokens=None)).fresh == 4_275 - 3_100


def test_what_nobody_reported_is_not_drawn_as_cached():
    turn = replace(
        scripted_state()[1].turns[7], cached_tokens=None, prompt_tokens=None, completion_tokens=None
    )
    assert turn_bar(turn) == Bar(8, 0, 4_275, 0, 3_200, None)


def test_the_next_request_comes_last_and_a_turn_in_flight_is_drawn_once():
    turns = scripted_state()[1].turns
    running = (*turns, replace(turns[-1], number=9, state="running"))
    bars = bars_of(running, sample_view())
    assert [bar.turn for bar in bars] == [1, 2, 3, 4, 5, 6, 7, 8, None]
    assert bars[-1] == next_bar(sample_view()) == Bar(None, 4_205, 7_481, 0, 4_205)
    assert len(bars_of(turns, None)) == 8


@given(st.integers(0, 50_000), st.integers(0, 50_000), st.integers(0, 50_000), st.integers(1, 150_000))
def test_parts_are_linear_and_none_that_is_there_vanishes(cached: int, fresh: int, output: int, largest: int):
    largest = max(largest, cached + fresh + output)
    size = heights(Bar(1, cached, fresh, output), largest)
    for px, tokens in ((size.cached, cached), (size.fresh, fresh), (size.output, output)):
        assert px == pytest.approx(max(LEAST_PX, BAR_HEIGHT * tokens / largest) if tokens else 0.0)
    assert size.total <= BAR_HEIGHT + 3 * LEAST_PX + 1


def test_ticks_stand_at_the_height_of_their_tokens():
    size = heights(Bar(1, 0, 1_000, 0, predicted=500, reported=None), 1_000)
    assert (size.predicted, size.reported) == (BAR_HEIGHT / 2, None)
    assert heights(Bar(1, 0, 0, 0, predicted=0), 0).predicted is None


def test_only_what_is_in_view_is_visited():
    assert visible_range(0, 5 * SLOT, 1_000) == range(0, 6)
    assert visible_range(990 * SLOT, 5 * SLOT, 1_000) == range(990, 996)
    assert visible_range(0, 500, 3) == range(0, 3)
    assert list(visible_range(100 * SLOT, 500, 3)) == []


def test_a_place_belongs_to_a_bar():
    assert [slot_at(x, 3) for x in (0, SLOT - 1, SLOT, 3 * SLOT, -1)] == [0, 0, 1, None, None]
    assert content_width(3) == 3 * SLOT


def painted(width: int, height: int, paint) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(0xFF00FF)
    painter = QPainter(image)
    paint(painter)
    painter.end()
    return image


def colours(image: QImage, box: QRectF) -> set[str]:
    xs, ys = range(round(box.left()), round(box.right())), range(round(box.top()), round(box.bottom()))
    return {image.pixelColor(x, y).name() for x in xs for y in ys}


def test_what_is_cached_is_hatched_and_what_is_fresh_is_plain(qapp, theme: Theme):
    image = painted(60, 100, lambda painter: paint_bar(painter, 10, 90, Bar(1, 500, 500, 0), 1_000))
    cached = colours(image, QRectF(18, 60, 8, 28))
    fresh = colours(image, QRectF(18, 20, 8, 25))
    assert colour(theme.cached).name() in cached
    assert len(cached) > 2
    assert fresh == {colour(theme.fresh).name()}


def test_the_output_is_an_outline(qapp, theme: Theme):
    image = painted(60, 100, lambda painter: paint_bar(painter, 10, 90, Bar(1, 0, 500, 500), 1_000))
    assert image.pixelColor(10 + BAR_WIDTH // 2, 30) == colour(theme.surface)
    assert image.pixelColor(10, 30) != colour(theme.surface)


def test_ticks_reach_over_the_edges_on_their_own_sides(qapp, theme: Theme):
    bar = Bar(1, 0, 1_000, 0, predicted=500, reported=250)
    image = painted(60, 100, lambda painter: paint_bar(painter, 10, 90, bar, 1_000))
    assert image.pixelColor(7, 90 - 37) == colour(theme.t1)
    assert image.pixelColor(10 + BAR_WIDTH + 2, 90 - 18) == colour(theme.accent)


def test_the_next_request_is_dashed(qapp, theme: Theme):
    image = painted(60, 100, lambda painter: paint_bar(painter, 10, 90, Bar(None, 0, 1_000, 0), 1_000))
    edge = {image.pixelColor(10, y).name() for y in range(20, 80)}
    assert len(edge) > 1
    assert image.pixelColor(20, 40) == colour(theme.accent_tint)


@pytest.mark.parametrize("mark", ["broke", "expired", "failed"])
def test_marks_differ_by_shape(qapp, mark: Mark):
    shapes = {
        name: painted(20, 20, lambda painter, name=name: paint_mark(painter, QPointF(10, 15), name))
        for name in ("", "broke", "expired", "failed")
    }
    others = [image for name, image in shapes.items() if name != mark]
    grey = shapes[mark].convertToFormat(QImage.Format.Format_Grayscale8)
    assert all(grey != other.convertToFormat(QImage.Format.Format_Grayscale8) for other in others)


def test_nothing_cached_paints_nothing(qapp):
    image = painted(20, 20, lambda painter: paint_cached(painter, QRectF(0, 10, 20, 0)))
    assert colours(image, QRectF(0, 0, 20, 20)) == {"#ff00ff"}
