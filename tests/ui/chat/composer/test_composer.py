"""The composer: what is shown of a chat, and what goes out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import over_view, sample_view
from tests.fakes.sample_state import CHAT, sample_state
from tests.fakes.sample_texts import DRAFT, QUESTION_7, QUESTION_8
from tests.fakes.turns import build
from workbench.domain.caching import KeptWarm
from workbench.domain.envelope import Pruned
from workbench.domain.message import Message
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import PriceTag
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.intents import (
    AttachFiles,
    AttachText,
    ChangeSettings,
    DetachArtifacts,
    EditDraft,
    QueueMessage,
    SendMessage,
    SendQueued,
    SteerQueued,
    StopTurn,
    TakeQueued,
)
from workbench.engine.state import ChatState, EditedQuestion, Fix, RunningTurn, Trial
from workbench.engine.tuning_intents import AttachedChange, TuneAttached
from workbench.ui.chat.composer.bands import QueuedLines
from workbench.ui.chat.composer.composer import Composer
from workbench.ui.chat.composer.frame import ComposerNote
from workbench.ui.chat.composer.recollection import MOST_PENDING, DraftEcho
from workbench.ui.chat.pasting import kept_copy
from workbench.ui.look.theme import Theme
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


class Bench:
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

    def show(self, chat: ChatState | None) -> Bench:
        self.composer.show_state(STATE, chat)
        return self

    def type(self, words: str) -> Bench:
        QTest.keyClicks(self.text, words)
        return self

    def press(self, key: Qt.Key) -> Bench:
        QTest.keyClick(self.text, key)
        return self

    def paste(self, mime: QMimeData) -> Bench:
        self.text.insertFromMimeData(mime)
        return self


def text_mime(text: str) -> QMimeData:
    mime = QMimeData()
    mime.setText(text)
    return mime


def test_the_draft_of_the_chat_is_shown(qtbot: QtBot):
    bench = Bench(qtbot, OPEN)
    assert bench.text.text() == DRAFT
    assert bench.intents == []


def test_every_keystroke_is_an_edit_of_the_draft(qtbot: QtBot):
    assert Bench(qtbot).type("hi").intents == [EditDraft(CHAT, "h"), EditDraft(CHAT, "hi")]


def test_late_echoes_do_not_take_back_what_was_typed(qtbot: QtBot):
    """The engine answers every keystroke; its answers come when more has been typed already."""
    bench = Bench(qtbot).type("hello")
    for late in ("h", "he", "hel", "hell"):
        bench.show(replace(EMPTY, draft=late))
        assert bench.text.text() == "hello"
    assert len(bench.intents) == 5


def test_a_draft_changed_elsewhere_is_shown_and_not_echoed(qtbot: QtBot):
    bench = Bench(qtbot).type("hi")
    bench.intents.clear()
    bench.show(replace(EMPTY, draft="a question from an example"))
    assert bench.text.text() == "a question from an example"
    assert bench.intents == []


def test_another_chat_brings_its_own_draft(qtbot: QtBot):
    bench = Bench(qtbot).type("mine")
    bench.intents.clear()
    other = replace(EMPTY, chat=replace(EMPTY.chat, id="other"), draft="theirs")
    bench.show(other)
    assert (bench.text.text(), bench.intents) == ("theirs", [])


OUT = frozenset({"logs/big.log"})
SENT = SendMessage(CHAT, DRAFT, drafted=True, left_out=OUT, shortened=frozenset())


def knowing(qtbot: QtBot) -> Bench:
    """Somebody who was told that the log stays out."""
    bench = Bench(qtbot, OPEN)
    bench.composer._accepted[CHAT] = OUT
    return bench


def test_what_stays_out_is_said_once_before_it_is_sent(qtbot: QtBot):
    """177 files went to a small window with 119 of them dropped, without a word."""
    bench = Bench(qtbot, OPEN).press(Key.Key_Return)
    assert (bench.intents, bench.text.text()) == ([], DRAFT)
    assert (
        bench.composer.note.words.text()
        == "1 of 4 attachments won’t be sent. Press Enter again to send anyway."
    )
    bench.press(Key.Key_Return)
    assert bench.intents == [SENT]


def test_an_edit_that_is_not_saved_is_said_once_before_the_old_words_are_sent(qtbot: QtBot):
    answer = next(
        one for one in EMPTY.records if isinstance(one.entry, Message) and one.entry.role == "assistant"
    )
    same = EditedQuestion(answer.id, answer.entry.text, None, PriceTag())  # type: ignore[union-attr]
    own = replace(same, text="Other words.")
    bench = Bench(qtbot, replace(EMPTY, draft="Why?", edits={answer.id: own}))
    bench.composer._accepted[CHAT] = OUT
    bench.press(Key.Key_Return)
    assert (bench.intents, bench.text.text()) == ([], "Why?")
    assert bench.composer.note.words.text().startswith("Your edit isn’t saved: the old words are sent.")
    bench.show(replace(EMPTY, draft="Why?"))
    assert not bench.composer.note.isVisible()
    bench.show(replace(EMPTY, draft="Why?", edits={answer.id: own}))
    bench.press(Key.Key_Return)
    assert [type(one) for one in bench.intents] == [SendMessage]
    bench = Bench(qtbot, replace(EMPTY, draft="Why?", edits={answer.id: same}))
    bench.composer._accepted[CHAT] = OUT
    bench.press(Key.Key_Return)
    assert [type(one) for one in bench.intents] == [SendMessage]


def test_an_empty_side_question_says_why_and_a_hint_to_wait_goes_with_the_answer(qtbot: QtBot):
    bench, note = Bench(qtbot, EMPTY), "Write a message first"
    bench.composer.send(side=True)
    assert (bench.composer.note.isVisible(), bench.composer.note.words.text()) == (True, note)
    bench = Bench(qtbot, RUNNING)
    bench.composer.send(side=True)
    assert bench.composer.note.words.text().startswith("An answer is still arriving.")
    bench.show(replace(RUNNING, running=None))
    assert not bench.composer.note.isVisible()


def test_what_stays_out_can_be_sent_chosen_or_given_room(qtbot: QtBot):
    bench = Bench(qtbot, OPEN).press(Key.Key_Return)
    assert offered(bench) == ["Send", "Choose", "Raise the budget"]
    bench.composer.note.buttons[0].click()
    assert bench.intents == [SENT]


def offered(bench: Bench) -> list[str]:
    return [action.text() for action in bench.composer.note.buttons if action.text()]


def with_part(tokens: int, whole: int, *turns: TurnRow, name: str = "docs/api.md") -> ChatState:
    """A chat of whose one file only a part fits; `turns` were sent before."""
    row = AttachmentRow(name, "file", name, tokens, 5, False, "compacted", full_tokens=whole)
    return replace(OPEN, attachments=(row,), turns=turns)


def sent_part(tokens: int, whole: int) -> TurnRow:
    named = (("docs/api.md", tokens, whole),)
    return TurnRow(1, "q", "a", "?", "", "m", "complete", 900, shortened=named)


def test_a_file_that_is_sent_in_part_for_the_first_time_is_said_before(qtbot: QtBot):
    """Of three files 99 % were left out by one Enter, and nothing said so."""
    bench = Bench(qtbot, with_part(609, 19_813))
    bench.composer._accepted[CHAT] = OUT
    bench.press(Key.Key_Return)
    words = "Only 609 of 19,813 tokens of docs/api.md fit. Press Enter again to send."
    assert (bench.intents, bench.composer.note.words.text()) == ([], words)
    assert offered(bench) == ["Send as it is", "Use all the room", "Choose sections…", "Another model…"]
    bench.press(Key.Key_Return)
    assert bench.intents == [replace(SENT, shortened=frozenset({"docs/api.md"}))]


@pytest.mark.parametrize(("before", "asks"), [(700, False), (1_218, True)])
def test_it_is_said_once_for_a_file_and_again_when_its_share_halves(qtbot: QtBot, before: int, asks: bool):
    bench = Bench(qtbot, with_part(609, 19_813, sent_part(before, 19_813)))
    bench.composer._accepted[CHAT] = OUT
    bench.press(Key.Key_Return)
    assert (bench.intents == []) == asks


def test_a_length_that_somebody_chose_is_no_question(qtbot: QtBot):
    chat = with_part(609, 19_813)
    chosen = replace(chat, attachments=(replace(chat.attachments[0], most_tokens=700),))
    bench = Bench(qtbot, chosen)
    bench.composer._accepted[CHAT] = OUT
    assert len(bench.press(Key.Key_Return).intents) == 1


def test_all_the_room_is_a_step_that_can_be_undone(qtbot: QtBot):
    bench = Bench(qtbot, with_part(609, 19_813))
    bench.composer._accepted[CHAT] = OUT
    done: list[object] = []
    bench.composer.wishes.step.connect(done.append)
    bench.press(Key.Key_Return).composer.note.buttons[1].click()
    (step,) = done
    assert isinstance(step, Step)
    assert [one.settings.history.threshold for one in step.do if isinstance(one, ChangeSettings)] == [1.0]
    assert (bench.intents, step.title) == ([], "Use all the room")


def test_what_the_last_request_left_out_is_known(qtbot: QtBot):
    """After a restart too: whoever sent it was told."""
    assert OPEN.conversation.previous is None
    before = build()
    cuts = replace(before.envelope.cuts, pruned=(Pruned("logs/big.log", 9, 10, "over the window"),))
    sent = replace(before, envelope=replace(before.envelope, cuts=cuts))
    known = replace(OPEN, conversation=replace(OPEN.conversation, previous=sent))
    assert known.left_out_before == OUT
    assert Bench(qtbot, known).press(Key.Key_Return).intents == [SENT]


def test_enter_sends_the_draft_and_the_words_are_the_turns(qtbot: QtBot):
    bench = knowing(qtbot).press(Key.Key_Return)
    assert (bench.intents, bench.text.text()) == ([SENT], "")
    bench.press(Key.Key_Return)
    assert bench.intents == [SENT]
    bench.show(OPEN)  # published before the engine heard of it
    assert bench.text.text() == ""
    bench.show(replace(OPEN, draft="", running=RunningTurn(9, "m17", DRAFT)))
    assert (bench.intents, bench.text.text()) == ([SENT], "")


def test_a_question_that_is_given_back_can_be_sent_again(qtbot: QtBot):
    """The engine gives the words of a refused question back as the draft, and nobody else does."""
    bench = knowing(qtbot).press(Key.Key_Return)
    bench.show(replace(OPEN, draft="", running=RunningTurn(9, "m17", DRAFT)))
    bench.show(OPEN)
    assert bench.text.text() == DRAFT
    bench.press(Key.Key_Return)
    assert bench.intents == [SENT, SENT]


def test_what_is_typed_right_after_enter_is_the_next_message(qtbot: QtBot):
    """Typed before the engine had heard of the question, it was sent back to it as one text with what was sent."""
    bench = knowing(qtbot).press(Key.Key_Return).type("x")
    assert bench.intents == [SENT, EditDraft(CHAT, "x")]
    bench.show(replace(OPEN, draft="x", running=RunningTurn(9, "m17", DRAFT)))
    assert bench.text.text() == "x"


def test_what_was_sent_comes_back_with_the_arrow(qtbot: QtBot):
    bench = Bench(qtbot, OPEN).press(Key.Key_Return)
    bench.show(replace(OPEN, running=RunningTurn(9, "m17")))
    bench.press(Key.Key_Up)
    assert bench.text.text() == DRAFT


def test_the_arrow_recalls_the_questions_of_this_chat(qtbot: QtBot):
    bench = Bench(qtbot)
    assert bench.press(Key.Key_Up).text.text() == QUESTION_8
    assert bench.press(Key.Key_Up).text.text() == QUESTION_7


def test_nothing_is_sent_of_nothing(qtbot: QtBot):
    bench = Bench(qtbot).type("  ").press(Key.Key_Return)
    assert not any(isinstance(intent, SendMessage) for intent in bench.intents)
    assert not bench.composer.strip.send.isEnabled()


def test_before_the_request_is_counted_nothing_is_sent(qtbot: QtBot):
    bench = Bench(qtbot, replace(OPEN, view=None)).press(Key.Key_Return)
    assert bench.intents == []
    assert not bench.composer.note.isHidden()


def test_over_the_limit_sending_is_locked_and_says_why(qtbot: QtBot):
    bench = Bench(qtbot, OVER).press(Key.Key_Return)
    send = bench.composer.strip.send
    assert bench.intents == []
    assert not send.isEnabled()
    assert send.icon_name() == "lock"
    assert "14,486 tokens over the limit" in send.accessibleDescription()
    assert not bench.composer.over.isHidden()
    assert "14,486" in bench.composer.note.words.text()


def test_a_fix_is_applied_as_one_step_that_can_be_taken_back(qtbot: QtBot):
    bench = Bench(qtbot, OVER)
    bench.composer.over.fixes.fix_rows()[0].apply.click()
    assert bench.steps == [Step(CHAT, "Unpin logs/big.log", UNPIN.do, UNPIN.undo)]
    assert bench.show(OPEN).composer.over.isHidden()


def test_the_first_fix_takes_the_focus_from_send(qtbot: QtBot):
    bench = Bench(qtbot, OPEN)
    qtbot.waitUntil(bench.composer.isActiveWindow)
    bench.composer.strip.send.setFocus()
    bench.show(OVER)
    assert bench.composer.over.fixes.fix_rows()[0].apply.hasFocus()


def test_writing_is_not_interrupted_by_the_fixes(qtbot: QtBot):
    bench = Bench(qtbot, OPEN)
    qtbot.waitUntil(bench.composer.isActiveWindow)
    bench.text.setFocus()
    bench.show(OVER)
    assert bench.text.hasFocus()


def test_while_an_answer_arrives_the_button_and_escape_stop_it(qtbot: QtBot):
    bench = Bench(qtbot, RUNNING)
    bench.composer.escaped.connect(bench.composer.stop)  # as the chat pane does where no tool waits
    bench.press(Key.Key_Escape)
    bench.composer.strip.send.click()
    assert bench.intents == [StopTurn(CHAT), StopTurn(CHAT)]
    assert bench.composer.strip.send.text() == "Stop"


def test_escape_without_an_answer_is_nothing(qtbot: QtBot):
    assert Bench(qtbot).press(Key.Key_Escape).intents == []


def test_the_next_message_is_queued_while_an_answer_arrives_and_can_be_taken_back(qtbot: QtBot):
    bench = Bench(qtbot, RUNNING).type("next").press(Key.Key_Return)
    assert bench.intents[-1:] == [QueueMessage(CHAT, "next")]
    assert bench.text.text() == ""
    bench.press(Key.Key_Return)
    assert bench.intents[-1:] == [QueueMessage(CHAT, "next")]
    bench.show(replace(RUNNING, queued=("next", "and then"), queued_keys=(4, 7)))
    queued = bench.composer.queued
    assert isinstance(queued, QueuedLines)
    assert [line.words.text() for line in queued.lines] == ["next", "and then"]
    assert RUNNING.running is not None
    first = RUNNING.running.number + 1
    assert [line.turn.text() for line in queued.lines] == [f"Turn {first}", f"Turn {first + 1}"]
    assert (
        queued.lines[0].accessibleDescription() == f"Sent as turn {first} when turn {first - 1} is answered."
    )
    assert not queued.send.isVisibleTo(queued)
    queued.lines[0].edit.click()
    queued.lines[1].remove.click()
    assert bench.intents[-2:] == [TakeQueued(CHAT, 4, back=True), TakeQueued(CHAT, 7)]
    bench.show(replace(RUNNING, running=None, queued=("and then",), queued_keys=(7,), held=True))
    assert queued.send.isVisibleTo(queued)
    queued.send.click()
    assert bench.intents[-1:] == [SendQueued(CHAT)]
    bench.show(replace(RUNNING, queued=()))
    assert queued.isHidden()


def test_what_is_queued_can_be_steered_by_button_and_key(qtbot: QtBot):
    bench = Bench(qtbot, RUNNING).type("now")
    bench.composer.steer("step")
    assert bench.intents[-1:] == [QueueMessage(CHAT, "now", way="step")]
    bench.show(replace(RUNNING, queued=("first", "now"), queued_keys=(4, 7), queued_steps=(7,)))
    queued = bench.composer.queued
    assert queued.way.current() == "step"
    assert queued.lines[1].turn.text() == "This turn"
    queued.way.chosen.emit("answer")
    bench.composer.steer("instead")
    assert bench.intents[-2:] == [SteerQueued(CHAT, 7, "answer"), SteerQueued(CHAT, 7, "instead")]
    bench.show(replace(RUNNING, running=None))
    bench.composer.steer("step")
    assert bench.intents[-1:] == [SteerQueued(CHAT, 7, "instead")]


def test_a_chat_that_is_kept_warm_says_so_except_while_it_answers(qtbot: QtBot):
    kept = KeptWarm(9_000, 0.01, 0.1, 6, "2999-01-01T00:00:00+00:00", "2999-01-01T00:00:00+00:00", on=True)
    bench = Bench(qtbot, replace(RUNNING, running=None, warm=kept))
    wished: list[object] = []
    bench.composer.wishes.wish.connect(wished.append)
    assert not bench.composer.cold.isHidden()
    bench.composer.cold.act.click()
    assert wished == ["keep-warm"]
    bench.show(replace(RUNNING, warm=kept))
    assert bench.composer.cold.isHidden()


def test_the_strip_shows_the_request_in_flight_until_something_is_written(qtbot: QtBot):
    bench = Bench(qtbot, RUNNING)
    cost = bench.composer.strip._places["cost"]
    in_flight = cost.figure()
    bench.type("n").show(replace(RUNNING, draft="n"))
    next_one = cost.figure()
    assert in_flight is not None
    assert next_one is not None
    assert (in_flight.value, next_one.value) == ("≈ $1.50", "≈ $0.004")


def test_chips_detach_and_pin_as_steps(qtbot: QtBot):
    bench = Bench(qtbot, OPEN)
    bench.composer.chips.removed.emit("src/auth.py")
    bench.composer.chips.pinned.emit("logs/big.log")
    bench.composer.chips.opened.emit("docs/api.md")
    detach, pin = (step.do[0] for step in bench.steps)
    assert detach == DetachArtifacts(CHAT, ("src/auth.py",))
    assert pin == TuneAttached(CHAT, (AttachedChange("logs/big.log", pinned=True),))
    assert bench.wishes == [ShowAttachment("docs/api.md")]


def test_pasted_files_are_attached_and_words_are_typed(qtbot: QtBot):
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile("/tmp/a.py")])
    bench = Bench(qtbot).paste(files).paste(text_mime("some words"))
    assert bench.intents == [AttachFiles(CHAT, ("/tmp/a.py",)), EditDraft(CHAT, "some words")]


def test_an_address_is_typed_with_a_word_about_it(qtbot: QtBot):
    bench = Bench(qtbot).paste(text_mime("https://example.org"))
    assert bench.text.text() == "https://example.org"
    assert "the address only" in bench.composer.note.words.text()
    assert bench.intents == [] or not any(isinstance(one, AttachFiles) for one in bench.intents)
    bench.composer.note.buttons[0].click()
    assert bench.intents[-1] == AttachFiles(CHAT, ("https://example.org",))


LONG = "line\n" * 60


def test_a_long_text_is_attached_with_a_way_back(qtbot: QtBot):
    bench = Bench(qtbot).paste(text_mime(LONG))
    assert bench.intents == [AttachText(CHAT, LONG, "line")]
    assert bench.text.text() == ""
    pasted = AttachmentRow("clipboard", "clipboard", "line", 60, 0, True, "sent", content=LONG)
    bench.show(replace(EMPTY, attachments=(pasted,)))
    bench.composer.note.buttons[0].click()
    assert bench.intents[1:] == [EditDraft(CHAT, LONG), DetachArtifacts(CHAT, ("clipboard",))]
    assert bench.text.text() == LONG


def test_the_way_back_works_even_before_the_text_is_attached(qtbot: QtBot):
    """The click may be quicker than the engine."""
    bench = Bench(qtbot).paste(text_mime(LONG))
    bench.composer.note.buttons[0].click()
    pasted = AttachmentRow("clipboard", "clipboard", "line", 60, 0, True, "sent", content=LONG)
    bench.show(replace(EMPTY, draft=LONG, attachments=(pasted,)))
    assert bench.intents[-1] == DetachArtifacts(CHAT, ("clipboard",))


def test_the_attach_menu_asks_for_files_and_folders_and_takes_the_clipboard(qtbot: QtBot):
    QGuiApplication.clipboard().setText("copied words")
    bench = Bench(qtbot)
    bench.composer.strip.attach.click()
    made = next(child for child in bench.composer.children() if isinstance(child, QMenu))
    for action in made.actions():
        action.trigger()
    made.close()
    assert bench.wishes == ["attach-files", "attach-folder", "attach-page", "search-web", "prompts"]
    assert bench.intents == [AttachText(CHAT, "copied words", "copied words")]


def test_without_a_chat_writing_asks_for_one_and_keeps_the_words(qtbot: QtBot):
    bench = Bench(qtbot, None).type("first words")
    assert bench.wishes == ["new-chat"]
    new = replace(EMPTY, chat=replace(EMPTY.chat, id="new"), records=(), attachments=())
    bench.show(new)
    assert bench.text.text() == "first words"
    assert bench.intents == [EditDraft("new", "first words")]


@pytest.mark.parametrize(("chat", "token"), [(OVER, "errline"), (OPEN, "accent")])
def test_the_border_says_how_it_stands(qtbot: QtBot, theme: Theme, chat: ChatState, token: str):
    bench = Bench(qtbot, chat)
    qtbot.waitUntil(bench.composer.isActiveWindow)
    bench.text.setFocus()
    image = bench.composer.grab().toImage()
    assert image.pixelColor(image.width() // 2, 1) == QColor(getattr(theme, token))


def test_rendering_the_same_again_changes_nothing(qtbot: QtBot):
    bench = Bench(qtbot, OPEN)
    before = bench.composer.grab().toImage()
    bench.show(OPEN)
    assert bench.composer.grab().toImage() == before
    assert bench.intents == []


def test_tab_goes_through_the_parts_as_they_lie(qtbot: QtBot):
    """Chips and fixes come later than the text; by the order in which they were made, Tab would jump about."""
    bench = Bench(qtbot, OPEN)
    bench.show(OVER)
    qtbot.waitUntil(bench.composer.isActiveWindow)
    bench.composer.over.fixes.fix_rows()[0].apply.setFocus()
    chips = [bench.composer.chips._chips[key] for key in bench.composer.chips.shown_keys()]
    went = []
    for _ in range(len(chips) + 3):
        QTest.keyClick(bench.composer.focusWidget(), Key.Key_Tab)
        went.append(bench.composer.focusWidget())
    assert went == [*chips, bench.text, bench.composer.strip.attach, went[-1]]


def test_parts_have_names(qtbot: QtBot):
    composer = Bench(qtbot, OPEN).composer
    assert composer.text.accessibleName() == "Message"
    assert composer.strip.attach.accessibleName()
    assert composer.focusProxy() is composer.text


def test_a_message_is_sent_once_with_settings_that_were_tried_out(qtbot: QtBot):
    """What may stay out is promised of the request that was shown for them, and not of the chat's own."""
    assert OPEN.view is not None
    once = replace(OPEN.chat.settings, model="other")
    composer = Composer()
    qtbot.addWidget(composer)
    composer.show_state(STATE, replace(OPEN, view=over_view(), trial=Trial(once, OPEN.view)))
    with qtbot.assertNotEmitted(composer.wishes.intent):
        composer.send()
    composer.send(
        once
    )  # some of what is attached stays out: that is said first, and then sent as it was meant
    with qtbot.waitSignal(composer.wishes.intent) as heard:
        composer.note.buttons[0].click()
    (sent,) = heard.args
    assert isinstance(sent, SendMessage)
    assert (sent.once, sent.text) == (once, OPEN.draft)
    with qtbot.waitSignal(composer.wishes.wish) as wished:
        composer.strip.once.click()
    assert wished.args == ["send-once"]


