"""Holds the state: an event goes in, everyone who listens gets it with the state it made."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from workbench.engine.events import Event
from workbench.engine.reduce import reduce
from workbench.engine.state import WorkbenchState
from workbench.ports.tracing import REDUCE, NoTrace, Trace

Listener = Callable[[Event, WorkbenchState], None]
_Subscribed = tuple[Listener, tuple[type[Event], ...]]


class StateStore:
    """The one place where the state changes.

    Attributes:
        state: the newest state.
    """

    def __init__(self, report: Callable[[str, BaseException], None], trace: Trace | None = None) -> None:
        self.state = WorkbenchState()
        self._report, self._trace = report, trace or NoTrace()
        self._listeners: list[_Subscribed] = []
        self._waiting: deque[tuple[Event, WorkbenchState, tuple[_Subscribed, ...]]] = deque()
        self._telling = False

    def subscribe(self, listener: Listener, *kinds: type[Event]) -> Callable[[], None]:
        """Be told of every event from now on, or of those of some kinds; what is returned ends that."""
        subscribed = (listener, kinds)
        self._listeners.append(subscribed)
        return lambda: self._listeners.remove(subscribed)

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

    def _tell(self, event: Event, state: WorkbenchState, listeners: tuple[_Subscribed, ...]) -> None:
        for one in listeners:
            listener, kinds = one
            if (kinds and not isinstance(event, kinds)) or one not in self._listeners:
                continue  # not wanted, or it left meanwhile
            try:
                listener(event, state)
            except Exception as error:  # noqa: BLE001  (whoever watches a turn must not be able to end it by failing)
                self._report("a listener", error)
