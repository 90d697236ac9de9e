"""The payload page as a whole: one selection, one request, and nothing computed that nobody sees."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from tests.fakes.requests_shown import AUTH, QUESTION, scripted_state, sent_view, view_of
from tests.fakes.sample_payload import wire_form
from workbench.domain.request import PayloadMessage, Piece, WireForm
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.engine.intents import OpenTurn
from workbench.engine.state import ChatState, WorkbenchState
from workbench.providers.wire.body import body_bytes
from workbench.ui.inspector.payload.page import PayloadPage
from workbench.ui.inspector.payload.reader import MOST_HITS, find_all, hit_before, next_hit
from workbench.ui.inspector.payload.view import LineHeights

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
    form = WireForm(lambda: (PayloadMessage("user", (Piece("L5_USER", "q", "é \ud800 x"),)),), body)
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


def test_every_line_has_the_height_of_its_kind(qtbot):
    edit = QPlainTextEdit()
    qtbot.addWidget(edit)
    document = QTextDocument(edit)
    layout = LineHeights(document, lambda number: 30 if number == 0 else 20)
    document.setDocumentLayout(layout)
    edit.setDocument(document)
    edit.setPlainText("head\nshort\n" + "word " * 60)
    edit.resize(300, 400)
    edit.show()
    blocks = [document.findBlockByNumber(number) for number in range(3)]
    assert [layout.blockBoundingRect(block).height() for block in blocks[:2]] == [30, 20]
    lines = blocks[2].layout().lineCount()
    assert lines > 1
    assert layout.blockBoundingRect(blocks[2]).height() == 20 * lines
    middle = [blocks[2].layout().lineAt(number).y() for number in range(lines)]
    assert {round(after - before) for before, after in pairwise(middle)} == {20}


@pytest.mark.parametrize(
    ("text", "words", "hits"),
    [
        ("one two one", "one", [(0, 3), (8, 11)]),
        ("Token, TOKEN, token", "token", [(0, 5), (7, 12), (14, 19)]),
        ("aaaa", "aa", [(0, 2), (2, 4)]),
        ("a.c abc", "a.c", [(0, 3)]),
        ("日本語の日本", "日本", [(0, 2), (4, 6)]),
        ("anything", "", []),
        ("", "x", []),
    ],
)
def test_every_place_is_found_whatever_its_case(text: str, words: str, hits: list[tuple[int, int]]):
    assert find_all(text, words) == hits


def test_a_letter_that_is_longer_in_lower_case_does_not_move_the_places():
    assert find_all("\u0130\u0130 word", "WORD") == [(3, 7)]


def test_there_is_an_end_to_counting():
    assert len(find_all("x" * (MOST_HITS + 5), "x")) == MOST_HITS
    assert len(find_all("\u0130" + "x" * (MOST_HITS + 5), "x")) == MOST_HITS


def test_going_on_and_back_goes_round():
    hits = [(0, 3), (8, 11), (20, 23)]
    assert [next_hit(hits, place) for place in (0, 1, 9, 21)] == [0, 1, 2, 0]
    assert [hit_before(hits, place) for place in (20, 8, 0)] == [1, 0, 2]
