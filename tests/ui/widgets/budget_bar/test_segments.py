"""What a budget bar is made of, and how one becomes another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.envelope_views import long_view, retyped, wandering
from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, SegmentRow
from workbench.ui.widgets.budget_bar.segments import BarMemo, BarModel, BarSegment, bar_of, between


def row(layer, name: str, tokens: int, **more) -> SegmentRow:
    return SegmentRow(RowKey(layer, name), (name,), "file", name, tokens, "sent", **more)


def segment(layer, name: str, tokens: int) -> BarSegment:
    return BarSegment(RowKey(layer, name), tokens, name)


def view() -> EnvelopeView:
    system = LayerRow("L1_SYSTEM", 1060, (row("L1_SYSTEM", "persona", 820), row("L1_SYSTEM", "memory", 240)))
    dropped = row("L3_TURN", "logs/big.log", 18_800, counted=False)
    turn = LayerRow("L3_TURN", 6120, (row("L3_TURN", "src/auth.py", 6120), dropped))
    return EnvelopeView(
        turn=9, model="m", layers=(system, turn), total_tokens=7180, limit_tokens=16_000, reserve_tokens=2000,
        threshold_tokens=12_800, cached_tokens=1060,
    )  # fmt: skip


def test_a_bar_shows_what_is_sent_and_nothing_else():
    bar = bar_of(view())
    assert [part.name for part in bar.segments] == ["persona", "memory", "src/auth.py"]
    assert bar.total_tokens == view().total_tokens
    assert (bar.limit_tokens, bar.reserve_tokens) == (16_000, 2000)
    assert (bar.threshold_tokens, bar.cached_tokens) == (12_800, 1060)


def test_layers_are_summed_in_wire_order():
    assert list(bar_of(view()).layer_tokens().items()) == [("L1_SYSTEM", 1060), ("L3_TURN", 6120)]


def test_of_a_log_everything_stands_where_it_was_first_sent():
    """Layers in a row would put a file that came late before all that was said."""
    system = LayerRow("L1_SYSTEM", 10, (row("L1_SYSTEM", "persona", 10, start=0),))
    library = LayerRow(
        "L2_PREVIOUS",
        50,
        (row("L2_PREVIOUS", "a.py", 20, start=10), row("L2_PREVIOUS", "b.py", 30, start=70)),
    )
    said = LayerRow(
        "L4_STRIP", 80, (row("L4_STRIP", "turn 1", 40, start=30), row("L4_STRIP", "turn 2", 40, start=100))
    )
    asked = LayerRow("L5_USER", 5, (row("L5_USER", "question", 5, start=140),))
    log = replace(view(), layers=(system, library, said, asked), layout="append_only")
    names = ["persona", "a.py", "turn 1", "b.py", "turn 2", "question"]
    for bar in (bar_of(log), BarMemo().bar_of(log), BarMemo().bar_of(replace(log, standing="in_flight"))):
        assert [part.name for part in bar.segments] == names
        assert dict(bar.layer_tokens()) == {"L1_SYSTEM": 10, "L2_PREVIOUS": 50, "L4_STRIP": 80, "L5_USER": 5}


def test_the_width_stands_for_limit_and_reserve_or_for_more():
    bar = bar_of(view())
    assert bar.scale_tokens == 18_000
    over = BarModel((segment("L3_TURN", "a", 20_000),), 16_000, 2000)
    assert (over.scale_tokens, over.over_tokens) == (22_000, 4000)


def test_a_segment_without_tokens_takes_no_room():
    layer = LayerRow("L1_SYSTEM", 0, (row("L1_SYSTEM", "empty", 0),))
    empty = EnvelopeView(
        turn=1, model="m", layers=(layer,), total_tokens=0, limit_tokens=100, reserve_tokens=10
    )
    assert bar_of(empty).segments == ()


OLD = BarModel(
    (segment("L1_SYSTEM", "a", 100), segment("L3_TURN", "b", 200), segment("L5_USER", "c", 10)),
    1000,
    100,
    800,
    100,
)
NEW = BarModel(
    (segment("L1_SYSTEM", "a", 100), segment("L4_STRIP", "d", 300), segment("L5_USER", "c", 30)),
    2000,
    100,
    None,
    0,
)


def test_on_the_way_everything_is_between():
    middle = between(OLD, NEW, 0.5)
    assert {part.name: part.tokens for part in middle.segments} == {"a": 100, "b": 100, "d": 150, "c": 20}
    assert middle.limit_tokens == 1500
    assert middle.cached_tokens == 50


def test_what_goes_away_keeps_its_place_until_it_is_gone():
    names = [part.name for part in between(OLD, NEW, 0.5).segments]
    assert names.index("a") < names.index("b") < names.index("c")


def test_at_the_end_it_is_the_new_one():
    assert between(OLD, NEW, 1.0) is NEW


def test_a_mark_that_one_of_them_lacks_is_taken_over_at_once():
    assert between(OLD, NEW, 0.1).threshold_tokens is None


@pytest.mark.parametrize("seed", range(5))
def test_a_bar_is_the_one_that_is_made_from_nothing(seed: int):
    memo = BarMemo()
    for view in wandering(seed, 40):
        if view is not None:
            assert memo.bar_of(view) == bar_of(view)


def test_the_bar_of_the_picture():
    bar = BarMemo().bar_of(sample_view())
    assert bar.total_tokens == 11_686
    assert bar.cached_tokens == 4_205


@pytest.mark.parametrize("anew", [False, True])
def test_a_keystroke_makes_only_the_drafts_segment_anew(anew: bool):
    memo = BarMemo()
    view = long_view(200)
    before = memo.bar_of(view).segments
    after = memo.bar_of(retyped(view, 43, anew=anew)).segments
    changed = [new.key.layer for old, new in zip(before, after, strict=True) if old is not new]
    assert changed == ["L5_USER"]
