"""Messages written while an answer arrives: kept, and sent one by one, each when the one before is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count

from workbench.domain.errors import WorkbenchError
from workbench.engine.chats.drafts import Drafts, joined
from workbench.engine.events import (
    DraftEdited,
    Event,
    NoticeGiven,
    QueueChanged,
    TurnBegan,
    TurnEnded,
    TurnWithdrawn,
)
from workbench.engine.intents import QueueIntent, QueueMessage, SendMessage, SendQueued, TakeQueued
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import ChatLocks, World

Send = Callable[[SendMessage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A message that waits; the key says which it is, for there may be two of the same words."""

    key: int
    text: str


class Queue:
    """What waits to be sent in each chat.

    A message leaves what is kept of the queue only when its question is kept, or its words are the draft again:
    whatever happens between, it is in at least one place. After a stop, a failure or a restart the queue is held: a
    person sends it, or takes it back.
    """

    def __init__(self, world: World, states: StateStore, drafts: Drafts, send: Send) -> None:
        self._world, self._states, self._drafts, self._send = world, states, drafts, send
        self._waiting: dict[str, tuple[_Waiting, ...]] = {}
        self._keys = count(1)
        self._held: set[str] = set()
        self._unsaved: set[str] = set()
        self._saving = ChatLocks()
        states.subscribe(self._on_event)

    async def do(self, intent: QueueIntent) -> None:
        """Do what is wanted with a queue."""
        chat = intent.chat
        match intent:
            case QueueMessage(_, text):
                self._set(chat, (*self._waiting.get(chat, ()), *self._keyed(text)))
                await self._keep(chat)
                self._take_from_draft(chat, text)
                if chat not in self._held and not self._is_running(chat):
                    await self._send_next(chat)  # the answer ended while this was on its way
            case TakeQueued(_, key, back):
                await self._take(chat, key, back)
            case SendQueued():
                self._held.discard(chat)
                if not self._is_running(chat):
                    await self._send_next(chat)

    async def _take(self, chat: str, key: int, back: bool) -> None:
        waiting = self._waiting.get(chat, ())
        taken = next((one for one in waiting if one.key == key), None)
        if taken is None:
            return  # it was sent while somebody reached for it
        self._set(chat, tuple(one for one in waiting if one != taken))
        if back:
            self._give_back(chat, taken.text)
            await self._drafts.flush()
        await self._keep(chat)

    async def load(self, chat: str) -> None:
        """Say what waits in a chat that came into view; from another session it is held."""
        if chat not in self._waiting:
            kept = await self._world.store.queued(chat)
            self._waiting.setdefault(chat, self._keyed(*kept))
            if kept and not self._is_running(chat):
                self._held.add(chat)
        self._tell(chat)

    def _on_event(self, event: Event, _state: WorkbenchState) -> None:
        if not isinstance(event, TurnBegan | TurnWithdrawn | TurnEnded):
            return
        chat = event.chat
        if chat in self._unsaved:
            self._world.tasks.spawn(f"keep the queue of {chat}", self._settle(chat))
        if isinstance(event, TurnEnded) and self._waiting.get(chat) and chat not in self._held:
            complete = event.outcome.state == "complete"
            self._world.tasks.spawn(
                f"queue of {chat}", self._send_next(chat) if complete else self.hold(chat)
            )

    async def _send_next(self, chat: str) -> None:
        waiting = self._waiting.get(chat, ())
        opened = self._states.state.open.get(chat)
        if not waiting:
            return
        if opened is not None and opened.view is not None and opened.view.over_tokens:
            await self.hold(chat)
            return
        self._unsaved.add(chat)
        self._set(chat, waiting[1:])
        # The words are a draft that was sent: should the question not be kept, they are the draft again.
        promised = None if opened is None else opened.left_out_before
        try:
            await self._send(SendMessage(chat, waiting[0].text, drafted=True, left_out=promised))
        except WorkbenchError as problem:
            await self.hold(chat)
            self._states.emit(NoticeGiven(chat, str(problem)))

    async def hold(self, chat: str) -> None:
        """Send nothing of a chat until a person says so."""
        if self._waiting.get(chat):
            self._held.add(chat)
            self._tell(chat)

    async def _settle(self, chat: str) -> None:
        """A message was taken from the queue and is safe elsewhere, or about to be: see to that first."""
        await self._drafts.flush()
        await self._keep(chat)

    async def _keep(self, chat: str) -> None:
        async with self._saving.of(chat):
            self._unsaved.discard(chat)
            await self._world.store.save_queued(chat, tuple(one.text for one in self._waiting.get(chat, ())))

    def _take_from_draft(self, chat: str, text: str) -> None:
        opened = self._states.state.open.get(chat)
        if opened is not None and opened.draft == text:
            self._states.emit(DraftEdited(chat, ""))
            self._drafts.note(chat, "")
            self._tell(chat)

    def _give_back(self, chat: str, text: str) -> None:
        opened = self._states.state.open.get(chat)
        draft = joined(text, "" if opened is None else opened.draft)
        self._states.emit(DraftEdited(chat, draft, given_back=True))
        self._drafts.note(chat, draft)

    def _set(self, chat: str, waiting: tuple[_Waiting, ...]) -> None:
        self._waiting[chat] = waiting
        if not waiting:
            self._held.discard(chat)
        self._tell(chat)

    def _tell(self, chat: str) -> None:
        waiting, held = self._waiting.get(chat, ()), chat in self._held
        keys = tuple(one.key for one in waiting)
        opened = self._states.state.open.get(chat)
        if opened is not None and (opened.queued_keys, opened.held) != (keys, held):
            self._states.emit(QueueChanged(chat, tuple(one.text for one in waiting), keys, held))

    def _keyed(self, *texts: str) -> tuple[_Waiting, ...]:
        return tuple(_Waiting(next(self._keys), text) for text in texts)

    def _is_running(self, chat: str) -> bool:
        state = self._states.state
        opened = state.open.get(chat)
        return chat in state.away or (opened is not None and opened.running is not None)
