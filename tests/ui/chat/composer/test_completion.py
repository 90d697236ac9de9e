"""The list behind an @ over the composer: what it says, which keys it takes, and what stands in the text after."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.shown.completion_view import CompletionView, Offer, typed_name
from workbench.engine.attaching_intents import AttachNamed, Complete
from workbench.engine.state import ChatState
from workbench.ui.chat.composer.completion import FOOT, HEAD, MOST_ROWS, ROW, OfferList
from workbench.ui.chat.composer.composer import Composer
from workbench.ui.look.theme import Theme

Key = Qt.Key
STATE = sample_state()
EMPTY = replace(STATE.open[CHAT], draft="")
FILES = tuple(
    Offer(
        "file",
        f"file{n}.md",
        f"@docs/file{n}.md",
        f"docs/file{n}.md",
        where="docs",
        tokens=100 * n,
        added_tokens=100 * n,
    )
    for n in range(1, 10)
)
READ = Offer("command", "@read", "@read")
SPACED = Offer(
    "file", "spec 2.pdf", '@"spec 2.pdf"', "spec 2.pdf", tokens=40_000, added_tokens=40_000, estimated=True
)


class Stage:
    """A composer in a pane, everything that it sends, and an engine that answers when it is told to."""

    def __init__(self, qtbot: QtBot, height: int = 700, width: int = 600) -> None:
        self.pane = QWidget()
        qtbot.addWidget(self.pane)
        self.composer = Composer()
        down = QVBoxLayout(self.pane)
        down.addStretch(1)
        down.addWidget(self.composer)
        self.sent: list[object] = []
        self.composer.wishes.intent.connect(self.sent.append)
        self.chat: ChatState = EMPTY
        self.pane.resize(width, height)
        self.pane.show()
        self.text = self.composer.text
        self.submitted: list[int] = []
        self.text.submitted.connect(lambda: self.submitted.append(1))
        self.text.setFocus()
        self.composer.show_state(STATE, self.chat)

    @property
    def offers(self) -> OfferList:
        return self.composer.completion.offers

    @property
    def asked(self) -> list[str]:
        """What was asked for, each by the text before the cursor."""
        return [one.before for one in self.sent if isinstance(one, Complete)]

    def type(self, words: str) -> None:
        QTest.keyClicks(self.text, words)

    def press(self, key: Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.text, key, held)

    def answer(self, *offers: Offer, word: str | None = None, **changes: object) -> None:
        """What the engine offers for what is typed now, or for something else."""
        begun = typed_name(self.text.text())
        assert begun is not None
        begun = begun if word is None else begun._replace(word=word)
        view = replace(CompletionView(begun, offers), **changes)  # type: ignore[arg-type]
        self.chat = replace(self.chat, draft=self.text.text(), completion=view)
        self.composer.show_state(STATE, self.chat)

    def is_open(self) -> bool:
        return self.composer.completion.is_open()


@pytest.fixture
def stage(qtbot: QtBot) -> Stage:
    return Stage(qtbot)


def test_an_at_sign_asks_and_the_answer_opens_a_list_of_the_composers_width(stage: Stage):
    stage.type("see @")
    assert stage.asked == ["see @"]
    assert not stage.is_open()
    stage.answer(READ, *FILES)
    assert stage.is_open()
    assert stage.text.hasFocus(), "the editor keeps the cursor"
    box, composer = stage.offers.box(), stage.composer.geometry()
    assert box.width() == composer.width()
    assert stage.offers.y() + box.bottom() <= composer.top()
    assert box.height() == HEAD + FOOT + 2 + MOST_ROWS * ROW
    assert stage.offers.list.verticalScrollBar().maximum() > 0


def test_enter_inserts_and_a_second_one_sends(stage: Stage):
    stage.type("see @fi")
    stage.answer(*FILES)
    stage.press(Key.Key_Down)
    stage.press(Key.Key_Return)
    assert stage.text.text() == "see @docs/file2.md "
    assert not stage.is_open()
    assert Complete(CHAT) in stage.sent
    assert stage.submitted == []
    stage.press(Key.Key_Return)
    assert stage.submitted == [1]


PART = Offer("part", "Clock skew", "@spec.md#Clock-skew", "spec.md#Clock-skew", tokens=9, added_tokens=9)


def test_a_name_that_is_written_out_is_sent_by_one_enter(stage: Stage):
    stage.type("Which skew? @spec.md#Clock-skew")
    stage.answer(PART)
    stage.press(Key.Key_Return)
    assert stage.submitted == [1]
    assert not stage.is_open()


def test_a_part_that_tab_has_chosen_is_sent_by_one_enter(stage: Stage):
    stage.type("Which skew? @spec.md#")
    stage.answer(replace(PART, text="@spec.md#Terms", named="spec.md#Terms"), PART)
    stage.press(Key.Key_Down)
    stage.press(Key.Key_Tab)
    sent: list[str] = []
    stage.text.submitted.connect(lambda: sent.append(stage.text.text()))
    stage.composer.text.submitted.disconnect(stage.composer.send)
    stage.press(Key.Key_Return)
    assert sent == ["Which skew? @spec.md#Clock-skew "]
    assert not stage.is_open()


def test_names_with_spaces_and_letters_of_two_units_are_replaced_whole(stage: Stage):
    stage.text.insertPlainText("😀 look at ")
    stage.type("@spe")
    stage.answer(SPACED)
    stage.press(Key.Key_Return)
    assert stage.text.text() == '😀 look at @"spec 2.pdf" '
    stage.text.undo()
    assert stage.text.text() == "😀 look at @spe", "one step"


def test_tab_attaches_and_the_list_stays(stage: Stage):
    stage.type("@fi")
    stage.answer(*FILES)
    stage.press(Key.Key_Tab)
    assert stage.sent[-1] == AttachNamed(CHAT, ("docs/file1.md",))
    assert stage.is_open()
    assert stage.text.hasFocus()
    assert stage.text.text() == "@fi"
    stage.answer(replace(FILES[0], attached=True), *FILES[1:])
    assert stage.offers.model.words_of(stage.offers.model.items[0]).verdict == "attached"
    stage.press(Key.Key_Tab)
    assert sum(isinstance(one, AttachNamed) for one in stage.sent) == 1, "it is attached already"
    stage.press(Key.Key_Down)
    stage.press(Key.Key_Tab)
    assert stage.sent[-1] == AttachNamed(CHAT, ("docs/file2.md",))


def test_escape_closes_until_the_word_changes_and_stops_no_answer(stage: Stage):
    escaped: list[int] = []
    stage.composer.escaped.connect(lambda: escaped.append(1))
    stage.type("@fi")
    stage.answer(*FILES)
    stage.press(Key.Key_Escape)
    assert not stage.is_open()
    assert escaped == []
    stage.press(Key.Key_Escape)
    assert escaped == [1]
    before = len(stage.asked)
    stage.press(Key.Key_Shift)
    assert len(stage.asked) == before
    stage.type("l")
    assert stage.asked[-1] == "@fil"


def test_an_answer_to_other_letters_is_dropped_and_enter_waits_for_the_right_one(stage: Stage):
    stage.type("@f")
    stage.answer(*FILES)
    stage.type("ile9")
    stage.answer(*FILES, word="file")
    assert stage.is_open(), "it does not flicker while the answer is on its way"
    stage.press(Key.Key_Return)
    assert stage.text.text() == "@file9", "nothing is inserted that was not asked for, and nothing is sent"
    stage.answer(FILES[8])
    assert stage.text.text() == "@docs/file9.md "
    assert stage.submitted == []


def test_a_word_that_means_nothing_closes_the_list_and_enter_sends(stage: Stage):
    stage.type("@fi")
    stage.answer(*FILES)
    stage.type("zz")
    stage.answer()
    assert not stage.is_open()
    stage.press(Key.Key_Return)
    assert stage.submitted == [1]


def test_a_space_a_click_elsewhere_and_leaving_close_it(stage: Stage, qtbot: QtBot):
    stage.type("@fi")
    stage.answer(*FILES)
    stage.type(" ")
    assert not stage.is_open()
    assert stage.sent[-1] == Complete(CHAT)
    stage.type("@fi")
    stage.answer(*FILES)
    stage.press(Key.Key_Home)
    assert not stage.is_open()
    stage.press(Key.Key_End)
    stage.type("l")
    stage.answer(*FILES)
    assert stage.is_open()
    stage.composer.strip.attach.setFocus()
    assert not stage.is_open()


def test_shift_enter_still_begins_a_line_and_arrows_recall_when_nothing_is_offered(stage: Stage):
    stage.type("@fi")
    stage.answer(*FILES)
    stage.press(Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert stage.text.text() == "@fi\n"
    stage.text.begin_with("")
    stage.press(Key.Key_Up)
    assert stage.text.text(), "an earlier question"


def test_a_click_takes_a_row(stage: Stage):
    stage.type("@fi")
    stage.answer(*FILES)
    row = stage.offers.list.visualRect(stage.offers.model.index(2, 0)).center()
    QTest.mouseClick(stage.offers.list.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert stage.text.text() == "@docs/file3.md "
    assert stage.text.hasFocus()


def test_arrows_go_round_and_pages_stop_at_the_ends(stage: Stage):
    stage.type("@fi")
    stage.answer(*FILES)
    stage.press(Key.Key_Up)
    assert stage.offers.chosen() == FILES[-1]
    assert Complete(CHAT, "@fi", "", 3) not in stage.sent, "all of them are counted"
    stage.press(Key.Key_Down)
    assert stage.offers.chosen() == FILES[0]
    stage.press(Key.Key_PageDown)
    assert stage.offers.chosen() == FILES[MOST_ROWS - 1]
    stage.press(Key.Key_PageDown)
    assert stage.offers.chosen() == FILES[-1]


def test_what_comes_into_sight_is_asked_for(stage: Stage):
    stage.type("@fi")
    stage.answer(*FILES[:6], *(replace(one, tokens=None, added_tokens=None) for one in FILES[6:]))
    stage.press(Key.Key_Up)
    asked = [one for one in stage.sent if isinstance(one, Complete)][-1]
    assert asked.first == 3


def test_a_word_in_the_hand_of_an_input_method_asks_for_nothing(stage: Stage):
    stage.type("@")
    before = len(stage.asked)
    stage.text.inputMethodEvent(QInputMethodEvent("に", []))
    assert len([one for one in stage.asked if one]) == before
    done = QInputMethodEvent()
    done.setCommitString("日")
    stage.text.inputMethodEvent(done)
    assert stage.asked[-1] == "@日"


def test_undo_takes_letters_back_and_the_list_follows(stage: Stage):
    stage.type("@fi")
    stage.answer(*FILES)
    QTest.keySequence(stage.text, QKeySequence(QKeySequence.StandardKey.Undo))
    assert stage.text.text() == ""
    assert not stage.is_open()


def test_figures_that_arrive_keep_the_choice(stage: Stage):
    stage.type("@fi")
    stage.answer(*(replace(one, tokens=None, added_tokens=None) for one in FILES))
    assert stage.offers.model.words_of(stage.offers.model.items[0]).tokens == "…"
    stage.press(Key.Key_Down)
    stage.answer(*FILES)
    assert stage.offers.chosen() == FILES[1]
    assert stage.offers.model.words_of(stage.offers.model.items[1]).tokens == "200"


def test_what_is_written_before_there_is_a_chat_is_asked_once_there_is_one(qtbot: QtBot):
    stage = Stage(qtbot)
    stage.composer.show_state(STATE, None)
    stage.text.setFocus()
    stage.type("@")
    assert stage.asked[-1:] != ["@"]
    stage.composer.show_state(STATE, EMPTY)
    assert stage.asked[-1] == "@"


def test_a_low_window_shows_fewer_rows(qtbot: QtBot):
    stage = Stage(qtbot, height=380, width=420)
    stage.type("@fi")
    stage.answer(*FILES)
    assert stage.offers.box().height() < HEAD + FOOT + 2 + MOST_ROWS * ROW
    assert stage.offers.y() + stage.offers.box().top() >= 0 or stage.offers.list.height() >= 2 * ROW


def test_it_says_what_is_chosen_and_what_it_is(stage: Stage):
    stage.type("@fi")
    stage.answer(READ, SPACED, *FILES)
    assert stage.offers.list.accessibleName()
    assert "Tab attaches" in stage.offers.list.accessibleDescription()
    assert stage.offers.model.spoken_of(stage.offers.model.items[0]) == "@read, a file"
    assert stage.offers.model.spoken_of(stage.offers.model.items[1]).endswith("≈ 40,000 tokens")


def test_it_is_painted_in_both_looks(stage: Stage, theme: Theme):
    stage.type("@fi")
    stage.answer(READ, SPACED, *FILES)
    image = stage.offers.grab().toImage()
    inside = image.pixelColor(QPoint(stage.offers.width() // 2, stage.offers.height() - 12))
    assert inside.name().upper() == theme.chrome
