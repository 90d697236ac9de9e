"""Layouts without Qt's own margins."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from workbench.ui.look.space import S1, S2, S3, S4, S5, STRETCH, columns, fill, rows


def test_the_steps_of_the_design():
    assert (S1, S2, S3, S4, S5) == (4, 8, 12, 16, 24)


def test_a_layout_has_only_the_room_it_was_given(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    made = rows(widget, (1, 2, 3, 4), 5)
    margins = made.contentsMargins()
    assert (margins.left(), margins.top(), margins.right(), margins.bottom()) == (1, 2, 3, 4)
    assert made.spacing() == 5
    assert widget.layout() is made


def test_layouts_go_into_layouts(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    outer = rows(widget)
    inner = columns(outer)
    inner.addWidget(QLabel("a"))
    assert isinstance(inner, QHBoxLayout)
    assert isinstance(outer, QVBoxLayout)
    assert outer.itemAt(0).layout() is inner
    assert inner.contentsMargins().left() == 0


def test_a_layout_may_be_placed_later():
    assert rows().parentWidget() is None


def test_a_layout_is_filled_in_order_with_gaps_and_stretches(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    first, second, inner = QLabel("a"), QLabel("b"), rows()
    made = fill(columns(widget), first, S2, (second, 1), STRETCH, inner)
    assert [made.itemAt(place).widget() for place in range(5)] == [first, None, second, None, None]
    assert [made.stretch(place) for place in range(5)] == [0, 0, 1, 1, 0]
    assert made.itemAt(1).sizeHint().width() == S2
    assert made.itemAt(4).layout() is inner
