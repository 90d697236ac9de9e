"""The card of a server's question: what is filled in is sent, a secret isn't by accident, a page opens when pressed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from tests.fakes.sample_state import CHAT, sample_state, waiting_tool
from workbench.domain.mcp_question import McpQuestion, Sampling, read_form, read_page
from workbench.domain.message import ToolCall
from workbench.domain.tool import ToolProgress
from workbench.engine.intents import AnswerToolRequest, StopTurn
from workbench.engine.state import RunningTurn, ToolCard
from workbench.engine.workspace_intents import AnswerServer
from workbench.ui.chat.messages.arriving_view import ArrivingView
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.question_card import QuestionCard
from workbench.ui.widgets.choice import Check, Choice
from workbench.ui.widgets.code_view import CodeView
from workbench.ui.wishes import OpenLink, Wishes

FIELDS = {
    "name": {"type": "string", "title": "Your name"},
    "people": {"type": "integer", "minimum": 1, "maximum": 12, "default": 2},
    "price": {"type": "number"},
    "window": {"type": "boolean"},
    "size": {"type": "string", "enum": ["s", "l"]},
    "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
}
FORM = replace(read_form("shop", "Who?", {"properties": FIELDS, "required": ["name"]}), id="q1")
SECRET = replace(read_form("odd", "Hm.", {"properties": {"apiKey": {"type": "string"}}}), id="q2")
PAGE = replace(read_page("shop", "Pay.", "https://pay.example.com/a?b=c"), id="q3")


class Heard:
    """A card, and what it wants."""

    def __init__(self, qtbot, *questions: McpQuestion) -> None:
        self.wishes = Wishes()
        self.wanted: list[object] = []
        self.run: list[object] = []
        self.wishes.intent.connect(self.wanted.append)
        self.wishes.wish.connect(self.run.append)
        self.card = QuestionCard(self.wishes)
        qtbot.addWidget(self.card)
        self.card.resize(600, 400)
        self.show(*questions)

    def show(self, *questions: McpQuestion) -> None:
        self.card.show_state(replace(sample_state(), questions=questions))


def test_a_form_is_filled_in_checked_and_sent(qtbot):
    heard = Heard(qtbot, FORM)
    card = heard.card
    assert card.form is not None
    assert card.title.text() == "shop asks you"
    card.accept.click()
    assert heard.wanted == []
    assert card.problem.text() == "Your name: it must be filled in."
    fields = card.form.fields
    name, people, tags = fields["name"], fields["people"], fields["tags"]
    assert isinstance(name, QLineEdit)
    assert isinstance(people, QLineEdit)
    name.setText("Ada")
    people.setText("many")
    card.accept.click()
    assert card.problem.text() == "people: it must be a whole number."
    people.setText("3")
    boxes = [one for one in tags.children() if isinstance(one, Check)]
    boxes[1].setChecked(True)
    window = fields["window"]
    assert isinstance(window, Check)
    window.setChecked(True)
    assert isinstance(fields["size"], Choice)
    fields["size"].choose("l")
    qtbot.keyClick(name, Qt.Key.Key_Return)
    values = {"name": "Ada", "people": 3, "window": True, "size": "l", "tags": ["b"]}
    assert heard.wanted == [AnswerServer("q1", "accept", values)]


def test_what_was_typed_stays_while_the_same_question_waits(qtbot):
    heard = Heard(qtbot, FORM)
    assert heard.card.form is not None
    name = heard.card.form.fields["name"]
    assert isinstance(name, QLineEdit)
    name.setText("Ad")
    heard.show(FORM, PAGE)
    assert heard.card.form.fields["name"] is name
    assert heard.card.more.text() == "1 more waits"
    heard.show(PAGE)
    assert heard.card.title.text() == "shop asks you"
    assert heard.card.address.isVisibleTo(heard.card)
    heard.show()
    assert heard.card.isHidden()


def test_a_secret_is_not_seen_and_not_sent_by_enter(qtbot):
    heard = Heard(qtbot, SECRET)
    card = heard.card
    assert card.form is not None
    assert "password or a key" in card.warning.text()
    key = card.form.fields["apiKey"]
    assert isinstance(key, QLineEdit)
    assert key.echoMode() is QLineEdit.EchoMode.Password
    key.setText("hunter2")
    qtbot.keyClick(key, Qt.Key.Key_Return)
    assert heard.wanted == []
    card.accept.click()
    assert heard.wanted == [AnswerServer("q2", "accept", {"apiKey": "hunter2"})]
    assert "hunter2" not in repr(heard.wanted)


def test_a_page_opens_only_when_pressed_and_its_whole_address_is_seen(qtbot):
    heard = Heard(qtbot, PAGE)
    card = heard.card
    assert (heard.run, card.accept.isHidden()) == ([], True)
    assert "pay.example.com" in card.warning.text()
    card.open.click()
    assert heard.run == [OpenLink(PAGE.url)]
    assert heard.wanted == []
    card.accept.click()
    assert heard.wanted == [AnswerServer("q3", "accept", {})]


def test_what_a_model_would_get_is_shown_whole_and_sent_or_refused(qtbot):
    wanted = Sampling((("user", "Rhyme."),), "", 100, "[user]\nRhyme on moon.", "openai:m", 1200, 0.0123)
    asked = McpQuestion("poet", "", id="q4", sampling=wanted)
    heard = Heard(qtbot, asked)
    card = heard.card
    assert card.title.text() == "poet asks your model"
    assert card.message.text() == (
        "openai:m gets this text: 1,200 tokens, and at most 100 for its answer. It costs at most $0.0123."
    )
    assert wanted.text in [one.toPlainText() for one in card.address.children() if isinstance(one, CodeView)]
    assert (card.accept.text(), card.decline.text(), card.cancel.isHidden()) == ("Send", "Refuse", True)
    qtbot.keyClick(card, Qt.Key.Key_Escape)
    card.accept.click()
    assert heard.wanted == [AnswerServer("q4", "cancel", {}), AnswerServer("q4", "accept", {})]
    heard.show(replace(asked, id="q5", sampling=replace(wanted, usd=None)))
    assert card.message.text().endswith("No price is known.")
    heard.show(replace(asked, id="q6", sampling=replace(wanted, usd=0.0)))
    assert card.message.text().endswith("It costs nothing.")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_it_is_declined_or_cancelled(qtbot, action: str):
    heard = Heard(qtbot, PAGE)
    if action == "decline":
        heard.card.decline.click()
    else:
        qtbot.keyClick(heard.card, Qt.Key.Key_Escape)
    assert heard.wanted == [AnswerServer("q3", action, {})]  # type: ignore[arg-type]


def test_it_never_takes_the_focus_by_itself_and_a_command_gives_it(qtbot, qapp):
    """A form that took the focus was accepted by the Enter of somebody who was typing a message."""
    pane = ChatPane()
    qtbot.addWidget(pane)
    pane.resize(700, 800)
    pane.show()
    state = sample_state()
    chat = state.open[CHAT]
    pane.show_state(state, chat)
    pane.composer.text.setFocus()
    pane.show_state(replace(state, questions=(FORM,)), chat)
    assert pane.focusWidget() is pane.composer.text
    pane.focus_request()
    assert pane.question.form is not None
    assert pane.focusWidget() is pane.question.form.fields["name"]


@pytest.mark.parametrize("progress", [None, ToolProgress()], ids=["waits", "runs"])
def test_stop_stops_while_a_tool_waits_or_asks(qtbot, progress: ToolProgress | None):
    """The button that says Stop allowed the tool that waited, and did nothing while an allowed one asked."""
    pane = ChatPane()
    qtbot.addWidget(pane)
    state = sample_state()
    waiting = waiting_tool(state.open[CHAT])
    assert waiting.running is not None
    tools = tuple(replace(one, progress=progress) for one in waiting.running.tools)
    wanted: list[object] = []
    pane.wishes.intent.connect(wanted.append)
    pane.show_state(state, replace(waiting, draft="", running=replace(waiting.running, tools=tools)))
    pane.composer.text.clear()
    wanted.clear()
    pane.composer.strip.send.click()
    assert [one for one in wanted if isinstance(one, StopTurn | AnswerToolRequest)] == [StopTurn(CHAT)]


def test_a_running_call_says_how_far_it_is_and_asks_no_more(qtbot):
    pane = ChatPane()
    qtbot.addWidget(pane)
    pane.resize(700, 800)
    pane.show()
    state = sample_state()
    waiting = waiting_tool(state.open[CHAT])
    pane.show_state(state, waiting)
    assert pane.transcript.waiting_card() is not None
    assert waiting.running is not None
    (card, *_) = waiting.running.tools
    running = replace(card, progress=ToolProgress("step 2", 0.5))
    pane.show_state(state, replace(waiting, running=replace(waiting.running, tools=(running,))))
    assert pane.transcript.waiting_card() is None
    view = next(one for one in pane.transcript.column.views() if isinstance(one, ArrivingView))
    assert view.foot.words() == f"{card.call.name} is running: step 2"
    fresh = RunningTurn(
        9, "m17", tools=(ToolCard(ToolCall("c", "shop__book", "{}"), progress=ToolProgress()),)
    )
    pane.show_state(state, replace(state.open[CHAT], running=fresh))
    view = next(one for one in pane.transcript.column.views() if isinstance(one, ArrivingView))
    assert view.foot.words() == "shop__book is running"
