"""Side questions in words, in the list of their chat, and on their card."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.ui.chat.chat_samples import sample
from workbench.domain.shown.envelope_view import PriceTag
from workbench.domain.side import SideQuestion
from workbench.engine.intents import MakeSideTurn, StopTurn
from workbench.engine.state import RunningTurn
from workbench.ui.chat.messages.version_editor import VersionEditor
from workbench.ui.chat.side_card import SideCard
from workbench.ui.inspector.side_list import MOST_LINES, SideList
from workbench.ui.side_words import cached_share, list_note, side_figures
from workbench.ui.wishes import ShowSide, Wishes

SIDE = SideQuestion(
    "s1", "Which version\nadded it?", "3.11.", "2026-01-01T14:07:00Z", "m", "a2", 4024, 3878, 58, 3878, 0.0017, 1400.0
)  # fmt: skip


def test_what_it_took_is_said_as_far_as_it_is_known():
    assert side_figures(SIDE) == "4,024 in · 96 % cached · 58 out · $0.0017 · 1.4 s"
    bare = SideQuestion("s2", "q", "", "", "m")
    assert side_figures(bare) == ""
    assert cached_share(bare) is None
    assert (
        list_note((SIDE, replace(SIDE, id="s2"))) == "2, not part of this chat · $0.0034 · kept for 30 days"
    )


def test_the_list_is_there_where_there_is_something_to_list(qtbot: QtBot):
    wishes = Wishes()
    made = SideList(wishes)
    qtbot.addWidget(made)
    chat = sample()
    assert not made.show_chat(None)
    assert not made.show_chat(chat)
    many = tuple(replace(SIDE, id=f"s{number}") for number in range(9))
    assert made.show_chat(replace(chat, sides=many))
    assert len(made.lines) == MOST_LINES
    assert "Which version added it?, 4,024 in" in made.lines[0].accessibleName()
    with qtbot.waitSignal(wishes.wish) as told:
        made.lines[1].click()
    assert told.args == [ShowSide("s1")]
    assert not made.lines[0].grab().isNull()


@pytest.fixture
def card(qtbot: QtBot) -> SideCard:
    made = SideCard(Wishes())
    qtbot.addWidget(made)
    made.resize(500, 200)
    return made


def test_the_card_follows_the_question_that_runs_and_stays_until_it_is_closed(card: SideCard, qtbot: QtBot):
    chat = sample()
    card.show_state(chat)
    assert card.isHidden()
    running = RunningTurn(9, "s1", "Which version?", text="3.1", side=True)
    card.show_state(replace(chat, running=running))
    assert (card.question.text(), card.body.source, card.figures.text()) == (
        "Which version?",
        "3.1",
        "Asking…",
    )
    with qtbot.waitSignal(card.wishes.intent) as told:
        card.stop.click()
    assert told.args == [StopTurn(chat.chat.id)]
    card.show_state(replace(chat, running=None, sides=(SIDE,)))
    assert card.body.source == "3.11."
    assert card.figures.text() == side_figures(SIDE)
    with qtbot.waitSignal(card.wishes.intent) as told:
        card.make.click()
    assert told.args == [MakeSideTurn(chat.chat.id, "s1")]
    QTest.keyClick(card, Qt.Key.Key_Escape)
    assert card.isHidden()
    card.open("s1")
    assert not card.isHidden()
    other = replace(chat, chat=replace(chat.chat, id="other"), running=None, sides=(SIDE,))
    card.show_state(other)
    assert card.isHidden(), "another chat's own"


def test_in_a_narrow_column_a_line_stands_for_the_card(card: SideCard):
    card.resize(400, 200)
    chat = replace(sample(), running=RunningTurn(9, "s1", "Which version?", text="3.1", side=True))
    card.show_state(chat)
    assert (card.inner.isHidden(), card.note.text()) == (True, "Which version? · Asking…")
    card.show_state(replace(chat, running=None, sides=(SIDE,)))
    assert (card.inner.isHidden(), card.note.text()) == (True, "Which version added it? · answered, $0.0017")
    card.unfold.click()
    assert (card.inner.isHidden(), card.unfold.isHidden()) == (False, True)


def test_why_there_is_no_answer_stands_in_place_of_the_figures(card: SideCard):
    chat = replace(sample(), running=None, sides=(replace(SIDE, answer="", problem="You are offline."),))
    card.show_state(chat)
    card.open("s1")
    assert card.figures.text() == "You are offline."
    assert not card.make.isEnabled()


def marked(editor: VersionEditor) -> list[str]:
    return [one.cursor.selectedText() for one in editor.text.extraSelections()]  # type: ignore[attr-defined]


def test_the_editor_refuses_nothing_and_the_same(qtbot: QtBot):
    made = VersionEditor("Seven.", "Seven.")
    qtbot.addWidget(made)
    assert not made.save.isEnabled()
    made.text.setPlainText("Eight.")
    assert marked(made) == ["Eight."]
    made.show_price(PriceTag(tokens_delta=26, reread_tokens=2310, cached_tokens=3878, now_usd=0.0054))
    assert made.price.text() == "+26 tokens, re-reads 2,310 of 3,878 cached, +$0.0054"
    with qtbot.waitSignal(made.saved) as told:
        made.save.click()
    assert told.args == ["Eight."]
    made.text.setPlainText("Seven.")
    with qtbot.waitSignal(made.cancelled):
        QTest.keyClick(made.text, Qt.Key.Key_Escape)
