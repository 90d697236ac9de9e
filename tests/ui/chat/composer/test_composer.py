"""The composer: what is shown of a chat, and what goes out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.engine.intents import (
    AttachedChange,
    AttachFiles,
    AttachText,
    DetachArtifacts,
    EditDraft,
    SendMessage,
    StopTurn,
    TuneAttached,
)
from workbench.engine.state import ChatState, Fix, RunningTurn
from workbench.ui.chat.composer.composer import Composer
from workbench.ui.look.theme import Theme
from workbench.ui.scenes.sample_envelope import over_view, sample_view
from workbench.ui.scenes.sample_state import CHAT, sample_state
from workbench.ui.scenes.sample_texts import DRAFT, QUESTION_7, QUESTION_8
from workbench.ui.steps import Step
from workbench.ui.wishes import ShowAttachment

Key = Qt.Key
STATE = sample_state()
OPEN = STATE.open[CHAT]
EMPTY = replace(OPEN, draft="")
UNPIN = Fix(
    "unpin",
    "logs/big.log",
    11_686,
    True,
    18_800,
    priority=10,
    do=(TuneAttached(CHAT, (AttachedChange("logs/big.log", pinned=False),)),),
    undo=(TuneAttached(CHAT, (AttachedChange("logs/big.log", pinned=True),)),),
)
OVER = replace(OPEN, view=over_view(), fixes=(UNPIN,))
RUNNING = replace(
    EMPTY, running=RunningTurn(9, "m17"), in_flight=replace(sample_view(), standing="in_flight", cost_usd=1.5)
)


class Desk:
    """A composer and everything that came out of it."""

    def __init__(self, qtbot: QtBot, chat: ChatState | None = EMPTY) -> None:
        self.composer = Composer()
        qtbot.addWidget(self.composer)
        self.intents: list[object] = []
        self.steps: list[Step] = []
        self.wishes: list[object] = []
        self.composer.wishes.intent.connect(self.intents.append)
        self.composer.wishes.step.connect(self.steps.append)
        self.composer.wishes.wish.connect(self.wishes.append)
        self.show(chat)
        self.composer.resize(566, self.composer.sizeHint().height())
        self.composer.show()
        self.text.setFocus()

    @property
    def text(self):
        return self.composer.text

    def show(self, chat: ChatState | None) -> Desk:
        self.composer.show_state(STATE, chat)
        return self

    def type(self, words: str) -> Desk:
        QTest.keyClicks(self.text, words)
        return self

    def press(self, key: Qt.Key) -> Desk:
        QTest.keyClick(self.text, key)
        return self

    def paste(self, mime: QMimeData) -> Desk:
        self.text.insertFromMimeData(mime)
        return self


def text_mime(text: str) -> QMimeData:
    mime = QMimeData()
    mime.setText(text)
    return mime


def test_the_draft_of_the_chat_is_shown(qtbot: QtBot):
    desk = Desk(qtbot, OPEN)
    assert desk.text.text() == DRAFT
    assert desk.intents == []


def test_every_keystroke_is_an_edit_of_the_draft(qtbot: QtBot):
    assert Desk(qtbot).type("hi").intents == [EditDraft(CHAT, "h"), EditDraft(CHAT, "hi")]


def test_late_echoes_do_not_take_back_what_was_typed(qtbot: QtBot):
    """The engine answers every keystroke; its answers come when more has been typed already."""
    desk = Desk(qtbot).type("hello")
    for late in ("h", "he", "hel", "hell"):
        desk.show(replace(EMPTY, draft=late))
        assert desk.text.text() == "hello"
    assert len(desk.intents) == 5


def test_a_draft_changed_elsewhere_is_shown_and_not_echoed(qtbot: QtBot):
    desk = Desk(qtbot).type("hi")
    desk.intents.clear()
    desk.show(replace(EMPTY, draft="a question from an example"))
    assert desk.text.text() == "a question from an example"
    assert desk.intents == []


def test_another_chat_brings_its_own_draft(qtbot: QtBot):
    desk = Desk(qtbot).type("mine")
    desk.intents.clear()
    other = replace(EMPTY, chat=replace(EMPTY.chat, id="other"), draft="theirs")
    desk.show(other)
    assert (desk.text.text(), desk.intents) == ("theirs", [])


SENT = SendMessage(CHAT, DRAFT, drafted=True)


def test_enter_sends_the_draft_and_the_words_are_the_turns(qtbot: QtBot):
    desk = Desk(qtbot, OPEN).press(Key.Key_Return)
    assert (desk.intents, desk.text.text()) == ([SENT], "")
    desk.press(Key.Key_Return)
    assert desk.intents == [SENT]
    desk.show(OPEN)  # published before the engine heard of it
    assert desk.text.text() == ""
    desk.show(replace(OPEN, draft="", running=RunningTurn(9, "m17", DRAFT)))
    assert (desk.intents, desk.text.text()) == ([SENT], "")


def test_a_question_that_is_given_back_can_be_sent_again(qtbot: QtBot):
    """The engine gives the words of a refused question back as the draft, and nobody else does."""
    desk = Desk(qtbot, OPEN).press(Key.Key_Return)
    desk.show(replace(OPEN, draft="", running=RunningTurn(9, "m17", DRAFT)))
    desk.show(OPEN)
    assert desk.text.text() == DRAFT
    desk.press(Key.Key_Return)
    assert desk.intents == [SENT, SENT]


def test_what_is_typed_right_after_enter_is_the_next_message(qtbot: QtBot):
    """Typed before the engine had heard of the question, it was sent back to it as one text with what was sent."""
    desk = Desk(qtbot, OPEN).press(Key.Key_Return).type("x")
    assert desk.intents == [SENT, EditDraft(CHAT, "x")]
    desk.show(replace(OPEN, draft="x", running=RunningTurn(9, "m17", DRAFT)))
    assert desk.text.text() == "x"


def test_what_was_sent_comes_back_with_the_arrow(qtbot: QtBot):
    desk = Desk(qtbot, OPEN).press(Key.Key_Return)
    desk.show(replace(OPEN, running=RunningTurn(9, "m17")))
    desk.press(Key.Key_Up)
    assert desk.text.text() == DRAFT


def test_the_arrow_recalls_the_questions_of_this_chat(qtbot: QtBot):
    desk = Desk(qtbot)
    assert desk.press(Key.Key_Up).text.text() == QUESTION_8
    assert desk.press(Key.Key_Up).text.text() == QUESTION_7


def test_nothing_is_sent_of_nothing(qtbot: QtBot):
    desk = Desk(qtbot).type("  ").press(Key.Key_Return)
    assert not any(isinstance(intent, SendMessage) for intent in desk.intents)
    assert not desk.composer.strip.send.isEnabled()


def test_before_the_request_is_counted_nothing_is_sent(qtbot: QtBot):
    desk = Desk(qtbot, replace(OPEN, view=None)).press(Key.Key_Return)
    assert desk.intents == []
    assert not desk.composer.note.isHidden()


def test_over_the_limit_sending_is_locked_and_says_why(qtbot: QtBot):
    desk = Desk(qtbot, OVER).press(Key.Key_Return)
    send = desk.composer.strip.send
    assert desk.intents == []
    assert not send.isEnabled()
    assert send.icon_name() == "lock"
    assert "14,486 tokens over the limit" in send.accessibleDescription()
    assert not desk.composer.over.isHidden()
    assert "14,486" in desk.composer.note.words.text()


def test_a_fix_is_applied_as_one_step_that_can_be_taken_back(qtbot: QtBot):
    desk = Desk(qtbot, OVER)
    desk.composer.over.fixes.fix_rows()[0].apply.click()
    assert desk.steps == [Step(CHAT, "Unpin logs/big.log", UNPIN.do, UNPIN.undo)]
    assert desk.show(OPEN).composer.over.isHidden()


def test_the_first_fix_takes_the_focus_from_send(qtbot: QtBot):
    desk = Desk(qtbot, OPEN)
    qtbot.waitUntil(desk.composer.isActiveWindow)
    desk.composer.strip.send.setFocus()
    desk.show(OVER)
    assert desk.composer.over.fixes.fix_rows()[0].apply.hasFocus()


def test_writing_is_not_interrupted_by_the_fixes(qtbot: QtBot):
    desk = Desk(qtbot, OPEN)
    qtbot.waitUntil(desk.composer.isActiveWindow)
    desk.text.setFocus()
    desk.show(OVER)
    assert desk.text.hasFocus()


def test_while_an_answer_arrives_the_button_and_escape_stop_it(qtbot: QtBot):
    desk = Desk(qtbot, RUNNING)
    desk.composer.escaped.connect(desk.composer.stop)  # as the chat pane does where no tool waits
    desk.press(Key.Key_Escape)
    desk.composer.strip.send.click()
    assert desk.intents == [StopTurn(CHAT), StopTurn(CHAT)]
    assert desk.composer.strip.send.text() == "Stop"


def test_escape_without_an_answer_is_nothing(qtbot: QtBot):
    assert Desk(qtbot).press(Key.Key_Escape).intents == []


def test_the_next_message_can_be_written_but_not_sent_while_an_answer_arrives(qtbot: QtBot):
    desk = Desk(qtbot, RUNNING).type("next").press(Key.Key_Return)
    assert desk.intents[-1] == EditDraft(CHAT, "next")
    assert "still arriving" in desk.composer.note.words.text()


def test_the_strip_shows_the_request_in_flight_until_something_is_written(qtbot: QtBot):
    desk = Desk(qtbot, RUNNING)
    cost = desk.composer.strip._places["cost"]
    in_flight = cost.figure()
    desk.type("n").show(replace(RUNNING, draft="n"))
    next_one = cost.figure()
    assert in_flight is not None
    assert next_one is not None
    assert (in_flight.value, next_one.value) == ("≈ $1.50", "≈ $0.004")


def test_chips_detach_and_pin_as_steps(qtbot: QtBot):
    desk = Desk(qtbot, OPEN)
    desk.composer.chips.removed.emit("src/auth.py")
    desk.composer.chips.pinned.emit("logs/big.log")
    desk.composer.chips.opened.emit("docs/api.md")
    detach, pin = (step.do[0] for step in desk.steps)
    assert detach == DetachArtifacts(CHAT, ("src/auth.py",))
    assert pin == TuneAttached(CHAT, (AttachedChange("logs/big.log", pinned=True),))
    assert desk.wishes == [ShowAttachment("docs/api.md")]


def test_pasted_files_are_attached_and_words_are_typed(qtbot: QtBot):
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile("/tmp/a.py")])
    desk = Desk(qtbot).paste(files).paste(text_mime("some words"))
    assert desk.intents == [AttachFiles(CHAT, ("/tmp/a.py",)), EditDraft(CHAT, "some words")]


def test_an_address_is_typed_with_a_word_about_it(qtbot: QtBot):
    desk = Desk(qtbot).paste(text_mime("https://example.org"))
    assert desk.text.text() == "https://example.org"
    assert "not fetched" in desk.composer.note.words.text()


LONG = "line\n" * 60


def test_a_long_text_is_attached_with_a_way_back(qtbot: QtBot):
    desk = Desk(qtbot).paste(text_mime(LONG))
    assert desk.intents == [AttachText(CHAT, LONG, "line")]
    assert desk.text.text() == ""
    pasted = AttachmentRow("clipboard", "clipboard", "line", 60, 0, True, "sent", content=LONG)
    desk.show(replace(EMPTY, attachments=(pasted,)))
    desk.composer.note.action.click()
    assert desk.intents[1:] == [EditDraft(CHAT, LONG), DetachArtifacts(CHAT, ("clipboard",))]
    assert desk.text.text() == LONG


def test_the_way_back_works_even_before_the_text_is_attached(qtbot: QtBot):
    """The click may be quicker than the engine."""
    desk = Desk(qtbot).paste(text_mime(LONG))
    desk.composer.note.action.click()
    pasted = AttachmentRow("clipboard", "clipboard", "line", 60, 0, True, "sent", content=LONG)
    desk.show(replace(EMPTY, draft=LONG, attachments=(pasted,)))
    assert desk.intents[-1] == DetachArtifacts(CHAT, ("clipboard",))


def test_the_attach_menu_asks_for_files_and_folders_and_takes_the_clipboard(qtbot: QtBot):
    QGuiApplication.clipboard().setText("copied words")
    desk = Desk(qtbot)
    desk.composer.strip.attach.click()
    made = next(child for child in desk.composer.children() if isinstance(child, QMenu))
    for action in made.actions():
        action.trigger()
    made.close()
    assert desk.wishes == ["attach-files", "attach-folder"]
    assert desk.intents == [AttachText(CHAT, "copied words", "copied words")]


def test_without_a_chat_writing_asks_for_one_and_keeps_the_words(qtbot: QtBot):
    desk = Desk(qtbot, None).type("first words")
    assert desk.wishes == ["new-chat"]
    new = replace(EMPTY, chat=replace(EMPTY.chat, id="new"), records=(), attachments=())
    desk.show(new)
    assert desk.text.text() == "first words"
    assert desk.intents == [EditDraft("new", "first words")]


@pytest.mark.parametrize(("chat", "token"), [(OVER, "errline"), (OPEN, "accent")])
def test_the_border_says_how_it_stands(qtbot: QtBot, theme: Theme, chat: ChatState, token: str):
    desk = Desk(qtbot, chat)
    qtbot.waitUntil(desk.composer.isActiveWindow)
    desk.text.setFocus()
    image = desk.composer.grab().toImage()
    assert image.pixelColor(image.width() // 2, 1) == QColor(getattr(theme, token))


def test_rendering_the_same_again_changes_nothing(qtbot: QtBot):
    desk = Desk(qtbot, OPEN)
    before = desk.composer.grab().toImage()
    desk.show(OPEN)
    assert desk.composer.grab().toImage() == before
    assert desk.intents == []


def test_it_is_mirrored_where_text_runs_to_the_left(qtbot: QtBot):
    desk = Desk(qtbot, OVER)
    desk.composer.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    desk.composer.grab()


def test_tab_goes_through_the_parts_as_they_lie(qtbot: QtBot):
    """Chips and fixes come later than the text; by the order in which they were made, Tab would jump about."""
    desk = Desk(qtbot, OPEN)
    desk.show(OVER)
    qtbot.waitUntil(desk.composer.isActiveWindow)
    desk.composer.over.fixes.fix_rows()[0].apply.setFocus()
    went = []
    for _ in range(6):
        QTest.keyClick(desk.composer.focusWidget(), Key.Key_Tab)
        went.append(desk.composer.focusWidget())
    chips = desk.composer.chips.in_order()
    assert went == [*chips[:3], desk.text, desk.composer.strip.attach, went[-1]]


def test_parts_have_names(qtbot: QtBot):
    composer = Desk(qtbot, OPEN).composer
    assert composer.text.accessibleName() == "Message"
    assert composer.strip.attach.accessibleName()
    assert composer.focusProxy() is composer.text
