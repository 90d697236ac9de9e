"""The lifetime of one open chat, and what it shares with the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from workbench.domain.model import ModelCard
from workbench.engine.chats.drafts import Drafts, NewChats
from workbench.engine.chats.queue import Queue
from workbench.engine.events import Event
from workbench.engine.intents import AttachFiles
from workbench.engine.shown.request_view import Lenses
from workbench.engine.state import ChatState
from workbench.engine.store import StateStore
from workbench.engine.world import ChatLocks, World

T = TypeVar("T")


class ChatScope:
    """Lifetime of an open chat, passed to all its parts so that none needs a clean-up of its own.

    Attributes:
        world, states: shared by all chats. chat: its id. closed: whether it is no longer in view.
        refresh: shows the next request. reload: shows the chat as it is kept now.
    """

    def __init__(self, world: World, states: StateStore, chat: str) -> None:
        self.world, self.states, self.chat = world, states, chat
        self.closed = False
        self.refresh: Callable[[], None] = lambda: None
        self.reload: Callable[[], Awaitable[None]] = _nothing
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def state(self) -> ChatState | None:
        """The chat as it is shown; None before it is read and once it is closed."""
        return None if self.closed else self.states.state.open.get(self.chat)

    def emit(self, event: Event) -> None:
        """Emit an event, unless the chat is closed."""
        if not self.closed:
            self.states.emit(event)

    def spawn(self, name: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work in the background that is cancelled when the chat is closed."""
        task = self.world.tasks.spawn(name, work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self, name: str, work: Coroutine[Any, Any, T]) -> T:
        """Run work that changes the store to its end, even if the chat is closed meanwhile."""
        task = self.world.tasks.start(name, work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self.world.tasks.leave(task)
            raise

    def on_news(self) -> None:
        """Show the next request, since something that was looked up for it has arrived."""
        self.refresh()

    def close(self) -> None:
        """Cancel running work, and emit nothing more."""
        self.closed = True
        self.refresh, self.reload = lambda: None, _nothing
        for task in tuple(self._tasks):
            task.cancel()


async def _nothing() -> None:
    """Refresh and reload of a chat that is not in view: does nothing."""


Cards = dict[str, ModelCard]
"""What models said about themselves, by name."""


@dataclass(frozen=True, slots=True)
class Shared:
    """State outside the chats: it outlives their view, or all of them share it.

    Attributes:
        new, drafts, queue: what is not in the store yet, or waits to be sent.
        attach: attaches files as somebody's wish does, in its turn. orders: held by every change of a chat.
        lenses: how a request's bytes and difference are made on demand.
        cards: what models said about themselves.
        cooling: called with a chat whose cache forgets it within a minute.
    """

    new: NewChats
    drafts: Drafts
    queue: Queue
    attach: Callable[[AttachFiles], Awaitable[None]]
    lenses: Lenses | None = None
    orders: ChatLocks = field(default_factory=ChatLocks)
    cards: Cards = field(default_factory=dict)
    cooling: Callable[[str], None] = lambda chat: None
