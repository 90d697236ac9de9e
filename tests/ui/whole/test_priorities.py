"""Suggested priorities and relevance in the real window, over a real store, up to what a model's server gets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.recording_server import RECORDED_WIRES, RecordingServer
from tests.fakes.window_stage import WindowStage
from tests.ui.whole.test_sections import at_server
from workbench.engine.intents import AttachFiles
from workbench.engine.state import ChatState
from workbench.ui.attachments.pane import row_menu

pytestmark = pytest.mark.usefixtures("no_window_left")

FILLER = "It has many words about nothing in particular. " * 12
LONG = "\n".join(f"# Part {n}\nThis one is about subject{n}. {FILLER}" for n in range(20))
TEXTS = {
    "long.md": LONG.replace("subject7. ", "subject7: the spare key lies under the blue stone. "),
    "river.md": "The river is wide and has many fish.",
    "birds.md": "Birds sing in the morning.",
}
QUESTION = "Where is the spare key?"


@in_qt_loop
async def test_priorities_are_accepted_undone_and_dismissed_and_what_fits_is_what_is_sent(
    qapp, data: Path, tmp_path: Path
):
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = {name: str(tmp_path / name) for name in TEXTS}
    async with RecordingServer(RECORDED_WIRES[0]) as server:
        stage = await at_server(data, server)
        stage.window.resize(1600, 1000)
        try:
            stage.session.send_in_chat(lambda chat: (AttachFiles(chat, tuple(paths.values())),))
            await stage.until_chat(lambda chat: len(chat.attachments) == len(paths))
            stage.window.chat.composer.text.insertPlainText(QUESTION)
            await _accept_and_undo(stage, paths)
            await _send_by_relevance(stage, server, paths)
        finally:
            await stage.close()
    assert stage.crashes == []


def priorities(chat: ChatState) -> list[int]:
    return [one.priority for one in chat.conversation.attached]


def suggested(chat: ChatState) -> dict[str, int]:
    found = () if chat.relevance is None else chat.relevance.suggestions
    return {Path(one.key).name: one.wanted for one in found}


async def _accept_and_undo(stage: WindowStage, paths: dict[str, str]) -> None:
    pane, every = stage.window.left.attachments, {"long.md": 2, "river.md": 7, "birds.md": 7}
    await stage.until_chat(lambda chat: suggested(chat) == every)
    await until(pane.suggested.isVisible)
    assert priorities(stage.open_chat) == [5, 5, 5], "nothing is applied by itself"
    pane.view.setFocus()
    pane.view.setCurrentIndex(pane.view.tree().index_of(paths["long.md"]))
    QTest.keyClick(pane.view, Qt.Key.Key_Return)
    await stage.until_chat(lambda chat: priorities(chat) == [2, 5, 5] and len(suggested(chat)) == 2)
    await until(lambda: pane.suggested.words.text() == "from your question; 2 changes")
    pane.suggested.accept.click()
    await stage.until_chat(lambda chat: priorities(chat) == [2, 7, 7] and not suggested(chat))
    await until(lambda: not pane.suggested.isVisible())
    stage.session.undo.undo()
    await stage.until_chat(lambda chat: priorities(chat) == [2, 5, 5] and len(suggested(chat)) == 2)
    stage.session.undo.undo()
    await stage.until_chat(lambda chat: priorities(chat) == [5, 5, 5] and suggested(chat) == every)
    await until(pane.suggested.isVisible)
    pane.suggested.dismiss.click()
    await stage.until_chat(lambda chat: not suggested(chat) and chat.relevance is not None)
    await until(lambda: not pane.suggested.isVisible())


async def _send_by_relevance(stage: WindowStage, server: RecordingServer, paths: dict[str, str]) -> None:
    pane = stage.window.left.attachments
    (row,) = [row for row in stage.open_chat.attachments if row.key == paths["long.md"]]
    menu = row_menu(pane, (row,), pane._actions)
    next(action for action in menu.actions() if action.data() == "fit").trigger()
    menu.deleteLater()
    await stage.until_chat(lambda chat: any(one.by_relevance for one in chat.attachments))
    stage.session.undo.undo()
    await stage.until_chat(lambda chat: not any(one.by_relevance for one in chat.attachments))
    stage.session.undo.redo()
    await stage.until_chat(
        lambda chat: chat.prepared is not None and len(chat.prepared.built.inputs.found) == 1
    )
    stage.window.chat.composer.send()
    await until(lambda: bool(server.bodies))
    sent = json.dumps(json.loads(server.bodies[-1]), ensure_ascii=False)
    assert "an outline of" in sent
    assert "the spare key lies under the blue stone" in sent
    assert "about subject8. It has" not in sent
    assert TEXTS["river.md"] in sent
    await stage.until_chat(lambda chat: chat.running is None and chat.relevance is None)
