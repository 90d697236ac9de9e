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
from workbench.engine.chats.mentioned import attach_mentioned, keep_mentioned, read_mentioned
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


_Place = tuple[str, str]
"""A chat, and a question that is being changed in its place; without one the draft is meant."""


class MentionsAhead:
    """Follows the names in drafts and in questions that are edited, by their content and never by the key."""

    def __init__(self, world: World, states: StateStore, around: Around) -> None:
        self._world, self._states, self._around = world, states, around
        self._followed: dict[_Place, set[str]] = {}
        self._waiting: set[_Place] = set()
        self._memo = Memo()
        states.subscribe(self._follow)

    def opened(self, chat: str, draft: str) -> None:
        """A chat is shown with a draft from before: its names brought what they did when they were written.

        They are words from now on: opening a chat, perhaps of somebody else, must attach nothing.
        """
        self._followed.setdefault((chat, ""), set(self._named((chat, ""), draft)))

    def written(self, chat: str, text: str) -> None:
        """A draft changed: what it names is attached as soon as it stands still."""
        self._look((chat, ""), text)

    def edited(self, chat: str, question: str, text: str | None) -> None:
        """A question is being changed in its place: what it names anew is attached alike; None ends that."""
        place = (chat, question)
        if text is None:
            self._followed.pop(place, None)
        elif place not in self._followed:
            self._followed[place] = set(self._named(place, text))
        else:
            self._look(place, text)

    async def before_sending(self, chat: str, text: str, question: str = "") -> None:
        """Attach what a question names and nobody followed yet; called by who holds the chat's order."""
        followed = self._followed.pop((chat, question), set())
        names = [name for name in self._named((chat, question), text) if name not in followed]
        if names:
            await self._tell(chat, await attach_mentioned(chat, names, self._world))

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        for place in [place for place in self._followed if place[0] == chat]:
            del self._followed[place]

    def _look(self, place: _Place, text: str) -> None:
        followed = self._followed.setdefault(place, set())
        # What is written no more may be meant when it is written again.
        followed &= set(self._named(place, text))
        names = self._named(place, text, self._typed_at(place))
        if place not in self._waiting and any(name not in followed for name in names):
            self._waiting.add(place)
            self._world.tasks.spawn(f"names in what is written in {place[0]}", self._settle(place, names))

    def _named(self, place: _Place, text: str, typed_at: int | None = None) -> tuple[str, ...]:
        found = self._memo.kept(f"names {place}", (text,), lambda: mentions(text))
        return tuple(one.name for one in found if one.start != typed_at)

    async def _settle(self, place: _Place, names: tuple[str, ...]) -> None:
        chat = place[0]
        try:
            while True:
                await asyncio.sleep(SETTLE_S)
                now = self._now(place)
                if now == names:
                    break
                names = now
        finally:
            self._waiting.discard(place)
        followed = self._followed.get(place)
        fresh = [name for name in names if followed is not None and name not in followed]
        if followed is None or not fresh:
            return
        followed.update(fresh)
        await self._around.prepare(chat)
        # Read before it is this change's turn: others of the chat do not wait for a document.
        read = await read_mentioned(chat, fresh, self._world)
        async with self._around.orders.of(chat):
            # Sent meanwhile, the question has taken what it names along; closed, nobody wants it.
            if self._followed.get(place) is followed:
                await self._tell(chat, await keep_mentioned(chat, read, self._world))

    def _now(self, place: _Place) -> tuple[str, ...]:
        chat, question = place
        opened = self._states.state.open.get(chat)
        if opened is None or (question and question not in opened.edits):
            return ()
        text = opened.edits[question].text if question else opened.draft
        return self._named(place, text, self._typed_at(place))

    def _typed_at(self, place: _Place) -> int | None:
        """Where a name is being typed for which something is offered: it may become another one."""
        opened = self._states.state.open.get(place[0])
        view = None if opened is None or place[1] else opened.completion
        return view.begun.start if view is not None and view.offers else None

    def _follow(self, event: Event, state: WorkbenchState) -> None:
        """Where nothing is offered any more, a name means what it says."""
        if isinstance(event, CompletionShown) and (event.completion is None or not event.completion.offers):
            opened = state.open.get(event.chat)
            if opened is not None:
                self.written(event.chat, opened.draft)

    async def _tell(self, chat: str, told: Told) -> None:
        if told.text:
            self._states.emit(NoticeGiven(chat, told.text, told.left_out))
        if told.changed:
            await self._around.reload(chat)
