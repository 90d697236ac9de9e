"""Workspaces in the real window: made, filled, worked in, put away and brought back, and there after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import WindowStage, dialog
from workbench.domain.record import Chat
from workbench.domain.workspace import template_of
from workbench.engine.workspace_intents import FileChats
from workbench.ui.dialogs.placing import NewWorkspaceDialog, TagsDialog
from workbench.ui.tools.groups import ToolRow
from workbench.ui.wishes import ShowChat, ShowWorkspace

pytestmark = pytest.mark.usefixtures("no_window_left")


async def make_workspace(stage: WindowStage, name: str, folder: Path) -> str:
    """Through the dialog, by keyboard."""
    stage.working.actions.run("new-workspace")
    asked = await dialog(NewWorkspaceDialog)
    assert isinstance(asked, NewWorkspaceDialog)
    QTest.keyClicks(asked.name, name)
    asked.folder.setText(str(folder))
    QTest.keyClick(asked.folder, Qt.Key.Key_Return)
    await until(lambda: stage.session.chat_id.startswith("workspace:") and stage.window.page.isVisible())
    await stage.settle()
    return stage.session.chat_id.removeprefix("workspace:")


def kept(stage: WindowStage, chat: str) -> Chat:
    return next(one for one in stage.session.state.chats if one.id == chat)


async def remember_something(stage: WindowStage) -> None:
    """A fact is added, removed, and brought back by the toast; a tool is switched."""
    page = stage.window.page
    page.memory.action.click()
    QTest.keyClicks(page.memory.editor.text, "Tokens live 900 s.")
    QTest.keyClick(page.memory.editor.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: len(page.memory.facts()) == 1 and bool(page.memory.facts()[0].value.tokens))
    QTest.keyClick(page.memory.facts()[0], Qt.Key.Key_Delete)
    await until(lambda: page.memory.facts() == [] and stage.window.toast.isVisible())
    stage.window.toast.action.click()
    await until(lambda: len(page.memory.facts()) == 1)
    before = tool(stage).value.on
    tool(stage).switch.click()
    await until(lambda: tool(stage).value.on != before)


def tool(stage: WindowStage) -> ToolRow:
    groups = stage.window.page.tools.groups
    groups._unfold("", True)
    return next(iter(groups.tools.values()))


async def drop_a_file(stage: WindowStage, folder: Path) -> None:
    """What is dropped on the page is in every chat of the workspace, and a new one begins with it."""
    notes = folder / "notes.md"
    notes.write_text("The release is on Friday.\n", encoding="utf-8")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(notes))])
    stage.window.take(mime)
    await until(lambda: len(stage.window.page.files.rows) == 1)


async def work_in_it(stage: WindowStage, place: str) -> str:
    """A new chat is told what the workspace remembers, before anything is sent."""
    stage.window.page.head.new.click()
    await until(lambda: stage.session.chat_id not in ("", template_of(place)) and stage.chat is not None)
    assert stage.open_chat.chat.filed.workspace == place
    assert stage.open_chat.chat.settings.tools
    QTest.keyClicks(stage.window.chat.composer.text, "How long?")
    await stage.until_chat(lambda chat: chat.draft == "How long?")
    view = stage.open_chat.view
    assert view is not None
    wire = view.wire()
    assert wire is not None
    assert "Tokens live 900 s." in str(wire.body)
    assert "The release is on Friday." in str(wire.body)
    await until(stage.window.chat.head.place.isVisible)
    assert stage.window.chat.head.place.accessibleName() == "Workspace: Auth service"
    return stage.session.chat_id


async def file_both(stage: WindowStage, place: str, sample: str, new: str) -> None:
    """From the list several at once, with one undo; by commands the one in view."""
    listed, actions = stage.window.left.chats, stage.working.actions
    await until(lambda: {sample, new} <= set(listed.order()))
    listed.chats.filing_wanted.emit(FileChats((sample, new), archived=True))
    await until(lambda: not {sample, new} & set(listed.order()))
    actions.run("undo")
    await until(lambda: {sample, new} <= set(listed.order()))
    listed.chats.filing_wanted.emit(FileChats((sample,), workspace=place))
    await until(lambda: kept(stage, sample).filed.workspace == place)
    actions.run("archive-chat")
    await until(lambda: kept(stage, new).filed.archived_utc is not None)
    actions.run("undo")
    await until(lambda: kept(stage, new).filed.archived_utc is None)
    actions.run("tag-chat")
    tags = await dialog(TagsDialog)
    assert isinstance(tags, TagsDialog)
    QTest.keyClicks(tags.field, "auth, bug")
    QTest.keyClick(tags.field, Qt.Key.Key_Return)
    await until(lambda: kept(stage, new).filed.tags == ("auth", "bug"))


@in_qt_loop
async def test_a_workspace_is_made_filled_worked_in_and_undone(qapp, data: Path, tmp_path: Path):
    stage = await WindowStage.open(data)
    sample, page = stage.session.chat_id, stage.window.page
    place = await make_workspace(stage, "Auth service", tmp_path)
    assert not stage.window.chat.isVisible()
    assert stage.window.inspector.head.subtitle.text() == "new chat in Auth service"
    assert stage.window.left.attachments.title.text() == "In every chat"
    page.head.rename()
    page.head.field.setText("Sign in")
    QTest.keyClick(page.head.field, Qt.Key.Key_Return)
    await until(lambda: stage.window.inspector.head.subtitle.text() == "new chat in Sign in")
    stage.working.actions.run("undo")
    await until(lambda: stage.window.inspector.head.subtitle.text() == "new chat in Auth service")
    await remember_something(stage)
    await drop_a_file(stage, tmp_path)
    new = await work_in_it(stage, place)
    await file_both(stage, place, sample, new)
    stage.window.chat.head.place.click()
    await until(page.isVisible)
    page.head.menu_of().actions()[-1].trigger()
    await until(lambda: not stage.session.state.workspaces and not page.isVisible())
    # One that stands there for something else would undo that.
    await until(lambda: stage.window.toast.isVisible() and "Auth service" in stage.window.toast.text())
    stage.window.toast.action.click()
    await until(lambda: place in stage.session.state.workspaces)
    stage.working.actions.run(ShowChat(new))
    await until(lambda: stage.session.chat_id == new)
    assert stage.crashes == []
    await stage.close()

    again = await WindowStage.open(data)
    assert again.session.state.workspaces[place].folder == str(tmp_path)
    assert again.open_chat.chat.filed.workspace == place
    again.working.actions.run(ShowWorkspace(place))
    await until(lambda: again.window.page.isVisible() and len(again.window.page.memory.facts()) == 1)
    assert again.crashes == []
    await again.close()