def test_what_was_dropped_outlives_the_drop(qapp):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/tmp/a.txt")])
    copy = kept_copy(mime)
    mime.clear()
    assert copy.urls() == [QUrl.fromLocalFile("/tmp/a.txt")]


def test_it_says_one_thing_and_does_at_most_one(qtbot: QtBot):
    note = ComposerNote()
    qtbot.addWidget(note)
    done: list[str] = []
    note.say("Pasted as attachment", ("Paste as text instead", lambda: done.append("put")))
    assert note.words.text() == "Pasted as attachment"
    note.buttons[0].click()
    assert done == ["put"]
    assert note.isHidden()


def test_what_is_said_next_takes_its_place(qtbot: QtBot):
    note = ComposerNote()
    qtbot.addWidget(note)
    note.say("first", ("do it", lambda: None))
    note.say("second")
    assert note.words.text() == "second"
    assert not note.buttons[0].isVisible()


def test_it_can_be_closed_and_goes_by_itself(qtbot: QtBot):
    note = ComposerNote()
    qtbot.addWidget(note)
    note.say("words")
    note.close_button.click()
    assert note.isHidden()
    note.say("words")
    note._timer.timeout.emit()
    assert note.isHidden()


def typed(echo: DraftEcho, *texts: str) -> None:
    for text in texts:
        echo.sent(text)


