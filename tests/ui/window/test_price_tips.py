"""The price tooltip says what a control does and what it costs, and stays on the screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.domain.shown.envelope_view import PriceTag
from workbench.ui.offers import Offer
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.window.working import WIDTH, PriceTip

DEAR = PriceTag(784, 3_210, 14_820, 0.005, 0.0001, warm_s=220)


@pytest.fixture
def made(qtbot: QtBot) -> Iterator[PriceTip]:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    yield PriceTip(window)
    window.close()


def offer(at: QRect, key: str = "Space") -> Offer:
    return Offer("Pin message 24", (), "Sent in full in every turn, never trimmed.", key, "pin", at)


def test_it_says_everything_in_its_width(made: PriceTip):
    pin = offer(QRect(400, 400, 20, 20))
    made.show_offer(pin, None)
    assert "Checking the price…" in made.words()
    made.show_offer(pin, DEAR)
    assert made.words() == (
        "Pin message 24 | Sent in full in every turn, never trimmed. | +$0.0050 now | +784 tokens, re-reads 3,210"
        " | then +$0.0001 per turn | free in 3:40, when cold"
    )
    assert made.width() == WIDTH + 2 * MARGIN
    assert "re-reads 3,210 of 14,820 cached" in made.accessibleName()
    assert not made.grab().isNull()


def test_it_stands_over_its_control_or_under_it_and_on_the_screen(made: PriceTip):
    room = made.screen().availableGeometry()
    made.show_offer(offer(QRect(room.center().x(), 400, 20, 20)), DEAR)
    assert made.geometry().bottom() - MARGIN < 400
    made.show_offer(offer(QRect(room.right() - 10, room.top(), 10, 20), ""), DEAR)
    assert made.geometry().top() + MARGIN > room.top() + 20
    assert made.geometry().right() - MARGIN <= room.right()
    made.show_offer(offer(QRect(room.left(), 300, 10, 20)), PriceTag())
    assert made.geometry().left() + MARGIN >= room.left()
