"""The card of suggested priorities, and the steps that accept them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.shown.attachment_view import Relevance, Suggestion
from workbench.ui.attachments.suggested import SuggestedCard, accepted, fit_question
from workbench.ui.look.theme import Theme

OPEN = sample_state().open[CHAT]
ONE = Relevance({"src/auth.py": 0.9}, (Suggestion("src/auth.py", 5, 2),), open=True)


def test_it_comes_with_the_first_suggestion_stays_as_high_and_goes(qtbot: QtBot, theme: Theme):
    card = SuggestedCard()
    qtbot.addWidget(card)
    card.resize(252, 90)
    assert card.room() == 0
    assert card.show_chat(replace(OPEN, relevance=ONE))
    high = card.room()
    assert (high > 0, card.words.text(), card.accept.text()) == (
        True,
        "from your question; 1 change",
        "Accept",
    )
    assert not card.show_chat(replace(OPEN, relevance=replace(ONE, suggestions=())))
    assert (card.room(), card.accept.isEnabled()) == (high, False)
    image = card.grab().toImage()
    middle = image.pixelColor(image.width() // 2, image.height() // 2)
    assert middle.name() in (QColor(theme.accent_tint).name(), QColor(theme.t2).name())
    assert card.show_chat(OPEN)
    assert card.room() == 0


def test_what_is_so_already_or_gone_is_no_step():
    so, gone = Suggestion("src/auth.py", 3, 5), Suggestion("gone.md", 5, 2)
    assert accepted(OPEN, (so, gone)) is None
    one = accepted(OPEN, ONE.suggestions)
    assert one is not None
    assert one.title == "Accept priority 2 for src/auth.py"
    assert fit_question(OPEN, ("src/auth.py",), wanted=False) is None
