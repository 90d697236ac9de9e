"""A watched chat in the middle of the window: its requests in order, a head and a bar of its own, nothing to write."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.fakes.watched import CONVERSATION, agent_turns, watched_bench, watched_state
from workbench.domain.record import Chat
from workbench.domain.shown.sessions_view import WatchView
from workbench.domain.watch.exchange import Exchange, program_name
from workbench.domain.watch.request import Watched, WatchedAnswer, WatchedTurn
from workbench.domain.watch.rules import ProgramRules, Rule
from workbench.domain.workspace import EVERYWHERE, Filed, Workspace, with_rules
from workbench.engine.intents import CheckFacts, OpenChat, OpenTurn
from workbench.engine.program_intents import PauseWatching, WatchPrograms
from workbench.engine.state import ChatState, RunningTurn, WorkbenchState
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.failure_card import FailureCard, UnansweredView
from workbench.ui.chat.messages.feed import Answer, Arriving, Failed, Question, RequestMark, Unanswered
from workbench.ui.chat.messages.message_menu import choices_for
from workbench.ui.chat.messages.tool_line import CallLine
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.watched.feed import watched_items
from workbench.ui.chat.watched.head import WatchBar, WatchedHead, WatchLine, variable_of
from workbench.ui.chat.watched.request_line import RequestRule, prefix_words, request_words
from workbench.ui.wishes import ExportChat, GoOnFrom, Wishes

NO_RULES = Workspace(EVERYWHERE, "")
ON = WatchView("http://127.0.0.1:4040", (("OPENAI_BASE_URL", "x/v1"), ("ANTHROPIC_BASE_URL", "x")))


def shown_pane(qtbot: QtBot, state: WorkbenchState, chat: ChatState) -> tuple[ChatPane, list[object]]:
    """A pane that shows this chat, and what is sent from it."""
    pane = ChatPane()
    qtbot.addWidget(pane)
    sent: list[object] = []
    pane.wishes.intent.connect(lambda one: None if isinstance(one, CheckFacts) else sent.append(one))
    pane.resize(600, 900)
    pane.show_state(state, chat)
    pane.show()
    return pane, sent


def test_every_request_stands_above_what_it_brought_and_results_stand_with_their_calls():
    _, chat = watched_state()
    items = watched_items(chat)
    assert [type(item).__name__ for item in items] == [
        "RequestMark", "Question", "Answer", "RequestMark", "Answer", "RequestMark", "Question", "Answer",
    ]  # fmt: skip
    marks = [item for item in items if isinstance(item, RequestMark)]
    assert [mark.shown for mark in marks] == [False, False, True]
    first = next(item for item in items if isinstance(item, Answer))
    (call,) = first.calls
    assert call.result is not None
    assert (call.call.name, first.turn is not None) == ("Read", True)
    assert all(item.fixed for item in items if isinstance(item, Question | Answer))
    offered = {choice.action for item in items if isinstance(item, Question) for choice in choices_for(item)}
    assert offered == {"copy", "copy_markdown", "remember", "save_prompt"}


def test_a_request_is_named_with_its_model_and_tools_and_a_lost_prefix_is_said():
    _, chat = watched_state()
    assert request_words(chat.turns[0]) == "Request 1 · 00:01 · claude-sonnet-4-5 · 3 tools"
    assert [prefix_words(turn) for turn in chat.turns] == ["", "", "prefix lost"]


def test_a_pressed_request_is_shown_in_the_inspector(qtbot: QtBot, qapp, appearance):
    state, chat = watched_state()
    pane, sent = shown_pane(qtbot, state, chat)
    shown = (pane.watched_head, pane.watch_line, pane.watch_bar)
    assert all(part.isVisible() for part in shown)
    assert not pane.composer.isVisible()
    assert not pane.head.isVisible()
    pane.transcript.finish_drawing()
    made: list[RequestRule] = list(pane.transcript.findChildren(RequestRule))
    rules = {rule.words()[0]: rule for rule in made}
    first, last = (request_words(chat.turns[place]) for place in (0, -1))
    assert rules[last].words() == (last, "prefix lost", "861 in")
    rules[first].click()
    assert sent == [OpenTurn(CONVERSATION, 1)]
    pane.show_state(state, None)
    assert pane.composer.isVisible()
    assert not pane.watch_bar.isVisible()


def ended(turn: WatchedTurn, exchange: Exchange, **how: Any) -> ChatState:
    """The chat after one request that ended in some way."""

    async def shown() -> ChatState:
        bench = await watched_bench((turn, replace(exchange, **how)))
        state = bench.workbench.state.open[CONVERSATION]
        await bench.workbench.close()
        return state

    return asyncio.run(shown())


def test_an_answer_that_passes_stands_below_its_request_until_it_is_kept():
    turn, exchange = agent_turns()[0]
    chat = ended(turn, exchange)
    row = replace(chat.turns[0], state="running", reply=None)
    running = RunningTurn(1, row.question, text="I will read")
    begun = replace(chat, records=chat.records[:-1], turns=(row,), running=running)
    assert prefix_words(row) == "answering…"
    *_, last = watched_items(begun)
    assert isinstance(last, Arriving)
    assert last.running.text == "I will read"
    for kept in (replace(begun, records=chat.records), replace(begun, turns=chat.turns)):
        assert not any(isinstance(item, Arriving) for item in watched_items(kept))


def test_what_came_before_a_client_left_or_a_server_died_stays_with_its_mark(qtbot: QtBot, appearance):
    turn, exchange = agent_turns()[1]
    left, died = (ended(turn, exchange, ending=how) for how in ("client_left", "cut"))
    views = []
    for chat in (left, died):
        answer = next(item for item in watched_items(chat) if isinstance(item, Answer) and item.ends)
        view = AnswerView(Ink())
        qtbot.addWidget(view)
        view.show_item(answer)
        views.append(view)
    assert [chat.turns[0].state for chat in (left, died)] == ["stopped", "interrupted"]
    assert views[0].broken is None
    assert views[1].broken is not None
    assert views[1].broken.words.text().startswith("Interrupted. The answer was cut off.")
    assert views[1].broken.resume.isHidden()
    assert views[1].broken.again.isHidden()


def test_a_request_without_an_answer_offers_nothing_to_do(qtbot: QtBot, appearance):
    turn, exchange = agent_turns()[0]
    silent = replace(turn, answer=WatchedAnswer(), status=None)
    failed = replace(turn, answer=WatchedAnswer(error="Overloaded"), status=529)
    unanswered, refused = (watched_items(ended(one, exchange))[-1] for one in (silent, failed))
    assert isinstance(unanswered, Unanswered)
    assert isinstance(refused, Failed)
    view, card = UnansweredView(Ink()), FailureCard(refused)
    for widget in (view, card):
        qtbot.addWidget(widget)
    view.show_item(unanswered)
    assert view.words.text() == "The connection ended before an answer came."
    assert view.answer.isHidden()
    assert card.buttons == {}


def test_a_call_leads_to_the_sub_agent_it_began_and_that_leads_back(qtbot: QtBot, qapp, appearance):
    state, chat = watched_state()
    agent = Chat(
        "agent",
        "",
        "Claude Code · Look",
        filed=Filed(watched=Watched(parent=CONVERSATION, call="toolu_Read")),
    )
    state = replace(state, chats=(*state.chats, agent))
    pane, sent = shown_pane(qtbot, state, chat)
    assert pane.watched_head.parent_link.isHidden()
    lines: list[CallLine] = list(pane.transcript.findChildren(CallLine))
    (link,) = [line.agent for line in lines if not line.agent.isHidden()]
    link.click()
    pane.show_state(state, replace(chat, chat=agent))
    assert not pane.watched_head.parent_link.isHidden()
    pane.watched_head.parent_link.click()
    assert sent == [OpenChat("agent"), OpenChat(CONVERSATION)]


def test_the_head_says_where_it_was_watched_and_the_line_copies_what_its_shell_needs(qtbot: QtBot):
    _, chat = watched_state()
    wishes = Wishes()
    head, line = WatchedHead(wishes), WatchLine(wishes)
    for part in (head, line):
        qtbot.addWidget(part)
    head.show_chat(chat)
    assert head.title.text() == "Claude Code"
    assert head.about.text() == "· watched at 127.0.0.1:4040 · claude-sonnet-4-5"
    line.show_watch(ON, variable_of(chat))
    line.chip.click()
    assert QGuiApplication.clipboard().text() == "ANTHROPIC_BASE_URL=x"
    assert line.on.isChecked()
    with qtbot.waitSignal(wishes.intent) as told:
        line.on.click()
    assert told.args == [WatchPrograms(False)]
    line.show_watch(WatchView(problem="The port is in use."))
    assert line.words.text() == "The port is in use."
    assert not line.chip.isVisibleTo(line)


def test_the_bar_pauses_exports_and_goes_on(qtbot: QtBot):
    _, chat = watched_state()
    wishes = Wishes()
    bar = WatchBar(wishes)
    qtbot.addWidget(bar)
    intents: list[object] = []
    wanted: list[object] = []
    wishes.intent.connect(intents.append)
    wishes.wish.connect(wanted.append)
    bar.resize(600, 52)
    bar.show_watch(ON, chat, NO_RULES)
    assert not bar.pause.isHidden()
    bar.resize(400, 52)
    bar.show_watch(ON, chat, NO_RULES)
    assert bar.pause.isHidden()
    assert (bar.state.text(), bar.line.text()) == ("Watching.", "Nothing is changed.")
    mark = chat.chat.filed.watched
    assert mark is not None
    kept = with_rules(
        Workspace(EVERYWHERE, ""), ProgramRules(program_name(mark.client), (Rule("results.shorten"),))
    )
    bar.show_watch(ON, chat, kept)
    assert bar.line.text() == "Rules change its requests."
    for pressed in (bar.pause, bar.export, bar.go_on):
        pressed.click()
    assert intents == [PauseWatching(True)]
    assert wanted == [ExportChat(CONVERSATION), GoOnFrom(CONVERSATION, 3)]
    bar.show_watch(WatchView("a", paused=True), chat, NO_RULES)
    assert bar.state.text() == "Paused."
    bar.show_watch(WatchView(), chat, NO_RULES)
    assert bar.state.text() == "Watched earlier."
