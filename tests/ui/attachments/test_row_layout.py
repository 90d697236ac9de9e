"""Where the parts of a row lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF

from workbench.ui.attachments.row_layout import (
    RENEWED_ROW,
    ROW,
    STALE_ROW,
    Widths,
    part_at,
    row_parts,
)

BOX = QRectF(30, 100, 252, STALE_ROW)
STALE = Widths(tokens=40, priority=20, refresh=80, freeze=75)


def test_the_parts_of_a_plain_row_leave_its_buttons_out():
    parts = row_parts(QRectF(0, 0, 252, ROW), Widths(40, 20))
    assert parts.refresh.isNull()
    assert parts.price.isNull()
    assert parts.name.right() < parts.tokens.left()
    assert parts.badge.right() < parts.priority.left() < parts.pin.left()


@given(st.floats(150, 800), st.floats(10, 60), st.floats(20, 30), st.floats(0, 28), st.sampled_from((0, 45)))
def test_no_part_lies_on_another_or_outside(
    width: float, tokens: float, priority: float, indent: float, pill: float
):
    box = QRectF(0, 0, width, STALE_ROW)
    parts = row_parts(box, Widths(tokens, priority, 30, 30, share=pill, pill=pill), indent)
    for part in parts:
        assert box.contains(part) or part.width() == 0
    boxes = [part for part in parts if part.width() > 0]
    for place, one in enumerate(boxes):
        assert not any(one.intersects(other) for other in boxes[place + 1 :])


@pytest.mark.parametrize("width", [150, 252, 400])
def test_a_file_that_was_read_anew_has_one_button(width: float):
    box = QRectF(0, 0, width, RENEWED_ROW)
    parts = row_parts(box, Widths(40, 20, freeze=160))
    assert (parts.refresh.isNull(), parts.price.isNull()) == (True, True)
    assert (box.contains(parts.freeze), part_at(parts, parts.freeze.center())) == (True, "freeze")


@pytest.mark.parametrize("part", ["priority", "pin", "refresh", "freeze"])
def test_a_click_finds_the_part_it_is_on(part: str):
    parts = row_parts(BOX, STALE)
    assert part_at(parts, getattr(parts, part).center()) == part


def test_a_click_beside_them_finds_none():
    parts = row_parts(BOX, STALE)
    assert part_at(parts, parts.name.center()) == ""
    assert part_at(parts, QPointF(parts.freeze.right() + 3, parts.freeze.center().y())) == ""


def test_a_share_stands_before_the_badge_and_a_pill_in_the_place_of_priority_and_pin():
    parts = row_parts(QRectF(0, 0, 252, ROW), Widths(40, 20, share=27, pill=44))
    assert (parts.bar.width(), parts.bar.height()) == (36, 6)
    assert parts.bar.right() < parts.share.left() < parts.share.right() < parts.badge.left()
    assert (parts.priority.isNull(), parts.pin.isNull()) == (True, True)
    assert part_at(parts, parts.pill.center()) == "pill"
    assert part_at(parts, QPointF(1, 1)) == "", "what is not there cannot be pressed"
