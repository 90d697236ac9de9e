"""The head of the inspector."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import cast

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import over_view, sample_view
from tests.fakes.sample_payload import wire_form
from workbench.domain.request import WireForm
from workbench.ui.inspector.head import LONG_TOKENS, Head, digest_words, standing_badge, subtitle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def head(qtbot: QtBot) -> Head:
    made = Head()
    qtbot.addWidget(made)
    made.resize(752, 44)
    made.show_view(sample_view())
    made.show()
    return made


def test_it_says_which_request_it_is(head: Head, qtbot: QtBot):
    assert head.subtitle.text() == "next, turn 9"
    qtbot.waitUntil(lambda: head.digest.text() == "sha256 4f0c92be…")
    assert not head.badge.isVisible()
    assert head.height() == 44


def test_a_blocked_request_is_badged(head: Head):
    head.show_view(over_view())
    assert head.badge.isVisible()
    assert head.badge.word() == "sending blocked"


def test_narrow_the_digest_stands_alone(head: Head, qtbot: QtBot):
    head.resize(588, 44)
    qtbot.waitUntil(lambda: head.digest.text() == "4f0c92be…")


def test_the_digest_is_of_the_bytes_and_unknown_until_they_are_written(head: Head, qtbot: QtBot):
    """That of the segments stood there, and `sha256sum` of the copied payload was another."""
    qtbot.waitUntil(lambda: head.digest.text() == "sha256 4f0c92be…")
    head.show_view(
        replace(sample_view(), digest="other", wire=lambda: replace(wire_form(), digest="77" * 32))
    )
    assert head.digest.text() == "sha256 ········…"
    assert head.copy.isEnabled()
    qtbot.waitUntil(lambda: head.digest.text() == "sha256 77777777…")


def test_the_bytes_of_a_long_request_are_written_beside_the_window(head: Head, qtbot: QtBot):
    """Those of 10,000 turns kept every key of a slow typist waiting for a quarter of a second."""
    written: list[threading.Thread] = []

    def wire(digest: str) -> WireForm:
        written.append(threading.current_thread())
        return replace(wire_form(), digest=digest * 32)

    def appears(digest: str) -> None:
        head.show_view(
            replace(sample_view(), digest=digest, total_tokens=LONG_TOKENS, wire=partial(wire, digest))
        )
        qtbot.waitUntil(lambda: head.digest.text() == f"sha256 {digest * 4}…")

    appears("77")
    appears("88")
    assert threading.main_thread() not in written


def test_the_whole_digest_is_copied(head: Head, qtbot: QtBot):
    cast(QTimer, head.findChild(QTimer)).setInterval(20)
    QTest.mouseClick(head.copy, LEFT)
    assert QGuiApplication.clipboard().text() == wire_form().digest
    assert head.copy.icon_name() == "check"
    qtbot.waitUntil(lambda: head.copy.icon_name() == "copy")


def test_what_can_be_undone_is_named(head: Head, qtbot: QtBot):
    assert not head.undo.isEnabled()
    head.set_undo(True, "Pin src/auth.py", False, "")
    assert head.undo.isEnabled()
    assert head.undo.accessibleName() == "Undo: Pin src/auth.py"
    assert not head.redo.isEnabled()
    with qtbot.waitSignal(head.undo_wished):
        QTest.mouseClick(head.undo, LEFT)
    head.set_undo(False, "", True, "Pin src/auth.py")
    with qtbot.waitSignal(head.redo_wished):
        QTest.mouseClick(head.redo, LEFT)


def test_a_title_in_a_tooltip_is_escaped(head: Head):
    head.set_undo(True, "Pin <b>x</b>", False, "")
    assert "&lt;b&gt;" in head.undo.toolTip()


def test_without_a_request_there_is_nothing_to_copy(head: Head):
    head.show_view(None)
    assert head.subtitle.text() == ""
    assert head.digest.text() == ""
    assert not head.copy.isEnabled()


def test_a_request_whose_bytes_cannot_be_told_has_no_digest_to_copy(head: Head, qtbot: QtBot):
    head.show_view(replace(sample_view(), wire=lambda: None))
    qtbot.waitUntil(lambda: not head.copy.isEnabled())
    assert head.digest.text() == ""


SENT = replace(sample_view(), standing="in_flight", sent_utc="2026-11-12T14:06:00Z")


def test_the_subtitles_of_the_pictures(qapp):
    assert subtitle(sample_view()) == "next, turn 9"
    waiting = "next, turn 9, without answer 8 yet"
    assert subtitle(sample_view(), answering=True) == waiting
    assert subtitle(SENT) == "turn 9, sent 14:06"
    assert subtitle(replace(sample_view(), turn=3), sample=True) == "sample chat, turn 3"
    assert subtitle(replace(SENT, sent_utc="")) == "turn 9, sent"
    assert subtitle(replace(sample_view(), turn=3), edited=True) == "edit of turn 3, as it would be sent"


def test_the_badges_of_the_pictures():
    sent = standing_badge(SENT, matches=True)
    blocked = standing_badge(over_view(), matches=False)
    assert sent is not None
    assert blocked is not None
    assert (sent.tone, sent.word) == ("accent", "in flight, bytes match")
    assert (blocked.tone, blocked.icon, blocked.word) == ("err", "lock", "sending blocked")
    assert "14,486" in blocked.told
    assert standing_badge(sample_view(), matches=False) is None


def test_a_request_that_was_sent_says_that_it_is_old():
    badge = standing_badge(replace(SENT, standing="sent"), matches=True)
    assert badge is not None
    assert (badge.tone, badge.icon, badge.word) == ("neutral", "lock", "read-only")


def test_nothing_is_claimed_about_bytes_that_were_not_compared():
    badge = standing_badge(SENT, matches=False)
    assert badge is not None
    assert badge.word == "in flight"


def test_a_digest_is_shown_by_its_beginning():
    assert digest_words("4f0c92be1234", narrow=False) == "sha256 4f0c92be…"
    assert digest_words("4f0c92be1234", narrow=True) == "4f0c92be…"
    assert digest_words("", narrow=False) == ""
