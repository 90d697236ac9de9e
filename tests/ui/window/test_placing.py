"""What the window does about workspaces, over an engine."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.qt_loop import in_qt_loop, until
from tests.ui.window.test_session import at_work
from workbench.domain.workspace import template_of
from workbench.engine.workspace_intents import FileChats
from workbench.ui.window.placing import Placing
from workbench.ui.window.working import Working
from workbench.ui.wishes import BindFolder, NewChatIn, ShowWorkspace


async def placed(working: Working, name: str = "Auth") -> str:
    """A workspace whose page is open."""
    placing: Placing = working.placing
    placing._create(name, "", ())
    await until(lambda: working.session.chat_id.startswith("workspace:"))
    return working.session.chat_id.removeprefix("workspace:")


@in_qt_loop
async def test_a_folder_that_is_not_there_is_refused_and_one_that_is_can_be_undone(qapp, tmp_path: Path):
    async with at_work() as working:
        place = await placed(working)
        working.placing.run(BindFolder(place, str(tmp_path / "gone")))
        assert "No folder" in working.session.window.toast.text()
        working.placing.run(BindFolder(place, str(tmp_path)))
        await until(lambda: working.session.state.workspaces[place].folder == str(tmp_path))
        working.actions.run("undo")
        await until(lambda: working.session.state.workspaces[place].folder == "")


@in_qt_loop
async def test_a_new_workspace_is_seen_though_a_search_was_on(qapp):
    async with at_work() as working:
        search = working.session.window.left.chats.search
        search.setText("nothing is called so")
        await placed(working)
        assert search.text() == ""


@in_qt_loop
async def test_a_new_chat_is_begun_where_one_is_and_commands_know_what_they_are_about(qapp):
    async with at_work() as working:
        session, actions = working.session, working.actions
        first = session.chat_id
        assert not actions.allowed("workspace")
        assert actions.allowed("archive-chat")
        place = await placed(working)
        assert actions.allowed("workspace")
        assert not actions.allowed("archive-chat")
        assert not actions.allowed("composer")
        actions.run("new-chat")
        await until(lambda: session.chat_id not in ("", template_of(place)) and session.chat is not None)
        assert session.chat is not None
        assert session.chat.chat.filed.workspace == place
        session.open_chat(first)
        await until(lambda: session.chat_id == first)
        actions.run(NewChatIn(""))
        await until(lambda: session.chat_id not in ("", first) and session.chat is not None)
        assert session.chat.chat.filed.workspace == ""


@in_qt_loop
async def test_chats_are_filed_by_a_toast_that_takes_back_its_own_step(qapp):
    async with at_work() as working:
        session, first = working.session, working.session.chat_id
        place = await placed(working)
        working.placing._file(FileChats((first,), workspace=place))
        await until(lambda: session.state.chats[0].filed.workspace == place)
        toast = session.window.toast
        assert "Auth" in toast.text()
        session.open_chat(first)
        await until(lambda: session.chat_id == first)
        toast.action.click()
        await until(lambda: session.state.chats[0].filed.workspace == "")
        working.actions.run(ShowWorkspace(place))
        await until(session.window.page.isVisible)
