"""How attachments are painted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_attachments
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.ui.attachments.delegate import (
    FOLDER_ROW,
    RENEWED_ROW,
    ROW,
    STALE_ROW,
    AttachmentDelegate,
    Widths,
    part_at,
    row_parts,
)
from workbench.ui.attachments.view import AttachmentsView
from workbench.ui.look.theme import LIGHT, Theme

BOX = QRectF(30, 100, 252, STALE_ROW)
STALE = Widths(tokens=40, priority=20, refresh=80, freeze=75)


def view_of(qtbot: QtBot, *rows: AttachmentRow) -> AttachmentsView:
    view = AttachmentsView("Attachments")
    qtbot.addWidget(view)
    view.resize(252, 300)
    view.tree().show_rows(rows)
    view.show()
    return view


def delegate_of(view: AttachmentsView) -> AttachmentDelegate:
    delegate = view.itemDelegate()
    assert isinstance(delegate, AttachmentDelegate)
    return delegate


def has(image: QImage, box: QRectF, colour: str) -> bool:
    wanted = QColor(colour).rgb()
    return any(
        image.pixel(x, y) == wanted
        for x in range(int(box.left()), int(box.right()))
        for y in range(int(box.top()), int(box.bottom()))
    )


def test_a_changed_file_is_higher_by_its_buttons(qtbot: QtBot):
    spec, api, *_ = sample_attachments()
    view = view_of(qtbot, spec, api)
    heights = [
        view.itemDelegate().sizeHint(QStyleOptionViewItem(), view.tree().index(n, 0)).height() for n in (0, 1)
    ]
    assert heights == [ROW, STALE_ROW]


def test_a_file_that_changes_while_it_is_listed_gets_its_buttons(qtbot: QtBot):
    """With heights kept from before, the buttons would be painted over the next row."""
    spec, api, auth, _ = sample_attachments()
    view = view_of(qtbot, spec, replace(api, disk="same"), auth)
    below = view.visualRect(view.tree().index_of("src/auth.py")).top()
    view.tree().show_rows((spec, api, auth))
    qtbot.waitUntil(
        lambda: view.visualRect(view.tree().index_of("src/auth.py")).top() == below + STALE_ROW - ROW
    )


def test_states_are_painted_in_their_tints(qtbot: QtBot, theme: Theme):
    view = view_of(qtbot, *sample_attachments())
    image = view.grab().toImage()
    tints = (theme.info_tint, theme.warn_tint, theme.sunken, theme.err_tint)
    for place, tint in enumerate(tints):
        index = view.tree().index(place, 0)
        parts = delegate_of(view).parts(QRectF(view.visualRect(index)), index)
        assert has(image, parts.badge, tint)


def test_a_pinned_file_has_a_filled_pin(qtbot: QtBot):
    auth = sample_attachments()[2]
    for pinned in (False, True):
        view = view_of(qtbot, replace(auth, pinned=pinned))
        index = view.tree().index(0, 0)
        parts = delegate_of(view).parts(QRectF(view.visualRect(index)), index)
        assert has(view.grab().toImage(), parts.pin, LIGHT.accent_text) is pinned


def test_a_file_that_was_read_anew_offers_its_earlier_copy(qtbot: QtBot):
    renewed = replace(sample_attachments()[2], disk="renewed", changed_utc="2026-01-02T14:02:00Z")
    view = view_of(qtbot, renewed)
    index = view.tree().index(0, 0)
    parts = delegate_of(view).parts(QRectF(view.visualRect(index)), index)
    assert view.rowHeight(index) == RENEWED_ROW
    assert (parts.refresh.isNull(), parts.freeze.isNull()) == (True, False)
    view.grab()


def test_a_folder_is_one_line(qtbot: QtBot):
    rows = [AttachmentRow(f"src/{n}.py", "file", f"src/{n}.py", 10, 5, False, "sent") for n in range(9)]
    view = view_of(qtbot, *rows)
    assert view.rowHeight(view.tree().index(0, 0)) == FOLDER_ROW
    view.grab()


def test_names_of_any_length_and_kind_are_painted(qtbot: QtBot):
    rows = [
        replace(sample_attachments()[1], key=str(n), name=name)
        for n, name in enumerate(("", "x" * 500, "a\u202eb"))
    ]
    view_of(qtbot, *rows).grab()


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
