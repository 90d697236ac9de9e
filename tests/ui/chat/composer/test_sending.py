"""A question on its way: when its words may go, and when they must stay."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QMimeData, QUrl

from workbench.domain.answer import Failure
from workbench.domain.message import Message
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Record
from workbench.engine.state import RunningTurn
from workbench.ui.chat.composer.composer import Sending, kept_copy
from workbench.ui.scenes.sample_state import CHAT, sample_state


def test_a_question_is_kept_when_it_is_answered_or_among_the_messages():
    chat = sample_state().open[CHAT]
    sent = Sending.of(chat, "Why?")
    assert not sent.is_kept(chat)
    assert sent.is_kept(replace(chat, running=RunningTurn(9, "m17")))
    asked = Record(CHAT, Message("m17", "user", ("Why?",)), "2026-11-12T14:08:00Z", "m16", 17)
    assert sent.is_kept(replace(chat, records=(*chat.records, asked)))


def test_a_turn_that_ended_without_it_was_refused():
    chat = sample_state().open[CHAT]
    sent = Sending.of(chat, "Why?")
    assert not sent.is_over(chat)
    refused = TurnOutcome("failed", failure=Failure("context", "too long"))
    assert sent.is_over(replace(chat, ended=refused))
    assert not sent.is_kept(replace(chat, ended=refused))


def test_another_chat_says_nothing_about_it():
    chat = sample_state().open[CHAT]
    sent = Sending.of(chat, "Why?")
    other = replace(chat, chat=replace(chat.chat, id="other"), running=RunningTurn(1, "x"))
    assert not sent.is_kept(other)
    assert not sent.is_over(other)


def test_what_was_dropped_outlives_the_drop(qapp):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/tmp/a.txt")])
    copy = kept_copy(mime)
    mime.clear()
    assert copy.urls() == [QUrl.fromLocalFile("/tmp/a.txt")]
