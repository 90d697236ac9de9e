"""Adding a folder in the real window, over a real store: chosen, added, undone, followed, also after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.steps_taken import Turns
from tests.fakes.window_stage import WindowStage, dialog
from tests.ui.conftest import Stopwatch
from workbench.engine.intents import AttachFiles
from workbench.ui.attachments.bands import FollowedCard
from workbench.ui.dialogs.attaching import ManyFilesDialog
from workbench.ui.dialogs.folder.dialog import FolderDialog
from workbench.ui.wishes import AddFolder

MOST_WORK_S = 1.0
"""In one go, in processor time. Coarse: it is a tenth of that, and a scan that held the window up took seconds."""


pytestmark = pytest.mark.usefixtures("no_window_left")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with things that cannot be attached."""
    root = tmp_path / "project"
    for name, text in {
        "src/a.py": "print('a')\n", "src/b.py": "print('b')\n", "README.md": "Read me.\n", ".env": "KEY=1",
        "out.log": "noise\n", ".gitignore": "*.log\n",
    }.items():  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "shared").symlink_to("/etc")
    return root


async def opened() -> FolderDialog:
    """The folder's dialog, when everything in it is counted and shown; the engine is a frame ahead of it."""
    found = await dialog(FolderDialog)
    assert isinstance(found, FolderDialog)

    def whole() -> bool:
        drawn = found.tree.rows.view
        return drawn is not None and drawn.over and found.is_fed()

    await until(whole)
    return found


def _over(stage: WindowStage) -> bool:
    return stage.session.state.folder is not None and stage.session.state.folder.over


def names(stage: WindowStage, root: Path) -> list[str]:
    attached = stage.open_chat.conversation.attached
    return [one.key.removeprefix(f"{root}/") for one in attached if one.key.startswith(f"{root}/")]


@in_qt_loop
async def test_a_dropped_folder_is_chosen_from_added_by_enter_and_undone_in_one_step(
    qapp, data: Path, project: Path
):
    stage = await WindowStage.open(data)
    # What comes ticked depends on the room there is, which the next request tells.
    await stage.until_chat(lambda chat: chat.view is not None)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(project))])
    stage.window.chat.composer.take(mime)
    found = await opened()
    tree = found.tree.rows.tree
    assert [node.path for node in tree.ticked()] == ["src/a.py", "src/b.py", "README.md"]
    log, link = tree.node("out.log"), tree.node("shared")
    assert log is not None
    assert link is not None
    assert (log.reason, link.reason) == (".gitignore line 1", "leads out of the folder")
    found.sums.priority.choose("3")
    chosen = tree.root.sums.chosen_tokens
    before = stage.open_chat.view
    assert before is not None
    QTest.keyClick(found.tree, Qt.Key.Key_Return)
    chat = await stage.until_chat(lambda _chat: bool(names(stage, project)))
    assert names(stage, project) == ["src/a.py", "src/b.py", "README.md"]
    assert {one.priority for one in chat.conversation.attached if one.key.startswith(str(project))} == {3}
    await stage.until_chat(
        lambda chat: chat.view is not None and chat.view.total_tokens > before.total_tokens
    )
    after = stage.open_chat.view
    assert after is not None
    assert (
        abs(after.total_tokens - before.total_tokens - chosen) <= 30
    )  # a heading, and where the message begins
    assert stage.session.state.folder is None
    assert stage.session.undo.undo_text() == "Add 3 files"
    stage.session.undo.undo()
    await stage.until_chat(lambda _chat: names(stage, project) == [])
    stage.session.undo.redo()
    await stage.until_chat(lambda _chat: len(names(stage, project)) == 3)
    stage.window.wishes.run(AddFolder(str(project)))
    again = await opened()
    a = again.tree.rows.tree.node("src/a.py")
    assert a is not None
    assert (a.attached, a.choosable) == (True, False)
    again.reject()
    assert stage.crashes == []
    await stage.close()


@in_qt_loop
async def test_twenty_thousand_files_leave_the_window_alive_and_are_cancelled_at_once(
    qapp, data: Path, tmp_path: Path, loop_guard: Stopwatch
):
    root = tmp_path / "many"
    for number in range(100):
        (root / f"part{number}").mkdir(parents=True)
        for file in range(200):
            (root / f"part{number}" / f"file{file}.py").write_text(f"value = {number * file}\n")
    stage = await WindowStage.open(data)
    await stage.settle()
    loop_guard.turns = Turns()
    stage.window.wishes.run(AddFolder(str(root)))
    found = await dialog(FolderDialog)
    assert isinstance(found, FolderDialog)
    await until(lambda: found.tree.rows.tree.root.sums.files == 20_000)
    await until(lambda: found.tree.rows.tree.root.sums.counted > 0)
    found.filter.setText("file19 !part7")
    await until(lambda: found.tree.rows.tree.shown_files() < 20_000)
    QTest.mouseClick(found.progress.cancel, Qt.MouseButton.LeftButton)
    await until(lambda: _over(stage))
    assert loop_guard.turns.longest_s < MOST_WORK_S
    seen = stage.session.state.folder
    assert seen is not None
    assert seen.stopped
    assert 0 < seen.counted < 20_000
    found.reject()
    await until(lambda: stage.session.state.folder is None)
    await stage.close()


@in_qt_loop
async def test_a_followed_folder_offers_what_comes_also_after_a_restart(qapp, data: Path, project: Path):
    stage = await WindowStage.open(data)
    stage.window.wishes.run(AddFolder(str(project)))
    found = await opened()
    found.follow.setChecked(True)
    found.add.click()
    await stage.until_chat(lambda chat: bool(chat.followed) and len(names(stage, project)) == 3)
    (project / "src" / "new.py").write_text("print('new')\n")
    await stage.until_chat(lambda chat: chat.followed[0].new == ("src/new.py",))
    cards = stage.window.left.attachments.followed.cards
    assert [card.news.text() for card in cards] == ["1 new file"]
    await stage.close()
    stage = await WindowStage.open(data)
    await stage.until_chat(lambda chat: bool(chat.followed) and chat.followed[0].new == ("src/new.py",))
    (card,) = stage.window.left.attachments.followed.cards
    assert isinstance(card, FollowedCard)
    card.look.click()
    look = await opened()
    assert [node.path for node in look.tree.rows.tree.ticked()] == ["src/new.py"]
    look.reject()
    await stage.settle()
    card.add.click()
    await stage.until_chat(lambda chat: len(names(stage, project)) == 4 and chat.followed[0].new == ())
    card.stop.click()
    await stage.until_chat(lambda chat: chat.followed == ())
    assert stage.crashes == []
    await stage.close()


@in_qt_loop
async def test_very_many_dropped_files_are_asked_about_once(qapp, data: Path, tmp_path: Path):
    paths = []
    for number in range(101):
        (tmp_path / f"{number}.txt").write_text("words")
        paths.append(str(tmp_path / f"{number}.txt"))
    stage = await WindowStage.open(data)
    stage.session.send(AttachFiles(stage.session.chat_id, tuple(paths)))
    asked = await dialog(ManyFilesDialog)
    assert isinstance(asked, ManyFilesDialog)
    assert names(stage, tmp_path) == []
    asked.go.click()
    await stage.until_chat(lambda _chat: len(names(stage, tmp_path)) == 101)
    await stage.close()
