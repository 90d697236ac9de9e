"""What was cut comes back in the real window over a real store: shown, explained, refused, undone, sent as shown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.recording_server import RECORDED_WIRES, RecordingServer
from tests.fakes.window_stage import WindowStage
from tests.ui.whole.test_sections import at_server
from tests.ui.whole.test_words import picture
from workbench.domain.settings.context_settings import HistorySettings
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import ChangeSettings, SendMessage
from workbench.ui.chat.messages.question_view import QuestionView

pytestmark = pytest.mark.usefixtures("no_window_left")
FACT = "Our spare key lies under the blue stone."
SAID = (FACT, "Which rivers are long?", "And which lakes are deep?")
ASKED = "Where is the spare key?"
CUT = HistorySettings(last_n_messages=2, recall=True)


async def talked(data: Path, server: RecordingServer) -> WindowStage:
    """A window with a chat of which only the last turn is sent, and a question about the first."""
    stage = await at_server(data, server)
    chat = stage.session.chat_id
    own = replace(stage.open_chat.chat.settings, history=CUT, layout="layered")
    await stage.workbench.dispatch(ChangeSettings(chat, own))
    for number, words in enumerate(SAID, 1):
        await stage.workbench.dispatch(SendMessage(chat, words))
        await stage.until_chat(lambda now: len(now.records) == 2 * number and now.running is None)  # noqa: B023
    stage.window.chat.composer.text.insertPlainText(ASKED)
    await stage.until_chat(lambda now: quoted(stage) != [])
    return stage


def quoted(stage: WindowStage) -> list[str]:
    view = stage.open_chat.view
    return [] if view is None else [row.key.id for row in view.quotes]


def fact(stage: WindowStage) -> str:
    return stage.open_chat.records[0].id


@in_qt_loop
async def test_a_cut_message_comes_back_is_explained_refused_brought_back_and_sent_as_shown(qapp, data: Path):
    """Were the card about another request than the one that is sent, nobody could trust it."""
    async with RecordingServer(RECORDED_WIRES[0]) as server:
        stage = await talked(data, server)
        try:
            await _look_and_refuse(stage)
            await _send(stage, server)
        finally:
            await stage.close()
        assert stage.crashes == []


async def _look_and_refuse(stage: WindowStage) -> None:
    first, window = fact(stage), stage.window
    layers, chips = window.inspector.layers, window.chat.composer.chips
    assert first in quoted(stage)
    assert chips.recalled.count() == len(quoted(stage))
    chips.recalled.click()
    assert layers.tree.selected_key() == RowKey("L3_TURN", "recalled:")
    view = window.chat.transcript.column.view(first)
    assert isinstance(view, QuestionView)
    assert view.head.words().badge == f"recalled for turn {len(SAID) + 1}"
    layers.tree.select(RowKey("L3_TURN", first))
    QTest.keyClick(layers.tree, Qt.Key.Key_W)
    await until(lambda: layers.why.isVisible() and layers.why.place.text() != "")
    assert layers.why.quote.quote.toPlainText() == FACT
    assert {line.word for line in layers.why.bars.lines()} >= {"spare", "key"}
    picture(stage, "recall-why")
    layers.why.show_it.click()
    await until(lambda: view.is_marked() and window.chat.finder.is_open())
    window.chat.finder.close()
    layers.tree.setFocus()
    QTest.keyClick(layers.tree, Qt.Key.Key_Delete)  # never recall this
    await stage.until_chat(lambda now: first not in quoted(stage))
    assert first in stage.open_chat.conversation.tuning.unrecalled
    stage.working.actions.run("undo")
    await stage.until_chat(lambda now: first in quoted(stage))
    window.chat.transcript.column.asked.emit("recall_always", first)
    await stage.until_chat(lambda now: first in now.conversation.tuning.recalled)
    stage.working.actions.run("undo")
    await stage.until_chat(lambda now: first not in now.conversation.tuning.recalled)


async def _send(stage: WindowStage, server: RecordingServer) -> None:
    shown = stage.open_chat.view
    form = None if shown is None else shown.wire()
    assert shown is not None
    assert form is not None
    before = len(server.bodies)
    stage.window.chat.composer.send()
    await until(lambda: len(server.bodies) > before)
    sent = json.loads(server.bodies[-1])
    assert sent["messages"] == json.loads(json.dumps(form.body["messages"]))
    assert FACT in json.dumps(sent)
    await stage.until_chat(lambda now: now.running is None and len(now.turns) > len(SAID))
