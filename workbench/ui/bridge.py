"""Between window and engine: intents go in, states come out, at most thirty times a second."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from workbench.domain.errors import WorkbenchError
from workbench.engine.events import Event
from workbench.engine.intents import ChatChange, Intent, TurnIntent
from workbench.engine.state import WorkbenchState
from workbench.engine.tasks import Tasks
from workbench.engine.workbench import Workbench

FRAME_MS = 33


class Bridge(QObject):
    """Publishes the newest state and hands intents on.

    Signals:
        published: the newest state; those in between are skipped.
        refused: why something could not be done, in words for a person.
    """

    published = Signal(object)
    refused = Signal(str)

    def __init__(self, workbench: Workbench, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench, self._tasks = workbench, tasks
        self._orders: dict[str, asyncio.Lock] = {}
        self._since_last = QElapsedTimer()
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.timeout.connect(self._publish)
        self._leave = workbench.subscribe(self._told)

    @property
    def state(self) -> WorkbenchState:
        """The newest state, published or not."""
        return self._workbench.state

    def send(self, intent: Intent) -> None:
        """Have one thing done."""
        self.send_all((intent,))

    def send_all(self, intents: Iterable[Intent]) -> None:
        """Have several things done, one after the other; what changes a chat waits for the changes before it."""
        wanted = tuple(intents)
        about = next((intent.chat for intent in wanted if isinstance(intent, ChatChange | TurnIntent)), None)
        name = " and ".join(type(intent).__name__ for intent in wanted)
        self._tasks.spawn(name, self._do(wanted) if about is None else self._in_order(about, wanted))

    def publish_now(self) -> None:
        """Publish without waiting for a frame."""
        self._wait.stop()
        self._publish()

    def close(self) -> None:
        """Listen no longer."""
        self._leave()
        self._wait.stop()

    async def _in_order(self, chat: str, intents: tuple[Intent, ...]) -> None:
        async with self._orders.setdefault(chat, asyncio.Lock()):
            await self._do(intents)

    async def _do(self, intents: tuple[Intent, ...]) -> None:
        try:
            for intent in intents:
                await self._workbench.dispatch(intent)
        except WorkbenchError as problem:
            self.refused.emit(str(problem))

    def _told(self, event: Event, state: WorkbenchState) -> None:
        if self._wait.isActive():
            return
        elapsed = self._since_last.elapsed() if self._since_last.isValid() else FRAME_MS
        self._wait.start(max(0, FRAME_MS - elapsed))

    def _publish(self) -> None:
        self._since_last.start()
        self.published.emit(self._workbench.state)
