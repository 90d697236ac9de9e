"""What stands above a message that does not fit."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.engine.state import Fix
from workbench.ui.chat.composer.over_limit import BAND_HEIGHT, OverLimit

FIX = Fix("unpin", "logs/big.log", 11_686, True, 18_800, priority=10)


def test_it_says_by_how_much_and_is_gone_where_it_fits(qtbot: QtBot):
    over = OverLimit()
    qtbot.addWidget(over)
    over.show_over(14_486, (FIX,))
    assert over.words() == ("14,486 tokens over the limit.", "It is not sent like this. Choose a fix:")
    assert not over.isHidden()
    assert over.sizeHint().height() == BAND_HEIGHT + 44
    over.show_over(0, ())
    assert over.isHidden()


def test_without_fixes_it_says_what_to_do(qtbot: QtBot):
    over = OverLimit()
    qtbot.addWidget(over)
    over.show_over(9, ())
    assert "Shorten the message" in over.words()[1]


def test_a_fix_is_handed_on(qtbot: QtBot):
    over = OverLimit()
    qtbot.addWidget(over)
    over.show_over(9, (FIX,))
    with qtbot.waitSignal(over.fixes.applied) as applied:
        over.fixes.fix_rows()[0].apply.click()
    assert applied.args == [FIX]
