"""The whole window over a real store in a folder of the test's own, with real models."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from tests.fakes.qt_loop import at_end_of_test, until
from workbench.domain.secrets import Secret
from workbench.engine.state import ChatState
from workbench.engine.workbench import Workbench
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.ui.given import Choice, Given, Report
from workbench.ui.look.appearance import Appearance
from workbench.ui.memory import WindowMemory
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.working import Working
from workbench.wiring.window import FolderGiven

PASSPHRASE = Secret.of_text("a passphrase for tests")


def folder_given(folder: Path) -> Given:
    """The given of a data folder, as the program makes it."""
    return FolderGiven(Namespace(data_dir=str(folder), key_file=None)).given()


def scripted_folder(tmp_path: Path, answer: str) -> Path:
    """A data folder whose new chats ask a script: this answer at once, always the same."""
    place, script = tmp_path / "data", tmp_path / "answer.txt"
    place.mkdir(mode=0o700)
    script.write_text(answer, encoding="utf-8")
    (place / "settings.toml").write_text(f'model = "scripted:{script.as_posix()}"\n', encoding="utf-8")
    return place


MakeWorld = Callable[[HistoryStore, Report], World]


class WindowStage:
    """A window at work.

    Attributes:
        window, working, workbench: the parts. crashes: what went wrong in the background.
    """

    def __init__(self, given: Given, workbench: Workbench, working: Working) -> None:
        self.given, self.workbench, self.working = given, workbench, working
        self.session, self.window = working.session, working.session.window
        self.crashes: list[str] = []
        self._closed = False

    @classmethod
    async def open(cls, folder: Path, make_world: MakeWorld | None = None) -> WindowStage:
        """Make the store if there is none, open it, and show the window; other models come with their own world."""
        given = folder_given(folder)
        crashes: list[str] = []
        fresh = not given.store_exists()
        if fresh:
            await given.create(Choice(PASSPHRASE, keyring=False))
        store = await given.open(PASSPHRASE)
        report: Report = lambda name, error: crashes.append(f"{name}: {error!r}")  # noqa: E731
        world = (make_world or given.world)(store, report)
        workbench = Workbench(world)
        memory = WindowMemory(folder / "window.ini")
        window = MainWindow(memory)
        window.show()
        look = (memory, Appearance())
        working = Working(window, workbench, world.tasks, given, look)
        stage = cls(given, workbench, working)
        stage.crashes = crashes
        at_end_of_test(stage.close)
        await working.begin(fresh)
        await until(lambda: stage.chat is not None and stage.chat.view is not None)
        return stage

    @property
    def chat(self) -> ChatState | None:
        """The chat in view, as it was last drawn."""
        return self.session.chat

    @property
    def open_chat(self) -> ChatState:
        """The chat in view, which there is."""
        assert self.chat is not None
        return self.chat

    async def settle(self) -> None:
        """Let everything that was sent be done and drawn."""
        await asyncio.sleep(0.12)

    async def until_chat(self, happened: Callable[[ChatState], bool], patience_s: float = 200) -> ChatState:
        """Wait until the chat in view is so, and drawn."""
        await until(lambda: self.chat is not None and happened(self.chat), patience_s)
        await self.settle()
        return self.open_chat

    async def new_chat(self) -> ChatState:
        """Start a chat, and wait until it is in view."""
        self.session.start_chat()
        return await self.until_chat(lambda chat: not chat.records and chat.draft == "")

    async def close(self) -> None:
        """Close as the program does; once."""
        if self._closed:
            return
        self._closed = True
        self.working.close()
        await self.workbench.close()
        self.window.let_go()
        self.window.deleteLater()
        await asyncio.sleep(0.01)


async def dialog(kind: type[QWidget]) -> QWidget:
    """A dialog of this kind, as soon as it is open."""

    def find() -> QWidget | None:
        return next(
            (w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible()), None
        )

    await until(lambda: find() is not None)
    found = find()
    assert found is not None
    return found


Act = Callable[[WindowStage], Awaitable[None]]
