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
    RowParts,
    Widths,
    mirrored_in,
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


@given(st.floats(150, 800), st.floats(10, 60), st.floats(20, 30), st.floats(0, 28))
def test_no_part_lies_on_another_or_outside(width: float, tokens: float, priority: float, indent: float):
    box = QRectF(0, 0, width, STALE_ROW)
    parts = row_parts(box, Widths(tokens, priority, 30, 30), indent)
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


def test_mirrored_twice_is_the_same():
    parts = row_parts(BOX, STALE)
    mirrored = row_parts(BOX, STALE, mirrored=True)
    assert RowParts(*(mirrored_in(BOX, part) for part in mirrored)) == parts
    assert mirrored.icon.left() > mirrored.tokens.left()
    assert all(BOX.contains(part) for part in mirrored)


@pytest.mark.parametrize("part", ["priority", "pin", "refresh", "freeze"])
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_click_finds_the_part_it_is_on(part: str, mirrored: bool):
    parts = row_parts(BOX, STALE, mirrored=mirrored)
    assert part_at(parts, getattr(parts, part).center()) == part


def test_a_click_beside_them_finds_none():
    parts = row_parts(BOX, STALE)
    assert part_at(parts, parts.name.center()) == ""
    assert part_at(parts, QPointF(parts.freeze.right() + 3, parts.freeze.center().y())) == ""
