"""Stores watched conversations: each is a read-only chat, and each of its requests a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from workbench.context.watch.body import came_body_of
from workbench.domain.chat_line import title_from
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.record import Chat, Notes, TurnLine, noted_count, noted_table, noted_text
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.watch.exchange import Exchange, program_name
from workbench.domain.watch.request import Watched, WatchedTurn
from workbench.domain.workspace import Filed
from workbench.engine.watch.kept_turn import watched_exchange, watched_turn
from workbench.engine.watch.turn_of import (
    WATCHED,
    Before,
    KeptRequest,
    kept_request,
    model_name,
    utc_of,
)
from workbench.ports.history import HistoryStore
from workbench.ports.models import ModelCatalogue

# Conversations that were watched before: a client that goes on in another run goes on in the same conversation.


Remember = Callable[[WatchedTurn, Exchange], None]
MOST = 8
DAYS = 2
"""Older conversations begin anew: reading them all would keep a command waiting."""


async def remember_kept(store: HistoryStore, now_utc: str, *told: Remember) -> None:
    """Restore the last request of each of the newest conversations, oldest first; failures are skipped."""
    since = datetime.fromisoformat(now_utc) - timedelta(days=DAYS)
    since_utc = since.isoformat(timespec="seconds").replace("+00:00", "Z")
    try:
        chats = [chat for chat in await store.chats() if chat.filed.watched is not None]
        for chat in reversed([chat for chat in chats if chat.used_utc >= since_utc][:MOST]):
            turn = await store.last_turn(chat.id)
            if turn is not None:
                upstream = noted_text(noted_table(turn.usage or {}, "request"), "upstream")
                came = came_body_of(turn.built)
                exchange = replace(watched_exchange(turn), upstream=upstream, came_in=came)
                kept = watched_turn(chat, turn, await store.tail(chat.id, 2))
                for remember in told:
                    await asyncio.to_thread(remember, kept, exchange)
    except WorkbenchError:
        return  # requests are watched all the same


@dataclass(frozen=True, slots=True)
class Begun:
    """A stored request without an answer yet; `before` is the request before it."""

    chat: Chat
    made: KeptRequest
    before: Before

    @property
    def number(self) -> int:
        return self.made.turn.number

    @property
    def question(self) -> str:
        return self.made.question.id


class Keeper:
    """Stores watched requests, one at a time.

    Attributes:
        address: where they were watched. imported_utc: when they were read from a file, where they were.
    """

    def __init__(
        self, store: HistoryStore, catalogue: ModelCatalogue, address: str = "", imported_utc: str = ""
    ) -> None:
        self._store, self._catalogue, self.address = store, catalogue, address
        self.imported_utc = imported_utc
        self._one_by_one = asyncio.Lock()
        self._begun: dict[int, Begun] = {}

    @property
    def store(self) -> HistoryStore:
        """Where they are stored."""
        return self._store

    def remembering(self, now_utc: str, *told: Remember) -> Callable[[], Awaitable[None]]:
        """A callback that restores the newest conversations."""
        return lambda: remember_kept(self._store, now_utc, *told)

    async def begin(self, turn: WatchedTurn, exchange: Exchange | None = None) -> Begun:
        """Store a request before its answer; `keep` or `give_up` must follow."""
        async with self._one_by_one:
            begun = self._begun[turn.n] = await self._begin(turn, exchange)
            return begun

    async def keep(self, turn: WatchedTurn, exchange: Exchange | None = None) -> str:
        """Store a request with its answer; return the id of its chat."""
        async with self._one_by_one:
            begun = self._begun.pop(turn.n, None)
            if begun is not None:
                try:
                    return await self._finish(begun, turn, exchange)
                except NotKept:
                    if await self._end_running(begun):
                        raise
            return await self._keep(turn, exchange)  # its chat was removed for good meanwhile

    def has_begun(self, n: int) -> bool:
        """Whether a request is stored and its answer awaited."""
        return n in self._begun

    async def give_up(self, n: int) -> str | None:
        """End a stored request whose outcome is unknown; return its chat."""
        async with self._one_by_one:
            begun = self._begun.pop(n, None)
            return begun.chat.id if begun is not None and await self._end_running(begun) else None

    async def _end_running(self, begun: Begun) -> bool:
        """End a request whose answer cannot be stored, so that none stays running; return whether it was found."""
        try:
            await self._store.finish_turn(replace(begun.made.turn, state="interrupted", reply=None), ())
        except NotKept:
            return False
        return True

    async def _keep(self, turn: WatchedTurn, exchange: Exchange | None) -> str:
        begun = await self._begin(turn, exchange)
        await self._store.finish_turn(begun.made.turn, begun.made.replies)
        return begun.chat.id

    async def _begin(self, turn: WatchedTurn, exchange: Exchange | None) -> Begun:
        chat = await self._chat(turn)
        before = await self._before(chat)
        made = self._made(chat, turn, exchange, before)
        if made.said:
            await self._store.append(made.said)
        running = replace(made.turn, state="running", reply=None, finished_utc=None)
        await self._store.begin_turn(running, made.question)
        await self._note(chat, turn, made.turn.number, _title(turn, chat))
        return Begun(chat, made, before)

    async def _finish(self, begun: Begun, turn: WatchedTurn, exchange: Exchange | None) -> str:
        chat, store = begun.chat, self._store
        known = replace(begun.before, passed=begun.made.turn.built.inputs.passed)
        made = self._made(chat, turn, exchange, known)
        leaf = (await store.chat(chat.id)).leaf
        # Another request of this conversation may have begun or ended meanwhile: both stay in view.
        replies = [replace(one, parent=leaf) if not place else one for place, one in enumerate(made.replies)]
        # Whatever is known by now of what it goes on from, it is the question that was kept.
        ended = replace(made.turn, question=begun.question, parent=begun.made.turn.parent)
        await store.finish_turn(ended, replies)
        counted = {one.id: one.metadata for one in (*begun.made.said, begun.made.question)}
        for new in (*made.said, made.question):
            if counted.get(new.id, new.metadata) != new.metadata:  # its server has counted it
                await store.annotate(chat.id, new.id, partial(_noted, new.metadata))
        if turn.parent:
            await self._note(chat, turn, made.turn.number, _title(turn, chat))
        return chat.id

    def _made(self, chat: Chat, turn: WatchedTurn, exchange: Exchange | None, before: Before) -> KeptRequest:
        return kept_request(chat.id, turn, exchange, self._catalogue.find(model_name(turn)), before)

    async def requests(self, conversation: str) -> int:
        """Number of stored requests of a conversation."""
        try:
            chat = await self._store.chat(conversation)
        except NotKept:
            return 0
        newest = await self._store.turn_lines(conversation, newest=1)
        return 0 if chat.deleted_utc is not None or not newest else newest[-1].number

    async def _chat(self, turn: WatchedTurn) -> Chat:
        try:
            found = await self._store.chat(turn.conversation)
        except NotKept:
            found = None
        if found is not None and found.deleted_utc is None:
            return found
        if found is not None:  # deleted while it went on: what comes is wanted again
            await self._store.change_chat(found.id, lambda chat: replace(chat, deleted_utc=None))
            return replace(found, deleted_utc=None)
        mark = Watched(turn.client, self.address, turn.parent or "", call=turn.call)
        made = Chat(
            turn.conversation,
            utc_of(turn.started_at),
            _title(turn, None),
            ContextSettings(model=model_name(turn)),
            filed=Filed(watched=mark),
        )
        await self._store.create_chat(made)
        return made

    async def _before(self, chat: Chat) -> Before:
        lines = await self._store.turn_lines(chat.id, newest=1)
        if not lines:
            return Before()
        return _before(
            lines[-1], (await self._store.chat(chat.id)).leaf, await self._called(chat.id, lines[-1])
        )

    async def _called(self, chat: str, line: TurnLine) -> tuple[str, ...]:
        (inputs,) = await self._store.turn_inputs(chat, ((line.question, line.reply),))
        return () if inputs.passed is None else inputs.passed.called

    async def _note(self, chat: Chat, turn: WatchedTurn, number: int, title: str) -> None:
        """Store with the chat how many requests there are, and which program asked which model last."""

        def noted(now: Chat) -> Chat:
            known = now.filed.watched or Watched()
            # What a program asks beside its session may come before it.
            parent, requests = turn.parent or known.parent, max(number, known.requests)
            mark = replace(known, requests=requests, client=turn.client, address=self.address, parent=parent)
            mark = replace(mark, imported_utc=self.imported_utc or known.imported_utc)
            settings, filed = replace(now.settings, model=model_name(turn)), replace(now.filed, watched=mark)
            return replace(now, title=now.title or title, settings=settings, filed=filed)

        await self._store.change_chat(chat.id, noted)


def _before(line: TurnLine, leaf: str | None, called: tuple[str, ...]) -> Before:
    noted = noted_table(line.usage or {}, WATCHED)
    return Before(
        line.number,
        leaf,
        noted_count(noted, "messages") or 0,
        noted_text(noted, "digest"),
        called,
        line.reply is not None,
    )


def _noted(new: Notes, noted: Notes) -> Notes:
    return {**noted, **new}


def _title(turn: WatchedTurn, chat: Chat | None) -> str:
    """Title of a watched chat: the program, and the first words of the first question."""
    if chat is not None and chat.title:
        return chat.title
    asked = next((one.text for one in turn.request.pieces if one.kind == "question" and one.text.strip()), "")
    words = title_from(asked) if asked else turn.request.model
    return f"{program_name(turn.client)} · {words}" if turn.client else words
