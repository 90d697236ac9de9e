"""Ways to make a request fit, to be applied."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.engine.state import Fix
from workbench.ui.chat.fixes import MOST, FixList

FIXES = (
    Fix("leave", "", 29_006, False, 1_480, over_tokens=1_006),
    Fix("unpin", "logs/big.log", 11_686, True, 18_800, priority=10),
    Fix("detach", "logs/big.log", 11_686, True, 18_800, priority=10),
)


def list_of(qtbot: QtBot, fixes: tuple[Fix, ...] = FIXES) -> FixList:
    made = FixList()
    qtbot.addWidget(made)
    made.resize(560, 200)
    made.show_fixes(fixes)
    made.show()
    return made


def test_the_first_that_fits_stands_out_and_no_other(qtbot: QtBot):
    made = list_of(qtbot)
    assert [row.apply.kind for row in made.fix_rows()] == ["secondary", "primary", "secondary"]
    assert made.best() is made.fix_rows()[1].apply
    assert list_of(qtbot, FIXES[:1]).best() is None


def test_a_button_applies_its_own_fix(qtbot: QtBot):
    made = list_of(qtbot)
    with qtbot.waitSignal(made.applied) as applied:
        made.fix_rows()[2].apply.click()
    assert applied.args == [FIXES[2]]


def test_at_most_four_are_offered(qtbot: QtBot):
    assert len(list_of(qtbot, FIXES * 3).fix_rows()) == MOST


def test_the_result_is_a_sign_and_a_word(qtbot: QtBot):
    made = list_of(qtbot)
    assert [row.result.words() for row in made.fix_rows()] == [
        "doesn’t fit, 1,006",
        "fits, 11,686",
        "fits, 11,686",
    ]
    made.grab()


def test_a_button_says_what_it_applies(qtbot: QtBot):
    """Four buttons called Apply are one and the same to who only hears them."""
    made = list_of(qtbot)
    row = made.fix_rows()[1]
    assert row.apply.accessibleName() == "Apply: Unpin logs/big.log"
    assert "fits" in row.apply.accessibleDescription()


def test_the_same_fixes_keep_their_rows(qtbot: QtBot):
    made = list_of(qtbot)
    before = made.fix_rows()
    made.show_fixes(tuple(FIXES))
    assert made.fix_rows() == before
