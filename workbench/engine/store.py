"""Holds the state: an event goes in, everyone who listens gets it with the state it made."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from workbench.engine.events import Event
from workbench.engine.reduce import reduce
from workbench.engine.state import WorkbenchState
from workbench.ports.tracing import REDUCE, NoTrace, Trace

Listener = Callable[[Event, WorkbenchState], None]


class StateStore:
    """The one place where the state changes.

    Attributes:
        state: the newest state.
    """

    def __init__(self, report: Callable[[str, BaseException], None], trace: Trace | None = None) -> None:
        self.state = WorkbenchState()
        self._report, self._trace = report, trace or NoTrace()
        self._listeners: list[Listener] = []
        self._waiting: deque[tuple[Event, WorkbenchState, tuple[Listener, ...]]] = deque()
        self._telling = False

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Be told of every event from now on; what is returned ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def emit(self, event: Event) -> None:
        """Take note of an event; listeners are told in the order they came, each of all events in their order.

        What a listener emits changes the state at once, and is told after the event that it was told of.
        """
        with self._trace.span(REDUCE, type(event).__name__):
            self.state = reduce(self.state, event)
        self._waiting.append((event, self.state, tuple(self._listeners)))
        if self._telling:
            return
        self._telling = True
        try:
            while self._waiting:
                self._tell(*self._waiting.popleft())
        finally:
            self._telling = False

    def _tell(self, event: Event, state: WorkbenchState, listeners: tuple[Listener, ...]) -> None:
        for listener in listeners:
            if listener not in self._listeners:
                continue  # it left meanwhile
            try:
                listener(event, state)
            except Exception as error:  # noqa: BLE001  (whoever watches a turn must not be able to end it by failing)
                self._report("a listener", error)
