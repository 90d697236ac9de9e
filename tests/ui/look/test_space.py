"""Layouts without Qt's own margins."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from workbench.ui.look.space import S1, S2, S3, S4, S5, columns, rows


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
