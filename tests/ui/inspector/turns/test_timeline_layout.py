"""Where bars lie and how high they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from tests.fakes.requests_shown import scripted_state
from tests.fakes.sample_envelope import sample_view
from workbench.ui.inspector.turns.timeline_layout import (
    BAR_HEIGHT,
    BAR_WIDTH,
    LEAST_PX,
    SLOT,
    Bar,
    Mark,
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
from workbench.ui.look.theme import Theme, colour


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