def test_a_late_echo_is_not_taken_for_a_change():
    """It would take back what was typed since."""
    echo = DraftEcho()
    typed(echo, "h", "he", "hel")
    assert not echo.is_foreign("h")
    assert not echo.is_foreign("he")
    assert not echo.is_foreign("hel")


def test_the_state_before_the_first_keystroke_is_no_change():
    echo = DraftEcho("draft")
    typed(echo, "draft!")
    assert not echo.is_foreign("draft")


def test_what_nobody_typed_here_is_foreign():
    echo = DraftEcho()
    typed(echo, "h")
    assert echo.is_foreign("an example question")
    assert not echo.is_foreign("an example question")


def test_going_back_to_an_earlier_text_is_still_an_echo():
    echo = DraftEcho()
    typed(echo, "a", "ab", "a")
    assert not any(echo.is_foreign(text) for text in ("a", "ab", "a"))


@given(st.lists(st.sampled_from(["a", "ab", "abc", ""]), max_size=30), st.data())
def test_any_part_of_what_was_typed_comes_back_as_an_echo(texts: list[str], data: st.DataObject):
    """The engine may leave states out, but never changes their order."""
    echo = DraftEcho("x")
    typed(echo, *texts)
    places = data.draw(st.sets(st.integers(0, max(0, len(texts) - 1)))) if texts else set()
    assert not any(echo.is_foreign(texts[place]) for place in sorted(places))


def test_a_long_wait_does_not_fill_the_memory():
    echo = DraftEcho()
    typed(echo, *(str(n) for n in range(MOST_PENDING * 2)))
    assert not echo.is_foreign(str(MOST_PENDING * 2 - 1))


def test_words_that_were_skipped_are_no_echo_later():
    """Typed and taken away in one burst, the engine never showed them; given back later, they are news."""
    echo = DraftEcho("")
    typed(echo, "hi", "")
    assert not echo.is_foreign("")
    typed(echo, "hi")
    assert not echo.is_foreign("hi")
    typed(echo, "")
    assert not echo.is_foreign("")
    assert echo.is_foreign("hi")
