"""Popups: round, with a shadow, under what they belong to."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from workbench.ui.look.theme import Theme
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.popup import Popup
from workbench.ui.widgets.shadow import MARGIN


@pytest.fixture
def window(qtbot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    return made


def test_a_popup_opens_under_its_anchor(window: QWidget):
    anchor = button("Model")
    anchor.setParent(window)
    anchor.setGeometry(200, 50, 100, 28)
    anchor.show()
    popup = Popup(window)
    popup.body.addWidget(label("words"))
    popup.open_under(anchor)
    seen = popup.pos() + QPoint(MARGIN, MARGIN)
    assert seen == anchor.mapToGlobal(QPoint(0, anchor.height() + 4))
    popup.close()


def test_a_popup_has_a_shadow_and_clear_corners(theme: Theme, window: QWidget):
    popup = Popup(window)
    popup.resize(200, 150)
    image = popup.grab().toImage()
    assert image.pixelColor(0, 0).alpha() == 0
    assert image.pixelColor(100, 75) == QColor(theme.raised)
    below = image.pixelColor(100, 150 - MARGIN + 4)
    assert 0 < below.alpha() < 120


def test_a_popup_over_a_widget_ends_where_that_ends_and_is_as_high_as_what_is_in_it(window: QWidget):
    anchor = button("Send")
    anchor.setParent(window)
    anchor.setGeometry(200, 150, 100, 28)
    anchor.show()
    popup, words = Popup(window), label("words")
    popup.body.addWidget(label("more"))
    popup.body.addWidget(words)
    popup.open_over(anchor)
    corner = QPoint(popup.x() + popup.width() - MARGIN, popup.y() + popup.height() - MARGIN)
    assert corner == anchor.mapToGlobal(QPoint(anchor.width(), -4))
    high = popup.height()
    words.hide()
    popup.fit()
    assert popup.height() < high
    popup.close()
