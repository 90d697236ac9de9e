"""The statistics of the benchmarks, the trace they read and the picture they draw."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.benchmarks.running.figures import (
    Figure,
    Means,
    at_least,
    at_most,
    in_turn,
    least,
    middle,
    percentile,
    quartiles,
    ratio,
    slope,
)
from tests.benchmarks.running.picture import draw_growth, series_of
from tests.benchmarks.running.trace import thread_ms


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 2, 3, 4, 5], (2, 4)), ([5, 1, 4, 2, 3], (2, 4)), ([3, 1], (1, 3)), ([7], (7, 7))],
)
def test_quartiles_hold_the_middle_half_and_few_laps_their_ends(
    values: list[float], expected: tuple[float, float]
):
    assert quartiles(values) == expected


def test_a_percentile_is_one_of_the_values():
    values = list(range(1, 101))
    assert [percentile(values, share) for share in (0.0, 0.5, 0.99, 1.0)] == [1, 50, 99, 100]
    assert percentile([4.0], 0.99) == 4.0


def test_a_ratio_is_that_of_medians_and_its_spread_that_of_pairs():
    """A busy moment that hits both sides of a pair is in neither."""
    found = ratio("r", [2, 4, 40, 6, 8], [1, 2, 20, 3, 4], at_most(2), "theirs")
    assert found == Figure("r", 2.0, "×", (2.0, 2.0), at_most(2), "theirs")
    assert ratio("r", [2, 4], [1, 2, 3]).spread == (1.0, 2.0)


def test_what_is_told_of_laps():
    assert middle("m", [1, 9, 2, 3, 4]) == Figure("m", 3, "ms", (2, 4))
    assert least("l", [5, 4, 9]) == Figure("l", 4, "ms", (4, 9))


def test_a_goal_is_met_at_its_bound_and_has_a_direction():
    assert [at_most(2).is_met(value) for value in (1, 2, 3)] == [True, True, False]
    assert [at_least(2).is_met(value) for value in (1, 2, 3)] == [False, True, True]


def test_growth_is_a_slope_and_noise_is_none():
    assert slope([1, 3, 5, 7]) == pytest.approx(2)
    assert slope([5, 5, 5]) == pytest.approx(0)
    assert slope([5]) == 0


def test_works_take_turns_lap_by_lap():
    order: list[tuple[str, int]] = []
    ticks = count()
    works = {name: lambda number, name=name: order.append((name, number)) for name in "ab"}
    taken = in_turn(2, works, lambda: float(next(ticks)))
    assert order == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    assert taken == {"a": [1000.0, 1000.0], "b": [1000.0, 1000.0]}


def test_laps_follow_the_effort_and_are_never_none():
    assert [Means(effort=effort).laps(40) for effort in (0.01, 0.5, 2)] == [3, 20, 80]
    assert Means(effort=0.1).laps(2) == 2


def span(name: str, at: int, worked: int) -> dict[str, object]:
    return {"ph": "X", "name": name, "ts": at, "dur": 9 * worked, "tdur": worked, "pid": 1, "tid": 1}


def test_a_trace_is_read_key_by_key(tmp_path: Path):
    events = [
        span("key", 0, 5_000),  # typed while everything was loaded
        span("key", 100, 1_000),
        span("build", 110, 2_000),
        span("repaint", 150, 500),
        span("repaint", 160, 500),
        {"ph": "M", "name": "thread_name", "ts": 170},
        span("key", 200, 3_000),
        span("build", 210, 4_000),
    ]
    path = tmp_path / "trace.json"
    for text in (json.dumps({"traceEvents": events}), json.dumps(events), json.dumps(events)[:-1] + ","):
        path.write_text(text, encoding="utf-8")
        assert thread_ms(path, 2) == {"key": [1.0, 3.0], "build": [2.0, 4.0], "repaint": [1.0]}
    assert thread_ms(tmp_path / "none.json", 2) is None


def test_the_picture_shows_every_line_that_was_measured(tmp_path: Path, qapp: object):
    figures = [
        Figure(f"{name}, {turns}", value * turns, "ms", series=name, at=turns)
        for name, value in (("ours", 0.01), ("theirs", 2.0))
        for turns in (50, 10_000)
    ]
    assert series_of([*figures, Figure("else", 1.0, "ms")]) == {
        "ours": [(50, 0.5), (10_000, 100.0)],
        "theirs": [(50, 100.0), (10_000, 20_000.0)],
    }
    path = tmp_path / "pictures" / "growth.png"
    assert draw_growth(figures, path)
    drawn = QImage(str(path))
    assert (drawn.width(), drawn.height()) == (1920, 1080)
    colours = {drawn.pixelColor(x, y).name() for x in range(0, 1920, 2) for y in range(0, 1080, 2)}
    assert len(colours) > 20
    assert not draw_growth([], tmp_path / "none.png")
