"""Facts of answers in the real window over a real store: after another chat and a restart, and brought back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import WindowStage, scripted_folder
from workbench.engine.intents import OpenTurn, SendMessage
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.chat.messages.answer_view import AnswerView

pytestmark = pytest.mark.usefixtures("no_window_left")


def lines(stage: WindowStage) -> list[str]:
    """What the lines under the answers say."""
    views = [one for one in stage.window.chat.transcript.column.views() if isinstance(one, AnswerView)]
    panels = [one.facts for one in views if one.facts is not None and one.facts.isVisible()]
    return [panel.line.accessibleName() for panel in panels]


@in_qt_loop
async def test_the_facts_of_a_chat_are_there_again_after_another_chat_and_a_restart(tmp_path):
    """They were asked for once in a lifetime, and what was found left with the chat."""
    data = scripted_folder(tmp_path, "It listens on port 8443.")
    stage = await WindowStage.open(data)
    first = (await stage.new_chat()).chat.id
    await stage.workbench.dispatch(SendMessage(first, "Is it port 8443?"))
    said = ["1 fact, all in the request or computed"]
    await until(lambda: lines(stage) == said)
    await stage.new_chat()
    await stage.workbench.dispatch(SendMessage(stage.open_chat.chat.id, "And here?"))
    await until(lambda: len(lines(stage)) == 1 and lines(stage) != said)
    stage.session.open_chat(first)
    await until(lambda: stage.session.chat_id == first and bool(stage.open_chat.facts))
    await stage.settle()
    assert lines(stage) == said
    await stage.workbench.dispatch(OpenTurn(first, 1))
    await until(lambda: bool(stage.window.inspector.layers._checked[2].counts))
    await stage.close()

    again = await WindowStage.open(data)
    again.session.open_chat(first)
    await until(lambda: again.session.chat_id == first and bool(again.open_chat.facts))
    await again.settle()
    assert lines(again) == said
    assert again.crashes == []
    await again.close()


@in_qt_loop
async def test_bringing_back_adds_what_it_promised_and_is_said_to_be_done(tmp_path):
    """The guess was the text alone: the request grew by a third more."""
    stage = await WindowStage.open(scripted_folder(tmp_path, "It listens on port 8443."))
    chat = (await stage.new_chat()).chat.id
    await stage.workbench.dispatch(SendMessage(chat, "The port of staging is 8443, as everybody knows."))
    await stage.until_chat(lambda now: len(now.records) == 2 and now.running is None)
    gone = frozenset(record.id for record in stage.open_chat.records)
    await stage.workbench.dispatch(TuneMessages(chat, leave_out=gone))
    await stage.workbench.dispatch(SendMessage(chat, "Where does it listen?"))
    newest = (
        (await stage.until_chat(lambda now: len(now.records) == 4 and now.running is None)).records[-1].id
    )
    await until(lambda: newest in stage.open_chat.facts)
    stage.window.chat.transcript.facts.open(newest)
    view = stage.window.chat.transcript.column.view(newest)
    assert isinstance(view, AnswerView)
    panel = view.facts
    assert panel is not None
    await until(lambda: bool(panel.absent) and panel.absent[0].tokens.text() != "")
    promised = panel.absent[0].tokens.text()
    before = stage.open_chat.view
    QTest.keyClick(panel.card, Qt.Key.Key_B)
    await until(lambda: panel.card.badge.word() == "in the next request")
    after = stage.open_chat.view
    assert before is not None
    assert after is not None
    assert promised == f"≈ +{after.total_tokens - before.total_tokens} tokens"
    assert panel.absent[0].back.isHidden()
    await stage.close()
