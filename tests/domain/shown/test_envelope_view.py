"""A request as it is drawn: what is over, what is free, and which row a key means."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.domain.shown.envelope_view import (
    NO_REASON,
    DropOrder,
    EnvelopeView,
    LayerRow,
    PriceTag,
    Reason,
    RowGroup,
    RowKey,
    SegmentRow,
    StepPrice,
)

ROW = SegmentRow(RowKey("L1_SYSTEM", "persona"), ("persona",), "persona", "persona", 40, "locked")
LAYER = LayerRow("L1_SYSTEM", 40, (ROW,))
VIEW = EnvelopeView(1, "word-1", (LAYER,), 40, 100, 20)


@pytest.mark.parametrize(("total", "over", "free"), [(40, 0, 60), (100, 0, 0), (130, 30, 0)])
def test_a_request_is_over_its_limit_or_has_room(total: int, over: int, free: int):
    view = replace(VIEW, total_tokens=total)
    assert (view.over_tokens, view.free_tokens) == (over, free)


def test_the_cached_share_is_a_part_of_the_whole():
    assert replace(VIEW, cached_tokens=10).cached_share == 0.25
    assert VIEW.cached_share == 0.0
    assert replace(VIEW, total_tokens=0, cached_tokens=0).cached_share == 0.0


def test_a_key_finds_its_row():
    assert VIEW.row(RowKey("L1_SYSTEM", "persona")) is ROW
    assert VIEW.row(RowKey("L2_PREVIOUS", "persona")) is None


def test_what_is_made_when_someone_looks_is_no_part_of_what_is_compared_or_printed():
    """A view holds whole requests behind these; a failed comparison would print megabytes."""
    other = replace(VIEW, wire=lambda: None, diff=lambda: None)
    assert other == VIEW
    assert "wire" not in repr(other)
    assert (VIEW.wire(), VIEW.diff()) == (None, None)


def test_a_row_is_counted_and_unexplained_unless_said_otherwise():
    assert (ROW.counted, ROW.cache, ROW.reason, ROW.priority) == (True, "none", NO_REASON, None)
    assert Reason("promoted", "a.md", 2) == ("promoted", "a.md", 2)
    assert (VIEW.drop_order, VIEW.standing) == (DropOrder((), 0, 0), "next")


def test_a_group_has_a_key_of_its_own_and_what_is_left_is_never_less_than_nothing():
    group = RowGroup("recalled", 2, 60, 100, standing=50)
    assert group.key == RowKey("L3_TURN", "recalled:")
    assert group.left == 0
    assert RowGroup("retrieved", 1, 60, 100, standing=10).left == 30


# The price of a step, as a value.


def test_a_step_is_free_where_nothing_is_cached_that_it_could_cost():
    assert PriceTag(cached_tokens=0).free
    assert not PriceTag(cached_tokens=1).free
    assert not PriceTag().free, "nobody can say"


def test_a_price_belongs_to_the_step_it_was_asked_for():
    assert StepPrice("pin", PriceTag()) != StepPrice("drop", PriceTag())
