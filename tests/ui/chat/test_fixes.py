"""Ways to make a request fit, to be applied."""

from __future__ import annotations

from typing import get_args

import pytest
from pytestqt.qtbot import QtBot

from workbench.engine.state import Fix, FixKind
from workbench.ui.chat.fixes import MOST, FixList, fix_words
from workbench.ui.look.icons import has_icon

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


def test_a_fix_says_what_it_does_its_effect_and_its_result(qapp: object):
    unpin = Fix("unpin", "logs/big.log", 11_686, True, 18_800, priority=10)
    assert fix_words(unpin) == (
        "pin",
        "Unpin logs/big.log",
        "priority 10, then dropped, −18,800",
        "fits, 11,686",
    )
    keep = Fix("leave", "", 29_006, False, 1_480, over_tokens=1_006)
    assert fix_words(keep)[1:] == (
        "Leave the oldest turns out",
        "from now on, whenever this chat is full, −1,480",
        "doesn’t fit, 1,006",
    )


def test_what_costs_more_says_what_it_costs(qapp: object):
    raised = Fix("larger_window", "openai:gpt-4.1-mini", 30_486, True, number=32_000, cost_usd=0.0116)
    assert fix_words(raised)[1:] == (
        "Raise the budget to 32,000",
        "gpt-4.1-mini takes that much",
        "fits, ≈ $0.012",
    )
    other = Fix("other_model", "openai:gpt-4.1", 11_686, True, number=1_047_576)
    assert fix_words(other)[1:] == ("Switch to gpt-4.1", "takes up to 1,047,576", "fits, 11,686")


def test_shortening_says_what_and_to_how_much(qapp: object):
    words = fix_words(Fix("shorten", "logs/big.log", 11_686, True, 7_100, number=4_200, priority=5))
    assert words == (
        "compact",
        "Shorten logs/big.log to 4,200 tokens",
        "keeps its key parts, −7,100",
        "fits, 11,686",
    )


def test_one_turn_is_one_turn(qapp: object):
    assert fix_words(Fix("summarise", "", 1, True, number=1)).title == "Summarise the oldest turn"


@pytest.mark.parametrize("kind", get_args(FixKind))
def test_every_kind_has_words_and_an_icon(qapp: object, kind: FixKind):
    words = fix_words(Fix(kind, "", 10, True))
    assert all(words)
    assert has_icon(words.icon)


def test_a_foreign_name_cannot_hide_what_a_fix_is_about(qapp: object):
    assert "\u202e" not in fix_words(Fix("detach", "a\u202eb", 1, True)).title
