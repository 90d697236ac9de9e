"""Words that the model was not sure of: marked, counted, and gone on from with another word."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from tests.ui.chat.chat_samples import MODEL, answered, turn
from workbench.domain.probability import PROBABILITIES, Candidate, LikelyToken, LikelyWord, as_notes
from workbench.domain.record import BEGUN_CHARS
from workbench.engine.intents import ContinueAnswer
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.feed import Answer
from workbench.ui.chat.messages.message_menu import BETWEEN, intent_of
from workbench.ui.chat.messages.word_card import WordCard, candidate_words, share_words
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.prose import POINTED_MS, ProseView
from workbench.ui.widgets.floating import MARGIN

TEXT = "It **usually** 😀 renews."
TOKENS = (
    LikelyToken("It", 0.9),
    LikelyToken(" **", 0.9),
    LikelyToken("usually", 0.38, (Candidate("usually", 0.38), Candidate("often", 0.27), Candidate("", 0.05))),
    LikelyToken("** 😀", 0.2),
    LikelyToken(" renews", 0.4, (Candidate(" renewed", 0.5), Candidate(" renews", 0.4))),
)


def item(not_continued_by: str = "") -> Answer:
    notes = {PROBABILITIES: as_notes(0, TOKENS), BEGUN_CHARS: 2}
    record = replace(answered("a", TEXT), metadata=notes)
    return Answer("a", record, "q", MODEL, turn=turn(1, "q", "a"), not_continued_by=not_continued_by)


@pytest.fixture
def view(qtbot: QtBot) -> AnswerView:
    made = AnswerView(Ink())
    qtbot.addWidget(made)
    made.resize(548, 400)
    made.show()
    made.show_item(item())
    return made


def opened(view: AnswerView) -> WordCard:
    assert view.doubts is not None
    view.doubts.open.click()
    assert view.word_card is not None
    return view.word_card


def prose(view: AnswerView) -> ProseView:
    found = view.body.views()[0]
    assert isinstance(found, ProseView)
    return found


def test_words_under_a_half_are_counted_and_underlined_behind_an_emoji_too(view: AnswerView):
    assert view.doubts is not None
    assert view.doubts.open.text() == "2 words under 0.5"
    assert view.head.words().note == "begun by you"
    text = prose(view).document().toPlainText().encode("utf-16-le")
    lines = {
        one.number: text[2 * one.start : 2 * one.end].decode("utf-16-le") for one in prose(view)._lines_below
    }
    assert lines == {0: "usually", 1: "renews", None: "It"}
    view.show_item(Answer("a", answered("a", TEXT), "q", MODEL, turn=turn(1, "q", "a")))
    assert view.doubts.isHidden()
    assert prose(view)._lines_below == ()


def test_an_edited_answer_has_neither_the_models_probabilities_nor_its_beginning(view: AnswerView):
    view.show_item(replace(item(), edited=True))
    assert view.head.words().note == ""
    assert (view.words, prose(view)._lines_below) == ((), ())
    view.show_item(item())
    assert prose(view)._lines_below


def test_keys_choose_a_candidate_and_enter_goes_on_from_it(view: AnswerView, qtbot: QtBot):
    card, wished = opened(view), list[tuple[str, str]]()
    view.asked.connect(lambda action, subject: wished.append((action, subject)))
    assert (card.title.text(), card.count.text(), card.other.text()) == (
        "usually",
        "word 2 of 3",
        "other words 0.30",
    )
    assert card.go_on.text() == "Continue from here with “often”"
    QTest.keyClick(card, Qt.Key.Key_3)
    assert not card.go_on.isEnabled()  # the answer would end there
    QTest.keyClick(card, Qt.Key.Key_Right)
    assert card.title.text() == "renews"
    QTest.keyClick(card, Qt.Key.Key_Left)
    QTest.keyClick(card, Qt.Key.Key_2)
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert wished == [("continue", f"a{BETWEEN}It **often")]
    assert card.isHidden()
    state = sample_state()
    assert intent_of(*wished[0], state.open[CHAT]) == ContinueAnswer(CHAT, "a", "It **often")


def test_the_card_goes_to_the_word_it_is_about_and_leaves_what_is_below_the_answer_free(view: AnswerView):
    """With → it stayed at the word before, and over the message field."""
    card, text = opened(view), prose(view)
    assert text._chosen_below == 0
    before = card.pos()
    QTest.keyClick(card, Qt.Key.Key_Right)
    assert text._chosen_below == 1
    assert card.pos() != before
    spot = QRect(400, 300, 40, 16)
    card.lie_beside(spot, QRect(0, 0, 700, 340))
    assert card.geometry().bottom() - MARGIN <= spot.top()
    card.lie_beside(spot, QRect(0, 0, 700, 600))
    assert card.geometry().top() + MARGIN >= spot.bottom()
    card.close()
    assert text._chosen_below is None


def test_only_words_that_can_be_marked_are_counted(view: AnswerView):
    """Words in code have no dotted line: they were counted, and nobody found them."""
    words = (LikelyToken("Sure", 0.3), LikelyToken("\n\n```\n", 0.9), LikelyToken("code", 0.3))
    record = answered("b", "Sure\n\n```\ncode\n```\n")
    record = replace(record, metadata={PROBABILITIES: as_notes(0, words)})
    view.show_item(Answer("b", record, "q", MODEL, turn=turn(1, "q", "b")))
    assert view.doubts is not None
    assert view.doubts.open.text() == "1 word under 0.5"


def test_where_the_model_would_not_go_on_the_reason_stands_there(view: AnswerView):
    view.show_item(item(not_continued_by="openai:gpt-4.1-mini"))
    card = opened(view)
    assert not card.go_on.isEnabled()
    assert card.why.text() == "gpt-4.1-mini doesn’t continue a begun answer"
    QTest.keyClick(card, Qt.Key.Key_Escape)
    assert card.isHidden()


def test_pointing_at_a_word_for_a_moment_opens_its_card(view: AnswerView, qtbot: QtBot):
    text = prose(view)
    box = text.box_below(1)
    assert not box.isEmpty()
    QTest.mouseMove(text.viewport(), text.viewport().mapFromGlobal(box.center()))
    qtbot.waitUntil(lambda: view.word_card is not None and view.word_card.isVisible(), timeout=POINTED_MS * 6)
    assert view.word_card is not None
    assert view.word_card.title.text() == "renews"
    view.word_card.close()


def test_a_candidate_that_is_only_a_line_end_is_called_one():
    word = LikelyWord("often", 3, 8, 3, "often", 0.4, ())
    named = [candidate_words(word, Candidate(text, 0.2)) for text in ("\n", " ", "")]
    assert named == ["(a line end)", "(a blank)", "(end)"]


def test_shares_are_written_with_two_places():
    assert [share_words(one) for one in (0.38, 0.004, 0.0, 1.0)] == ["0.38", "< 0.01", "0.00", "1.00"]
