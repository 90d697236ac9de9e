"""Chats dragged out of the list: as Markdown files in a folder of their own, which is removed a little later."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence

from PySide6.QtCore import QEventLoop, QObject

from workbench.engine.program_intents import CancelJob, ExportChats
from workbench.ui.widgets.motion import single_shot
from workbench.ui.window.session import Session

MOST_WAIT_MS = 3_000
"""A chat is a file within some hundredths of a second; a drag of very long ones begins without files."""
KEPT_MS = 120_000
"""The program that the files were dropped on has read them by then."""


class DraggedFiles(QObject):
    """Writes what is dragged, by the export of chats; only the owner may read it."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._folders: list[tempfile.TemporaryDirectory[str]] = []
        self._removal = single_shot(self, self.remove, KEPT_MS)
        session.window.left.chats.chats.files_of = self.files_of

    def files_of(self, chats: Sequence[str]) -> list[str]:
        """Write these chats, and return the paths; none if that failed or takes too long."""
        folder = tempfile.TemporaryDirectory(prefix="workbench-", ignore_cleanup_errors=True)
        self._folders.append(folder)
        self._removal.start()
        session, job, loop = self._session, self._session.given.new_id(), QEventLoop()

        def ended() -> bool:
            return any(one.id == job and one.state != "running" for one in session.state.jobs)

        too_long = single_shot(loop, loop.quit, MOST_WAIT_MS)
        following = session.bridge.published.connect(lambda _state: loop.quit() if ended() else None)
        session.send(ExportChats(job, tuple(chats), "markdown", folder.name))
        too_long.start()
        # What the mouse does meanwhile waits: it would select other chats.
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        session.bridge.published.disconnect(following)
        written = [entry.path for entry in os.scandir(folder.name)] if ended() else []
        session.send(CancelJob(job))
        return sorted(path for path in written if not os.path.basename(path).startswith("."))

    def remove(self) -> None:
        """Remove all files that were dragged."""
        self._removal.stop()
        for folder in self._folders:
            folder.cleanup()
        self._folders.clear()
