"""Figures lead into the guide: by a tip that names the key, and to a page that depends on where one points."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from workbench.domain.guide import GuidePage
from workbench.ui.widgets.guided import lead_to, page_of, tell_figure, with_more


class Halves(QWidget):
    """Another page on its right half; nothing of its own where nobody points."""

    def guide_page_at(self, at: QPoint | None) -> GuidePage:
        return "" if at is None else "cache" if at.x() > 50 else "budget"


def test_a_figure_says_where_it_comes_from_and_that_there_is_more(qtbot: QtBot):
    figure = QLabel("42")
    qtbot.addWidget(figure)
    tell_figure(figure, "The sum of all rows.", "budget")
    assert figure.toolTip() == "The sum of all rows.\nMore (F1)"
    assert figure.accessibleDescription() == "The sum of all rows."
    assert page_of(figure, None) == "budget"


def test_without_a_sentence_there_is_no_tip():
    assert with_more("") == ""


def test_what_is_in_something_leads_where_that_leads(qtbot: QtBot):
    outer = QWidget()
    qtbot.addWidget(outer)
    inner = QLabel("7", outer)
    assert page_of(inner, None) == ""
    lead_to(outer, "cache")
    assert page_of(inner, None) == "cache"
    lead_to(inner, "budget")
    assert page_of(inner, None) == "budget"
    assert page_of(None, None) == ""


def test_the_place_decides_where_a_widget_says_so_and_else_what_it_is_in(qtbot: QtBot):
    outer = QWidget()
    qtbot.addWidget(outer)
    lead_to(outer, "request")
    halves = Halves(outer)
    halves.setGeometry(0, 0, 100, 20)
    assert page_of(halves, halves.mapToGlobal(QPoint(80, 5))) == "cache"
    assert page_of(halves, halves.mapToGlobal(QPoint(8, 5))) == "budget"
    assert page_of(halves, None) == "request"
