"""The line in which an answer is begun: opened by a key, counted, struck where the model would not go on with it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT
from tests.ui.chat.composer.test_composer import EMPTY, Bench
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.domain.turn import BEGINNING
from workbench.engine.intents import EditDraft, QueueMessage, SendMessage
from workbench.engine.state import ChatState, RunningTurn
from workbench.ui.chat.composer.prefill import PrefillLine
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.theme import colour

BEGIN = "Three changes:"


def begun(view: EnvelopeView, *, continues: bool) -> EnvelopeView:
    """The view with a row of nine tokens for the beginning."""
    *upper, last = view.layers
    row = replace(
        last.rows[0], key=RowKey("L5_USER", "draft:begun"), kind=BEGINNING, name=BEGINNING, tokens=9
    )
    return replace(view, layers=(*upper, replace(last, rows=(*last.rows, row))), continues=continues)


def chat(continues: bool = True) -> ChatState:
    assert EMPTY.view is not None
    return replace(EMPTY, draft="Why?", prefill=BEGIN, view=begun(EMPTY.view, continues=continues))


def test_it_is_opened_written_and_sent_with_the_message(qtbot: QtBot):
    bench = Bench(qtbot, replace(chat(), draft="", prefill=""))
    line = bench.composer.prefill
    assert isinstance(line, PrefillLine)
    assert line.isHidden()
    line.begin()
    assert line.isVisible()
    QTest.keyClicks(line.words, "Yes")
    QTest.keyClick(line.words, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bench.intents[-1:] == [EditDraft(CHAT, "", 0, "Yes\n")]
    QTest.keyClicks(bench.composer.text, "Why?")
    QTest.keyClick(line.words, Qt.Key.Key_Return)
    QTest.keyClick(line.words, Qt.Key.Key_Return)  # the first one says what stays out
    sent = bench.intents[-1]
    assert isinstance(sent, SendMessage)
    assert (sent.text, sent.prefill) == ("Why?", "Yes\n")
    assert line.isHidden()


def test_its_tokens_are_said_and_what_the_model_would_not_go_on_with_is_struck(qtbot: QtBot):
    bench = Bench(qtbot, chat())
    line = bench.composer.prefill
    assert (line.text(), line.figure.text(), line.why.text()) == (BEGIN, "9 tokens", "")
    bench.show(chat(continues=False))
    assert line.figure.isHidden()
    assert line.words.font().strikeOut()
    assert line.why.text().endswith("doesn’t continue a begun answer")
    assert line.why.shown_text() == line.why.text(), "the reason is not cut where there is room"
    bench.intents.clear()
    bench.composer.send()
    assert bench.intents == []


def test_its_words_take_the_ink_of_another_theme_at_once(qtbot: QtBot, qapp: QApplication):
    """A palette of one's own keeps its colours: the words were black on a dark ground until the chat changed."""
    words, look = Bench(qtbot, chat()).composer.prefill.words, Appearance()
    look.apply(qapp, "light")
    try:
        for mode in ("dark", "light"):
            look.apply(qapp, mode)
            assert words.palette().color(QPalette.ColorRole.Text) == colour("t1")
            assert words.palette().color(QPalette.ColorRole.Base).alpha() == 0
    finally:
        look.apply(qapp, "light")


def test_taken_away_the_answer_is_the_models_own(qtbot: QtBot):
    bench = Bench(qtbot, chat())
    bench.composer.prefill.close_button.click()
    assert bench.intents[-1] == EditDraft(CHAT, "Why?", 0, "")
    assert bench.composer.prefill.isHidden()


def test_it_is_queued_with_its_message_and_comes_back_with_its_words(qtbot: QtBot):
    bench = Bench(qtbot, replace(chat(), running=RunningTurn(9, "m17")))
    bench.composer.send()
    assert bench.intents[-1] == QueueMessage(CHAT, "Why?", BEGIN)
    bench.show(EMPTY)
    assert bench.composer.prefill.isHidden()
    bench.show(replace(chat(), draft_number=1))
    assert bench.composer.prefill.text() == BEGIN


def test_esc_leaves_it_and_an_empty_one_goes(qtbot: QtBot):
    bench = Bench(qtbot)
    bench.composer.prefill.begin()
    QTest.keyClick(bench.composer.prefill.words, Qt.Key.Key_Escape)
    assert bench.composer.prefill.isHidden()
