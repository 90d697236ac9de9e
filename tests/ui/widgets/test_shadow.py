"""The shadow: soft, below, and inside of its margin."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from workbench.ui.look.theme import LIGHT
from workbench.ui.widgets.shadow import MARGIN, paint_shadow


@pytest.fixture
def image(qapp) -> QImage:
    made = QImage(200, 160, QImage.Format.Format_ARGB32_Premultiplied)
    made.fill(0)
    painter = QPainter(made)
    paint_shadow(painter, QRectF(MARGIN, MARGIN, 200 - 2 * MARGIN, 160 - 2 * MARGIN), LIGHT, 10)
    painter.end()
    return made


def test_it_fades_towards_its_margin(image: QImage):
    column = [image.pixelColor(100, y).alpha() for y in range(160 - MARGIN, 160)]
    assert column == sorted(column, reverse=True)
    assert column[0] > 15
    assert column[-1] <= 3


def test_it_lies_lower_than_the_box(image: QImage):
    assert image.pixelColor(100, 160 - MARGIN + 3).alpha() > image.pixelColor(100, MARGIN - 4).alpha()


def test_it_is_not_darker_than_the_design(image: QImage):
    assert max(image.pixelColor(100, y).alpha() for y in range(160)) <= 0.26 * 255
