"""The same person in front of the real window: words are typed into it, and what is shown is what it draws."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.chaos.person import PASSPHRASE, Person, given_of, report
from workbench.engine.workbench import Workbench


def _paste(editor: Any, text: str) -> None:
    editor.insertPlainText(text)


def live_in_window(place: Path, meet: Callable[[Workbench], Person], acts: int) -> None:
    """Open the window over the folder's store, act, and close it."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from workbench.ui.look.appearance import Appearance
    from workbench.ui.memory import WindowMemory
    from workbench.ui.program.loop import WindowLoop
    from workbench.ui.window.main_window import MainWindow
    from workbench.ui.window.working import Working

    async def live() -> None:
        given = given_of(place)
        store = await given.open(PASSPHRASE)
        world = given.world(store, report)
        workbench = Workbench(world)
        memory = WindowMemory(place / "data" / "window.ini")
        window = MainWindow(memory)
        window.show()
        working = Working(window, workbench, world.tasks, given, (memory, Appearance()))
        await working.begin(False)
        person = meet(workbench)

        def typed(chat: str, text: str) -> bool:
            editor, shown = window.chat.composer.text, working.session.chat
            if shown is None or shown.chat.id != chat or not text.startswith(shown.draft):
                return False
            editor.setFocus()
            # Qt's own keyboard of tests has ASCII keys only.
            for part in text[len(shown.draft) :].replace("\n", " ").split(" "):
                (QTest.keyClicks if part.isascii() else _paste)(editor, f"{part} ")
            return True

        async def look_at(chat: str) -> None:
            working.session.open_chat(chat)
            until = time.monotonic() + 10
            while chat not in workbench.state.open and time.monotonic() < until:
                await asyncio.sleep(0.005)

        person.typed, person.look_at = typed, look_at
        await person.live(acts)
        working.close()
        await workbench.close()
        window.let_go()

    app = QApplication.instance() or QApplication(["workbench"])
    with asyncio.Runner(loop_factory=lambda: WindowLoop(app)) as runner:
        runner.run(live())
