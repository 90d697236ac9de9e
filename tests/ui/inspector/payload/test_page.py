"""The payload page as a whole: one selection, one request, and nothing computed that nobody sees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import AUTH, QUESTION, scripted_state, sent_view, view_of
from tests.fakes.sample_payload import wire_form
from workbench.domain.request import PayloadMessage, Piece, WireForm
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.engine.intents import OpenTurn
from workbench.engine.state import ChatState, WorkbenchState
from workbench.providers.wire.body import body_bytes
from workbench.ui.inspector.payload.page import PayloadPage

DIGEST = "4f0c92be" + "1" * 56


@pytest.fixture
def page(qtbot) -> PayloadPage:
    made = PayloadPage()
    qtbot.addWidget(made)
    made.resize(752, 700)
    return made


def watched(view: EnvelopeView, looked: list[int]) -> EnvelopeView:
    def wire() -> WireForm:
        looked.append(view.turn)
        return wire_form()

    return replace(view, wire=wire)


def test_nothing_is_computed_while_the_page_is_hidden(page: PayloadPage):
    state, chat = scripted_state()
    looked: list[int] = []
    assert chat.view is not None
    chat = replace(chat, view=watched(chat.view, looked))
    page.show_state(state, chat)
    page.show_state(state, replace(chat, draft="more"))
    assert looked == []
    page.show()
    assert looked == [9]


def test_the_same_state_twice_is_looked_at_once(page: PayloadPage):
    state, chat = scripted_state()
    looked: list[int] = []
    assert chat.view is not None
    chat = replace(chat, view=watched(chat.view, looked))
    page.show()
    page.show_state(state, chat)
    page.show_state(state, chat)
    page.show_state(state, replace(chat, draft="typed"))
    assert looked == [9]


def test_while_someone_types_the_text_follows_a_moment_later(page: PayloadPage, qtbot):
    """Laying a large request out for every letter would make typing sticky."""
    state, chat = scripted_state()
    looked: list[int] = []
    assert chat.view is not None
    page.show()
    page.show_state(state, replace(chat, view=watched(chat.view, looked)))
    for _ in range(5):
        page.show_state(state, replace(chat, view=watched(chat.view, looked)))
    assert len(looked) == 1
    qtbot.waitUntil(lambda: len(looked) == 2)


def test_one_selection_for_outline_text_and_line(page: PayloadPage, qtbot):
    state, chat = scripted_state()
    page.show()
    page.show_state(state, chat)
    page.select(AUTH)
    assert page.reader.text.selected_key() == AUTH
    assert page.selection.isVisible()
    assert page.selection.steps.words() == "9 of 10"
    qtbot.waitUntil(lambda: page.selection._bytes.text().startswith("bytes 1,816–2,248 of 2,419"))
    told: list[RowKey] = []
    page.selected.connect(told.append)
    page.reader.picked.emit(QUESTION)
    assert told == [QUESTION]
    assert page.selection.steps.words() == "10 of 10"
    page.select(None)
    assert not page.selection.isVisible()


def test_the_steps_go_along_what_is_sent(page: PayloadPage):
    state, chat = scripted_state()
    page.show()
    page.show_state(state, chat)
    told: list[RowKey] = []
    page.selected.connect(told.append)
    page.select(AUTH)
    page.selection.steps.stepped.emit(1)
    page.selection.steps.stepped.emit(1)
    page.selection.steps.stepped.emit(-1)
    assert told == [QUESTION, QUESTION, AUTH]


def test_the_way_to_the_layers_keeps_the_selection(page: PayloadPage):
    state, chat = scripted_state()
    page.show()
    page.show_state(state, chat)
    page.select(AUTH)
    told: list[object] = []
    page.selected.connect(told.append)
    page.wishes.wish.connect(told.append)
    page.selection.layers_wanted.emit()
    assert told == [AUTH, "layers"]


def test_a_turn_is_opened_by_choosing_it_and_shown_when_it_is_there(page: PayloadPage):
    state, chat = scripted_state()
    page.show()
    page.show_state(state, chat)
    intents: list[object] = []
    page.wishes.intent.connect(intents.append)
    page.tools.request.choose("7")
    page.tools.request.activated.emit(page.tools.request.currentIndex())
    assert intents == [OpenTurn(chat.chat.id, 7)]
    looked: list[int] = []
    page.show_state(state, replace(chat, opened=watched(sent_view(7), looked)))
    assert looked == [7]
    assert page.tools.request.chosen() == "7"
    page.tools.request.choose("next")
    page.tools.request.activated.emit(0)
    assert intents[-1] == OpenTurn(chat.chat.id, None)


def test_the_request_in_flight_is_shown_until_something_is_written(page: PayloadPage):
    state, chat = scripted_state()
    page.show()
    assert chat.view is not None
    flying = replace(chat.view, standing="in_flight")
    page.show_state(state, replace(chat, in_flight=flying, draft=""))
    assert page.tools.request.chosen() == "in_flight"
    assert page.tools.request.currentText() == "In flight, turn 9"
    page.show_state(state, replace(chat, in_flight=flying, draft="next"))
    assert page.tools.request.chosen() == "next"


def test_copy_takes_every_byte_and_no_secret(page: PayloadPage, qapp):
    state, chat = scripted_state()
    long = "".join(f"line {n}\n" for n in range(500))
    page.show()
    page.show_state(state, replace(chat, view=view_of(long)))
    page.tools.copy_wanted.emit()
    assert QGuiApplication.clipboard().text() == long
    page.show_state(state, chat)
    page.tools.forms.set_current("curl")
    page.tools.forms.chosen.emit("curl")
    page.tools.copy_wanted.emit()
    assert "-H 'Authorization: Bearer •••'" in QGuiApplication.clipboard().text()
    page.tools.forms.set_current("json")
    page.copy_curl()
    assert QGuiApplication.clipboard().text().startswith("curl '")


def test_json_is_copied_as_it_is_sent(page: PayloadPage, qapp):
    """It was copied with the line ends and spaces of the view, which are no part of the body."""
    body = {"model": "m", "messages": [{"role": "user", "content": "é \ud800 x"}], "n": 1.5, "stop": []}
    form = WireForm((PayloadMessage("user", (Piece("L5_USER", "q", "é \ud800 x"),)),), body)
    state, chat = scripted_state()
    assert chat.view is not None
    page.show()
    page.show_state(state, replace(chat, view=replace(chat.view, wire=lambda: form)))
    page.tools.forms.set_current("json")
    page.tools.forms.chosen.emit("json")
    page.tools.copy_wanted.emit()
    assert QGuiApplication.clipboard().text().encode() == body_bytes(body)
    assert "\n  " in page.reader.whole_text(), "what is shown is easier to read"


def test_ctrl_g_looks_for_something_and_once_more_goes_on(page: PayloadPage, qtbot):
    state, chat = scripted_state()
    page.show()
    page.activateWindow()
    page.show_state(state, chat)
    page.reader.text.setFocus()
    qtbot.waitUntil(page.reader.text.hasFocus)
    QTest.keyClick(page.reader.text, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert page.tools.field.hasFocus()
    QTest.keyClicks(page.tools.field, "token")
    assert page.tools.hits.text().startswith("1 of ")
    QTest.keyClick(page.tools.field, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert page.tools.hits.text().startswith("2 of ")


def test_the_foot_compares_what_was_shown_with_what_was_sent(page: PayloadPage, qtbot):
    state, chat = scripted_state()
    last = replace(chat.turns[-1], digest=DIGEST, shown_digest=DIGEST)
    page.show()
    page.show_state(state, replace(chat, turns=(*chat.turns[:-1], last)))
    assert page.foot._badge.word() == "turn 8: bytes shown = bytes sent"
    differs = replace(sent_view(8), wire=lambda: replace(wire_form(), digest="0" * 64))
    page.show_state(state, replace(chat, turns=(*chat.turns[:-1], last), opened=differs))
    assert page.foot._badge.tone() == "err"
    same = replace(sent_view(8), wire=lambda: replace(wire_form(), digest=DIGEST))
    page.show_state(state, replace(chat, turns=(*chat.turns[:-1], last), opened=same))
    qtbot.waitUntil(lambda: page.foot._badge.tone() == "ok")


def test_without_a_chat_it_says_what_to_do(page: PayloadPage):
    page.show()
    page.show_state(WorkbenchState(), None)
    assert page.reader.currentWidget() is page.reader.empty
    assert not page.foot.isVisible()


def test_what_was_unfolded_stays_so_while_typing_and_folds_for_another_request(page: PayloadPage, qtbot):
    state, chat = scripted_state()
    long = "".join(f"line {n}\n" for n in range(50))
    page.show()
    page.show_state(state, with_view(chat, long, "draft"))
    page.reader.text.unfold(4)
    unfolded = page.reader.text.document().blockCount()
    page.show_state(state, with_view(chat, long, "draft!"))
    qtbot.waitUntil(lambda: "draft!" in page.reader.whole_text())
    assert page.reader.text.document().blockCount() == unfolded
    page.show_state(
        state,
        replace(with_view(chat, long, "x"), opened=replace(view_of(long, "x"), turn=3, standing="sent")),
    )
    assert page.reader.text.document().blockCount() < unfolded


def with_view(chat: ChatState, *texts: str) -> ChatState:
    return replace(chat, view=view_of(*texts))


def test_a_page_that_gets_the_focus_hands_it_to_what_can_be_read(page: PayloadPage):
    assert page.focusProxy() is page.reader.text
