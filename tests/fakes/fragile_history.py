"""A history that takes its time, as one on another thread does, and refuses what a test wants refused."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from tests.fakes.history import MemoryHistory
from workbench.domain.errors import StoreFull
from workbench.domain.record import TurnLine


class FragileHistory(MemoryHistory):
    """Every call lets others go first, before and after it → HistoryStore.

    Attributes:
        calls: the names of all calls, in order.
        refusing: the names of calls that are refused now.
        refused_call: which call, counted from 1, is refused.
        slow: how many seconds calls of a name wait before they are done.
        lines_read: how many lines of turns each call gave that wanted only the newest.
    """

    def __init__(self, *refusing: str, refused_call: int | None = None) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.refusing = set(refusing)
        self.refused_call = refused_call
        self.slow: dict[str, float] = {}
        self.lines_read: list[int] = []
        self._inside = False

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        # What is read at once is guarded call by call: each of them may fail.
        if name.startswith("_") or name == "at_once" or not inspect.iscoroutinefunction(found):
            return found
        return partial(self._guarded, name, found)

    async def _guarded(
        self, name: str, work: Callable[..., Awaitable[Any]], *given: Any, **named: Any
    ) -> Any:
        if self._inside:
            return await work(*given, **named)
        await asyncio.sleep(self.slow.get(name, 0))
        self.calls.append(name)
        if name in self.refusing or len(self.calls) == self.refused_call:
            raise StoreFull("test")
        self._inside = True
        try:
            result = await work(*given, **named)
        finally:
            self._inside = False
        await asyncio.sleep(0)
        return result

    async def turn_lines(
        self, chat: str, leaf: str | None = None, newest: int | None = None, *, notes: bool = True
    ) -> tuple[TurnLine, ...]:
        """The same as ever, counted."""
        lines = await super().turn_lines(chat, leaf, newest, notes=notes)
        self.lines_read += [] if newest is None else [len(lines)]
        return lines
