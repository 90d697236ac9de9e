"""The bridge between window and engine: sends intents, and publishes states at most thirty times a second."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext

from PySide6.QtCore import QElapsedTimer, QObject, Signal

from workbench.domain.errors import WorkbenchError
from workbench.engine.events import Event
from workbench.engine.intents import EditDraft, Intent
from workbench.engine.state import WorkbenchState
from workbench.engine.tasks import Tasks
from workbench.engine.workbench import Workbench
from workbench.ports.tracing import PUBLISH, Trace
from workbench.ui.widgets.motion import single_shot

FRAME_MS = 33


class Bridge(QObject):
    """Publishes the newest state and hands intents on.

    Signals:
        published: the newest state; those in between are skipped.
        refused: the intents that could not be done, and the error that says why.
    """

    published = Signal(object)
    refused = Signal(object, object)

    def __init__(
        self, workbench: Workbench, tasks: Tasks, parent: QObject | None = None, trace: Trace | None = None
    ) -> None:
        super().__init__(parent)
        self._workbench, self._tasks, self._trace = workbench, tasks, trace
        self._pending: list[tuple[Intent, ...]] = []
        self._closed = False
        self._since_last = QElapsedTimer()
        self._wait = single_shot(self, self._publish)
        self._unsubscribe = workbench.subscribe(self._told)

    @property
    def state(self) -> WorkbenchState:
        """The newest state, published or not yet."""
        return self._workbench.state

    def send(self, intent: Intent) -> None:
        self.send_all((intent,))

    def send_all(self, intents: Iterable[Intent]) -> None:
        wanted = tuple(intents)
        self._pending.append(wanted)
        self._tasks.spawn(" and ".join(type(intent).__name__ for intent in wanted), self._do(wanted))

    def pending(self) -> list[Intent]:
        """The intents that were sent and are not done yet, in order."""
        return [intent for wanted in self._pending for intent in wanted]

    def publish_now(self) -> None:
        self._wait.stop()
        self._publish()

    def close(self) -> None:
        self._closed = True  # what is pending is done, but there may be no window left to tell
        self._unsubscribe()
        self._wait.stop()

    async def _do(self, intents: tuple[Intent, ...]) -> None:
        try:
            if not self._is_overtaken(intents):
                await self._workbench.dispatch(*intents)
        except WorkbenchError as problem:
            if not self._closed:
                self.refused.emit(intents, problem)
        finally:
            self._pending = [other for other in self._pending if other is not intents]

    def _is_overtaken(self, intents: tuple[Intent, ...]) -> bool:
        """Whether the next pending intent is a newer draft of the same chat, so that this one can be skipped."""
        at = next(
            (place for place, other in enumerate(self._pending) if other is intents), len(self._pending)
        )
        match intents, self._pending[at + 1 : at + 2]:
            case (EditDraft() as draft,), [(EditDraft() as newer,)]:
                told = draft.prefill is None or newer.prefill is not None
                return told and (draft.chat, draft.seen) == (newer.chat, newer.seen)
        return False

    def _told(self, event: Event, state: WorkbenchState) -> None:
        if self._wait.isActive():
            return
        elapsed = self._since_last.elapsed() if self._since_last.isValid() else FRAME_MS
        self._wait.start(max(0, FRAME_MS - elapsed))

    def _publish(self) -> None:
        self._since_last.start()
        with nullcontext() if self._trace is None else self._trace.span(PUBLISH):
            self.published.emit(self._workbench.state)
