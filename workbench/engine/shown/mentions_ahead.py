"""Files that a question names (`@notes.md`, `@spec.pdf#p3-5`): attached while it is written, at the latest when sent.

A name is followed once: who detaches what it brought does not have it brought again by the same words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from workbench.context.text.mentions import mentions
from workbench.domain.memo import Memo
from workbench.engine.chats.attaching import Told
from workbench.engine.chats.mentioned import attach_mentioned
from workbench.engine.events import CompletionShown, Event, NoticeGiven
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import ChatLocks, World

SETTLE_S = 0.6
"""So long nothing may be typed before a name is followed: the longer one that it grows into may be another file."""


@dataclass(frozen=True, slots=True)
class Around:
    """What is done around attaching: `orders` is held by every change of a chat, `prepare` writes a new one down."""

    orders: ChatLocks
    prepare: Callable[[str], Awaitable[None]]
    reload: Callable[[str], Awaitable[None]]


class MentionsAhead:
    """Follows the names in drafts, by their content and never by the key."""

    def __init__(self, world: World, states: StateStore, around: Around) -> None:
        self._world, self._states, self._around = world, states, around
        self._followed: dict[str, set[str]] = {}
        self._waiting: set[str] = set()
        self._memo = Memo()
        states.subscribe(self._follow)

    def written(self, chat: str, text: str) -> None:
        """A draft changed: what it names is attached as soon as it stands still."""
        followed = self._followed.setdefault(chat, set())
        # What is written no more may be meant when it is written again.
        followed &= set(self._named(chat, text))
        names = self._named(chat, text, self._typed_at(chat))
        if chat not in self._waiting and any(name not in followed for name in names):
            self._waiting.add(chat)
            self._world.tasks.spawn(f"names in the draft of {chat}", self._settle(chat, names))

    async def before_sending(self, chat: str, text: str) -> None:
        """Attach what a question names and nobody followed yet; called by who holds the chat's order."""
        followed = self._followed.pop(chat, set())
        names = [name for name in self._named(chat, text) if name not in followed]
        if names:
            await self._attach(chat, names)

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        self._followed.pop(chat, None)

    def _named(self, chat: str, text: str, typed_at: int | None = None) -> tuple[str, ...]:
        found = self._memo.kept(f"names {chat}", (text,), lambda: mentions(text))
        return tuple(one.name for one in found if one.start != typed_at)

    async def _settle(self, chat: str, names: tuple[str, ...]) -> None:
        try:
            while True:
                await asyncio.sleep(SETTLE_S)
                now = self._now(chat)
                if now == names:
                    break
                names = now
        finally:
            self._waiting.discard(chat)
        async with self._around.orders.of(chat):
            if self._now(chat) != names or chat not in self._followed:
                return  # sent, closed or rewritten while others had their turn
            followed = self._followed[chat]
            fresh = [name for name in names if name not in followed]
            followed.update(fresh)
            if fresh:
                await self._around.prepare(chat)
                await self._attach(chat, fresh)

    def _now(self, chat: str) -> tuple[str, ...]:
        opened = self._states.state.open.get(chat)
        return () if opened is None else self._named(chat, opened.draft, self._typed_at(chat))

    def _typed_at(self, chat: str) -> int | None:
        """Where a name is being typed for which something is offered: it may become another one."""
        opened = self._states.state.open.get(chat)
        view = None if opened is None else opened.completion
        return view.begun.start if view is not None and view.offers else None

    def _follow(self, event: Event, state: WorkbenchState) -> None:
        """Where nothing is offered any more, a name means what it says."""
        if isinstance(event, CompletionShown) and (event.completion is None or not event.completion.offers):
            opened = state.open.get(event.chat)
            if opened is not None:
                self.written(event.chat, opened.draft)

    async def _attach(self, chat: str, names: list[str]) -> None:
        told: Told = await attach_mentioned(chat, names, self._world)
        if told.text:
            self._states.emit(NoticeGiven(chat, told.text, told.left_out))
        if told.changed:
            await self._around.reload(chat)
