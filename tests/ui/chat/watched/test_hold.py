"""Held requests in the window: how long they wait, and what is done with them."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.watched import watched_state
from workbench.domain.shown.sessions_view import HeldView, WatchView
from workbench.engine.intents import CheckFacts
from workbench.engine.program_intents import AnswerHeld, HoldRequests
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.watched.hold import EditSheet

HELD = HeldView(4, "Claude Code", "2026-11-18T14:10:00Z", 600.0, '{"model":"m","messages":[]}')
ON = WatchView("http://127.0.0.1:4040", (("ANTHROPIC_BASE_URL", "x"),), holding=True, held=(HELD,))


def shown(qtbot: QtBot, watch: WatchView) -> tuple[ChatPane, list[object]]:
    state, chat = watched_state()
    pane, sent = ChatPane(), list[object]()
    qtbot.addWidget(pane)
    pane.wishes.intent.connect(lambda one: None if isinstance(one, CheckFacts) else sent.append(one))
    pane.resize(600, 900)
    pane.show_state(replace(state, watch=watch), chat, "2026-11-18T14:10:12Z")
    pane.show()
    return pane, sent


def test_the_bar_says_how_long_it_waits_and_when_its_program_gives_up(qtbot: QtBot, qapp, appearance):
    pane, sent = shown(qtbot, ON)
    assert pane.hold_bar.isVisible()
    assert not pane.watch_bar.isVisible()
    assert pane.hold_bar.state.text() == "1 request held for 0:12"
    assert pane.hold_bar.line.text() == "Claude Code gives up in 9:48."
    pane.hold_bar.send.click()
    pane.hold_bar.refuse.click()
    assert sent == [AnswerHeld(4, True), AnswerHeld(4, False)]
    pane.watched_head.hold.click()
    assert sent[-1] == HoldRequests(False)


def test_without_a_known_time_or_after_it_that_is_said(qtbot: QtBot, qapp, appearance):
    pane, _ = shown(qtbot, replace(ON, held=(replace(HELD, gives_up_s=None), replace(HELD, n=5))))
    assert pane.hold_bar.state.text() == "2 requests held, the first for 0:12"
    assert pane.hold_bar.line.text() == "Claude Code doesn’t say when it gives up."
    pane.hold_bar.show_watch(replace(ON, held=(replace(HELD, n=6, gives_up_s=3.0),)), "2026-11-18T14:10:12Z")
    assert pane.hold_bar.line.text() == "Claude Code may have given up."


def test_nothing_held_shows_the_usual_bar_and_no_watch_no_switch(qtbot: QtBot, qapp, appearance):
    pane, _ = shown(qtbot, replace(ON, held=(), holding=False))
    assert pane.watch_bar.isVisible()
    assert pane.watched_head.hold.isVisible()
    pane, _ = shown(qtbot, WatchView())
    assert not pane.watched_head.hold.isVisible()


def test_an_edit_is_sent_as_the_request_it_was_made_from(qtbot: QtBot, qapp, appearance):
    """Its program gave up meanwhile, and the text was sent in the place of the next request."""
    pane, sent = shown(qtbot, ON)
    pane.hold_bar.edit.click()
    sheets: list[EditSheet] = list(pane.window().findChildren(EditSheet))
    (sheet,) = sheets
    pane.hold_bar.show_watch(replace(ON, held=(replace(HELD, n=5),)), "2026-11-18T14:10:20Z")
    sheet.text.setPlainText('{"model": "n"}')
    sheet.send.click()
    assert sent == [AnswerHeld(4, True, '{"model": "n"}')]


def test_an_edit_is_json_and_an_unedited_body_stays_byte_for_byte(qtbot: QtBot, qapp, appearance):
    sheet = EditSheet(HELD)
    qtbot.addWidget(sheet)
    assert sheet.body_text() == HELD.body
    sheet.text.setPlainText('{"model": "m",\n  "tools" []}')
    assert not sheet.send.isEnabled()
    assert sheet.problem.text() == "line 2 column 11: not valid JSON: Expecting ':' delimiter"
    sheet.text.setPlainText("[]")
    assert sheet.problem.text() == "The body must be a JSON object."
    sheet.text.setPlainText('{"model": "n"}')
    assert sheet.send.isEnabled()
    assert sheet.body_text() == '{"model": "n"}'
