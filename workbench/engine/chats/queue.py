"""Queue of messages written during an answer: stored, and sent one by one after each answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from workbench.domain.errors import WorkbenchError
from workbench.domain.record import split_draft, whole_draft
from workbench.domain.translation import tr
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
from workbench.engine.intents import (
    QueueIntent,
    QueueMessage,
    SendMessage,
    SendQueued,
    SteerQueued,
    SteerWay,
    StopTurn,
    TakeQueued,
)
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import ChatLocks, World

Send = Callable[[SendMessage | StopTurn], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A queued message, with how its answer is to begin; the key tells equal texts apart.

    With `step` it goes into the turn in progress, after its present step.
    """

    key: int
    text: str
    step: bool = False


@dataclass(slots=True)
class _Line:
    """The queue of a chat: `held` until a person sends it, `unsaved` while the stored copy is older.

    With `instead` the first of it is sent when the turn ends, however that does.
    """

    waiting: tuple[_Waiting, ...] = ()
    held: bool = False
    unsaved: bool = False
    instead: bool = False


_EMPTY: Final = _Line()
IN_STEP = tr("Your message went to the model with the results of its tools.")
NO_STEP = tr("There was no further step, so your message is sent after the answer.")


class Queue:
    """The queues of all chats.

    A message leaves what is kept of the queue only when its question is kept, or its words are the draft again:
    whatever happens between, it is in at least one place. After a stop, a failure or a restart the queue is held: a
    person sends it, or takes it back.
    """

    def __init__(self, world: World, states: StateStore, drafts: Drafts, send: Send) -> None:
        self._world, self._states, self._drafts, self._send = world, states, drafts, send
        # By chat: what waits is sent when an answer ends, whether its chat is open or not; empty lines are dropped.
        self._lines: dict[str, _Line] = {}
        self._keys = count(1)
        self._saving = ChatLocks()
        states.subscribe(self._on_event, TurnBegan, TurnWithdrawn, TurnEnded)

    async def do(self, intent: QueueIntent) -> None:
        chat = intent.chat
        match intent:
            case QueueMessage(_, text, prefill, way):
                made = self._keyed(whole_draft(text, prefill))
                self._set(chat, (*self._line(chat).waiting, *made))
                await self._keep(chat)
                self._take_from_draft(chat, text)
                if way != "answer" and self._is_running(chat):
                    await self._steer(chat, made[0].key, way)
                elif not self._line(chat).held and not self._is_running(chat):
                    await self._send_next(chat)  # the answer ended while this was on its way
            case TakeQueued(_, key, back):
                await self._take(chat, key, back)
            case SteerQueued(_, key, way):
                await self._steer(chat, key, way)
            case SendQueued():
                if chat in self._lines:
                    self._lines[chat].held = False
                if not self._is_running(chat):
                    await self._send_next(chat)

    async def _take(self, chat: str, key: int, back: bool) -> None:
        waiting = self._line(chat).waiting
        taken = next((one for one in waiting if one.key == key), None)
        if taken is None:
            return  # it was sent while somebody reached for it
        self._set(chat, tuple(one for one in waiting if one != taken))
        if back:
            self._give_back(chat, taken.text)
            await self._drafts.flush()
        await self._keep(chat)

    async def _steer(self, chat: str, key: int, way: SteerWay) -> None:
        waiting = self._line(chat).waiting
        wanted = next((one for one in waiting if one.key == key), None)
        if wanted is None:
            return  # it was sent while somebody reached for it
        if way == "instead":
            self._set(chat, (replace(wanted, step=False), *(one for one in waiting if one != wanted)))
            self._lines[chat].held, self._lines[chat].instead = False, True
            await self._keep(chat)
            if self._is_running(chat):
                await self._send(StopTurn(chat))
            else:
                await self._send_next(chat)
            return
        changed = replace(wanted, step=way == "step" and self._is_running(chat))
        self._set(chat, tuple(changed if one == wanted else one for one in waiting))
        await self._keep(chat)

    def for_this_turn(self, chat: str) -> tuple[tuple[int, str], ...]:
        """The messages that go into the turn in progress after its present step, each with its key."""
        return tuple((one.key, split_draft(one.text)[0]) for one in self._line(chat).waiting if one.step)

    async def steered(self, chat: str, key: int) -> None:
        """A message went into the turn in progress, where it is stored by now."""
        self._set(chat, tuple(one for one in self._line(chat).waiting if one.key != key))
        await self._keep(chat)
        # It stands in the chat only once the turn has ended.
        self._states.emit(NoticeGiven(chat, IN_STEP))

    async def load(self, chat: str) -> None:
        """Show the queue of an opened chat; one from another session is held."""
        if chat not in self._lines:
            kept = await self._world.store.queued(chat)
            if kept and chat not in self._lines:
                self._lines[chat] = _Line(self._keyed(*kept), held=not self._is_running(chat))
        self.tell(chat)

    def _on_event(self, event: Event, _state: WorkbenchState) -> None:
        if not isinstance(event, TurnBegan | TurnWithdrawn | TurnEnded):
            return
        chat = event.chat
        line = self._line(chat)
        if line.unsaved:
            self._world.tasks.spawn(f"keep the queue of {chat}", self._settle(chat))
        if line.instead and isinstance(event, TurnEnded | TurnWithdrawn):
            line.instead = False
            self._world.tasks.spawn(f"queue of {chat}", self._send_next(chat))
            return
        if isinstance(event, TurnEnded) and any(one.step for one in line.waiting):
            self._set(chat, tuple(replace(one, step=False) for one in line.waiting))
            self._states.emit(NoticeGiven(chat, NO_STEP))
        if isinstance(event, TurnEnded) and line.waiting and not line.held:
            complete = event.outcome.state == "complete"
            self._world.tasks.spawn(
                f"queue of {chat}", self._send_next(chat) if complete else self.hold(chat)
            )

    async def _send_next(self, chat: str) -> None:
        waiting = self._line(chat).waiting
        opened = self._states.state.open.get(chat)
        if not waiting:
            return
        if opened is not None and opened.view is not None and opened.view.over_tokens:
            await self.hold(chat)
            return
        self._set(chat, waiting[1:])
        # The words are a draft that was sent: should the question not be kept, they are the draft again.
        promised = None if opened is None else opened.left_out_before
        cut = None if opened is None else frozenset(opened.shares_before)
        words, prefill = split_draft(waiting[0].text)
        try:
            await self._send(
                SendMessage(chat, words, drafted=True, left_out=promised, shortened=cut, prefill=prefill)
            )
        except WorkbenchError as problem:
            await self.hold(chat)
            self._states.emit(NoticeGiven(chat, str(problem)))

    async def hold(self, chat: str) -> None:
        """Hold the queue of a chat until a person sends it."""
        if self._line(chat).waiting:
            self._lines[chat].held = True
            self.tell(chat)

    async def _settle(self, chat: str) -> None:
        """After a message left the queue: wait until its words are stored elsewhere, then store the queue."""
        await self._drafts.flush()
        await self._keep(chat)

    async def _keep(self, chat: str) -> None:
        async with self._saving.of(chat):
            line = self._lines.get(chat)
            if line is None:
                return
            line.unsaved = False
            await self._world.store.save_queued(chat, tuple(one.text for one in line.waiting))
            if not line.waiting and not line.unsaved:
                self._lines.pop(chat, None)

    def _take_from_draft(self, chat: str, text: str) -> None:
        opened = self._states.state.open.get(chat)
        if opened is not None and opened.draft == text:
            self._states.emit(DraftEdited(chat, "", prefill=""))
            self._drafts.note(chat, "")
            self.tell(chat)

    def _give_back(self, chat: str, text: str) -> None:
        opened = self._states.state.open.get(chat)
        draft = joined(text, "" if opened is None else whole_draft(opened.draft, opened.prefill))
        words, prefill = split_draft(draft)
        self._states.emit(DraftEdited(chat, words, given_back=True, prefill=prefill))
        self._drafts.note(chat, draft)

    def _set(self, chat: str, waiting: tuple[_Waiting, ...]) -> None:
        line = self._lines.setdefault(chat, _Line())
        line.waiting, line.unsaved = waiting, True
        line.held = line.held and bool(waiting)
        self.tell(chat)

    def _line(self, chat: str) -> _Line:
        return self._lines.get(chat, _EMPTY)

    def tell(self, chat: str) -> None:
        """Show the queue if it differs from what is shown."""
        waiting, held = self._line(chat).waiting, self._line(chat).held
        keys = tuple(one.key for one in waiting)
        opened = self._states.state.open.get(chat)
        steps = tuple(one.key for one in waiting if one.step)
        shown = None if opened is None else (opened.queued_keys, opened.held, opened.queued_steps)
        if opened is not None and shown != (keys, held, steps):
            parts = [split_draft(one.text) for one in waiting]
            texts, first = tuple(words for words, _ in parts), parts[0][1] if parts else ""
            self._states.emit(QueueChanged(chat, texts, keys, held, first, steps))

    def _keyed(self, *texts: str) -> tuple[_Waiting, ...]:
        return tuple(_Waiting(next(self._keys), text) for text in texts)

    def _is_running(self, chat: str) -> bool:
        state = self._states.state
        opened = state.open.get(chat)
        return chat in state.away or (opened is not None and opened.running is not None)
