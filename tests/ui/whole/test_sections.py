"""Parts of a file in the real window, over a real store: chosen, undone, and exactly those at the model's server."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from tests.fakes.chat_model import FakeModels
from tests.fakes.made_pdf import Bookmark, made_pdf
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.recording_server import RECORDED_WIRES, RecordingServer
from tests.fakes.window_stage import WindowStage, folder_given
from workbench.engine.intents import AttachFiles
from workbench.ui.inspector.sections.sheet import SectionSheet
from workbench.ui.wishes import ShowSections

PAGES = tuple(f"Page {n} says alpha{n} and beta{n}." for n in range(1, 7))
MARKS = (Bookmark("Terms", 1), Bookmark("Refresh", 3, (Bookmark("Clock skew", 3), Bookmark("Errors", 5))))


pytestmark = pytest.mark.usefixtures("no_window_left")


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A PDF with an outline."""
    path = tmp_path / "spec.pdf"
    path.write_bytes(made_pdf(PAGES, MARKS))
    return path


async def choosing(stage: WindowStage, path: Path) -> SectionSheet:
    """The sheet of an attached file, by the window's own command."""
    stage.session.send_in_chat(lambda chat: (AttachFiles(chat, (str(path),)),))
    await stage.until_chat(lambda chat: any(row.key == str(path) for row in chat.attachments))
    stage.window.wishes.run(ShowSections(str(path)))
    await stage.until_chat(lambda chat: chat.parts is not None and bool(chat.parts.rows))
    sheet = stage.window.inspector.sections
    await until(sheet.isVisible)
    return sheet


def go_to(sheet: SectionSheet, anchor: str) -> None:
    parts = sheet.outline.parts.outline.parts
    sheet.outline.go_to([part.anchor for part in parts].index(anchor))


def anchors(stage: WindowStage, path: Path) -> set[str]:
    keys = (one.key for one in stage.open_chat.conversation.attached)
    return {key.removeprefix(str(path)) for key in keys if key.startswith(str(path))}


@in_qt_loop
async def test_chosen_parts_and_no_others_are_in_the_request_and_undo_brings_the_file_back(
    qapp, data: Path, spec: Path
):
    async with RecordingServer(RECORDED_WIRES[0]) as server:
        await _choose_and_send(await at_server(data, server), server, spec)


async def at_server(data: Path, server: RecordingServer) -> WindowStage:
    """A window whose models are all at one server."""
    given = folder_given(data)
    models = FakeModels(server.model())
    stage = await WindowStage.open(
        data, lambda store, report: replace(given.world(store, report), models=models)
    )
    stage.session.start_chat()
    await stage.until_chat(lambda chat: not chat.attachments and chat.view is not None)
    return stage


async def _choose_and_send(stage: WindowStage, server: RecordingServer, spec: Path) -> None:
    try:
        sheet = await choosing(stage, spec)
        assert sheet.head.extent.text().startswith("6 pages")
        go_to(sheet, "Clock-skew")
        QTest.keyClick(sheet.outline, Qt.Key.Key_Return)
        go_to(sheet, "p6")
        QTest.keyClick(sheet.outline, Qt.Key.Key_Space)  # quicker than the engine
        await stage.until_chat(lambda _: anchors(stage, spec) == {"#Clock-skew", "#p6"})
        chat = await stage.until_chat(lambda chat: len(chat.attachments) >= 2 and chat.view is not None)
        # One chip and one group for the file, a row for each part.
        assert str(spec) in {row.key for row in stage.window.chat.composer.chips._rows}
        assert chat.view is not None
        stage.window.chat.composer.text.insertPlainText("Which skew is allowed?")
        chat = await stage.until_chat(lambda chat: chat.draft == "Which skew is allowed?")
        stage.window.inspector.head.copy.click()  # before it is written out of itself
        told = QGuiApplication.clipboard().text()
        stage.window.chat.composer.send()
        await until(lambda: bool(server.bodies))
        assert hashlib.sha256(server.bodies[-1]).hexdigest() == told, "the head's digest is of the bytes"
        sent = json.dumps(json.loads(server.bodies[-1]), ensure_ascii=False)
        for page, words in enumerate(PAGES, 1):
            assert (words in sent) == (page in (3, 4, 6)), page
        assert str(spec.parent) not in sent  # where it lies is nobody's business
        await stage.until_chat(lambda chat: chat.running is None)
        stage.session.undo.undo()
        stage.session.undo.undo()
        await stage.until_chat(lambda _: anchors(stage, spec) == {""})
        QTest.keyClick(sheet.outline, Qt.Key.Key_Escape)
        await until(lambda: not sheet.isVisible())
    finally:
        await stage.close()
    assert stage.crashes == []


@in_qt_loop
async def test_the_sheet_closes_when_the_file_is_detached_elsewhere_and_remove_can_be_undone(
    qapp, data: Path, spec: Path
):
    stage = await WindowStage.open(data)
    try:
        sheet = await choosing(stage, spec)
        sheet.foot.remove.click()
        await until(lambda: not sheet.isVisible())
        assert anchors(stage, spec) == set()
        stage.session.undo.undo()
        await stage.until_chat(lambda _: anchors(stage, spec) == {""})
    finally:
        await stage.close()
    assert stage.crashes == []


@in_qt_loop
async def test_a_dropped_file_that_replaces_its_part_is_undone(qapp, data: Path, spec: Path):
    stage = await WindowStage.open(data)
    try:
        stage.session.send(AttachFiles(stage.session.chat_id, (f"{spec}#p6",)))
        await stage.until_chat(lambda _: anchors(stage, spec) == {"#p6"})
        stage.session.send(AttachFiles(stage.session.chat_id, (str(spec),)))
        await stage.until_chat(lambda _: anchors(stage, spec) == {""})
        stage.session.send(AttachFiles(stage.session.chat_id, (str(spec),)))  # read again: no step
        stage.session.undo.undo()
        await stage.until_chat(lambda _: anchors(stage, spec) == {"#p6"})
        stage.session.undo.undo()
        await stage.until_chat(lambda _: anchors(stage, spec) == set())
    finally:
        await stage.close()
    assert stage.crashes == []
