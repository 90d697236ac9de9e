"""Where the pieces of a bar lie: properties that hold for every bar, width and pixel density."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.look.tones import WIRE_ORDER
from workbench.ui.widgets.budget_bar.layout import (
    FLAG_GAP_PX,
    SLACK_PX,
    BarLayout,
    FlagName,
    lay_out,
    place_flags,
)
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment

SCENE = (
    ("L1_SYSTEM", 820), ("L1_SYSTEM", 240), ("L2_PREVIOUS", 410), ("L2_PREVIOUS", 365), ("L4_STRIP", 1480),
    ("L4_STRIP", 890), ("L4_STRIP", 1310), ("L3_TURN", 9), ("L3_TURN", 6120), ("L5_USER", 42),
)  # fmt: skip
FLAGS: dict[FlagName, float] = {"cached": 76.0, "trim": 76.0, "limit": 64.0, "reply": 62.0, "over": 80.0}


def bar(parts, limit=16_000, reserve=2000, threshold=12_800, cached=4205) -> BarModel:
    segments = tuple(BarSegment(RowKey(layer, str(i)), tokens) for i, (layer, tokens) in enumerate(parts))
    return BarModel(segments, limit, reserve, threshold, cached)


scene = bar(SCENE)


@st.composite
def bars(draw, most: int = 40) -> BarModel:
    """Segments in wire order, as a request has them, with marks anywhere."""
    counts = [draw(st.integers(0, most // 5)) for _ in WIRE_ORDER]
    sizes = st.integers(1, 5000)
    parts = [(layer, draw(sizes)) for layer, n in zip(WIRE_ORDER, counts, strict=True) for _ in range(n)]
    limit = draw(st.sampled_from([100, 8192, 16_000, 200_000, 1_047_576]))
    total = sum(tokens for _, tokens in parts)
    return bar(
        parts,
        limit,
        draw(st.integers(0, 8000)),
        draw(st.none() | st.integers(0, limit)),
        draw(st.none() | st.integers(0, total)),
    )


widths = st.integers(120, 1600).map(float)
densities = st.sampled_from([1.0, 1.25, 1.5, 2.0])


def on_a_pixel(x: float, dpr: float) -> bool:
    return abs(x * dpr - round(x * dpr)) < 1e-6


@given(bars(), widths, densities)
def test_blocks_follow_one_another_inside_of_the_bar(model: BarModel, width: float, dpr: float):
    layout = lay_out(model, width, dpr)
    for block in layout.blocks:
        assert 0 <= block.left <= block.right <= width + 1
    for before, after in pairwise(layout.blocks):
        assert before.right <= after.left
        assert before.last == after.first


@given(bars(), widths, densities)
def test_every_edge_is_a_whole_device_pixel(model: BarModel, width: float, dpr: float):
    layout = lay_out(model, width, dpr)
    edges = [edge for block in layout.blocks for edge in (block.left, block.right)]
    edges += [edge for edge in (layout.cached, layout.trim, layout.used) if edge is not None]
    assert all(on_a_pixel(edge, dpr) for edge in edges)


@given(bars(most=20), st.integers(400, 1600).map(float), densities)
def test_a_block_can_be_seen_and_grasped(model: BarModel, width: float, dpr: float):
    layout = lay_out(model, width, dpr)
    if layout.used >= sum(5 for _ in layout.blocks):
        assert all(block.right - block.left >= 3 - 1e-6 for block in layout.blocks)


@given(bars(), widths, densities)
def test_the_used_part_is_hardly_wider_than_it_should_be(model: BarModel, width: float, dpr: float):
    """Least widths and rounding must not make a request look larger than it is, however many segments it has."""
    layout = lay_out(model, width, dpr)
    true_end = width * model.total_tokens / model.scale_tokens
    assert true_end - 2 <= layout.used <= true_end + SLACK_PX + 2


@given(bars(), widths, densities)
def test_layers_are_further_apart_than_segments(model: BarModel, width: float, dpr: float):
    for before, after in pairwise(lay_out(model, width, dpr).blocks):
        gap = (after.left - before.right) * dpr
        assert gap == pytest.approx(round((2 if before.layer != after.layer else 1) * dpr), abs=1e-6)


@given(bars(), widths, densities)
def test_a_block_is_of_one_layer_and_one_cache_state(model: BarModel, width: float, dpr: float):
    ends = []
    reached = 0
    for segment in model.segments:
        reached += segment.tokens
        ends.append(reached <= (model.cached_tokens or 0))
    for block in lay_out(model, width, dpr).blocks:
        members = range(block.first, block.last)
        assert {model.segments[i].layer for i in members} == {block.layer}
        assert len({ends[i] for i in members}) == 1


@given(bars(), widths, densities)
def test_every_segment_is_found_under_the_pointer(model: BarModel, width: float, dpr: float):
    """Also those that are painted as one block with their neighbours."""
    layout = lay_out(model, width, dpr)
    assert len(layout.starts) == len(model.segments) + 1
    for index in range(len(model.segments)):
        left, right = layout.box(index)
        assert left <= right
        if right > left:
            assert layout.hit((left + right) / 2) == index


@given(bars(), widths, densities)
def test_beside_the_segments_nothing_is_found(model: BarModel, width: float, dpr: float):
    layout = lay_out(model, width, dpr)
    assert layout.hit(-1) == -1
    assert layout.hit(layout.used) == -1


@given(bars(), widths, densities)
def test_marks_stand_in_order(model: BarModel, width: float, dpr: float):
    layout = lay_out(model, width, dpr)
    if layout.cached is not None:
        assert 0 <= layout.cached <= layout.used + 1
    if layout.trim is not None:
        assert 0 <= layout.trim <= layout.limit + 1 / dpr
    assert (layout.limit <= layout.used + 1) if layout.over else (layout.used <= layout.limit + 2)


@given(bars(), widths)
def test_labels_lie_in_their_layer_and_are_not_cut(model: BarModel, width: float):
    layout = lay_out(model, width, 1.0)
    for label in layout.labels:
        blocks = [block for block in layout.blocks if block.layer == label.layer]
        assert blocks[0].left <= label.left < label.right <= blocks[-1].right
        assert layout.cached is None or not label.left < layout.cached < label.right


@given(bars(), widths)
def test_flags_never_touch(model: BarModel, width: float):
    flags = place_flags(lay_out(model, width, 1.0), FLAGS)
    assert all(after.left >= before.right + FLAG_GAP_PX for before, after in pairwise(flags))
    assert all(flag.left >= 0 for flag in flags)


@pytest.mark.parametrize("dpr", [1.0, 1.25, 1.5, 2.0])
def test_many_segments_do_not_drift(dpr: float):
    """Rounding each width would add up to a bar that ends somewhere else."""
    model = bar([("L4_STRIP", 100)] * 100, limit=16_000, cached=0)
    assert lay_out(model, 1000.0, dpr).used == pytest.approx(1000 * 10_000 / 18_000, abs=1 / dpr)


@pytest.mark.parametrize("dpr", [1.0, 1.25, 1.5, 2.0])
def test_more_segments_than_pixels_become_blocks(dpr: float):
    model = bar([(layer, 3 + i % 5) for layer in WIRE_ORDER for i in range(400)])
    layout = lay_out(model, 720.0, dpr)
    assert len(model.segments) == 2000
    assert len(layout.blocks) < 200
    assert layout.used == pytest.approx(720 * model.total_tokens / 18_000, abs=20)
    assert layout.trim == pytest.approx(512, abs=1)
    assert len(layout.keys) == 2000


def test_a_small_request_in_a_huge_window_is_still_seen():
    layout = lay_out(bar(SCENE, limit=1_047_576), 720.0)
    assert {block.layer for block in layout.blocks} == set(WIRE_ORDER)
    assert layout.used < 60
    assert all(block.right - block.left >= 3 for block in layout.blocks)


def test_an_empty_request_has_only_its_marks():
    layout = lay_out(bar((), cached=None), 720.0)
    assert (layout.blocks, layout.labels, layout.used) == ((), (), 0.0)
    assert layout.limit == 640
    assert layout.hit(0) == -1


def test_the_scene_has_the_labels_of_the_picture():
    layout = lay_out(scene, 720.0)
    assert [(label.layer, label.detail) for label in layout.labels] == [
        ("L1_SYSTEM", 0),
        ("L2_PREVIOUS", 0),
        ("L4_STRIP", 1),
        ("L3_TURN", 2),
    ]


def test_a_layer_cut_by_the_cached_end_is_labelled_in_its_larger_part():
    layout = lay_out(scene, 720.0)
    history = next(label for label in layout.labels if label.layer == "L4_STRIP")
    assert history.right == layout.cached


def test_over_the_limit_the_label_stands_within_it():
    over = bar((*SCENE[:-1], ("L3_TURN", 18_800), SCENE[-1]))
    layout = lay_out(over, 720.0)
    assert layout.over
    turn = next(label for label in layout.labels if label.layer == "L3_TURN")
    assert turn.right <= layout.limit
    assert layout.limit == pytest.approx(720 * 16_000 / 32_486, abs=8)


def test_the_cached_end_lies_where_the_tokens_end():
    layout = lay_out(scene, 720.0)
    turn_7 = layout.box(5)
    assert layout.cached == turn_7[1]


def test_nothing_cached_and_nothing_known_have_no_mark():
    assert lay_out(bar(SCENE, cached=0), 720.0).cached is None
    assert lay_out(bar(SCENE, cached=None), 720.0).cached is None


def test_no_trim_line_where_it_would_say_nothing():
    assert lay_out(bar(SCENE, threshold=None), 720.0).trim is None
    assert lay_out(bar(SCENE, threshold=16_000), 720.0).trim is None


def names(layout: BarLayout) -> list[str]:
    return [flag.name for flag in place_flags(layout, FLAGS)]


def test_all_flags_stand_above_a_wide_bar():
    assert names(lay_out(scene, 720.0)) == ["cached", "trim", "limit", "reply"]


def test_of_two_flags_that_would_touch_the_right_one_goes():
    assert names(lay_out(scene, 440.0)) == ["cached", "trim", "reply"]


def test_over_the_limit_the_overshoot_takes_the_replys_place():
    over = bar((*SCENE[:-1], ("L3_TURN", 18_800), SCENE[-1]))
    assert names(lay_out(over, 720.0)) == ["cached", "limit", "over"]


def test_a_segment_is_found_by_its_key():
    layout = lay_out(scene, 720.0)
    assert layout.index_of(RowKey("L3_TURN", "8")) == 8
    assert layout.index_of(RowKey("L3_TURN", "gone")) == -1
    assert layout.index_of(None) == -1


def test_a_bar_without_room_is_laid_out_all_the_same():
    model = BarModel(
        (BarSegment(RowKey("L4_STRIP", "a"), 10), BarSegment(RowKey("L5_USER", "b"), 5)), 100, 10
    )
    assert lay_out(model, 0.0).used >= 0
