"""A trajectory whose conversation is kept in a store, closed and opened again where a turn asks for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from workbench.context.build.wire import Json
from workbench.domain.record import Chat, Record
from workbench.domain.trajectory import Trajectory
from workbench.engine.build.prepare import Builder
from workbench.engine.conversation import Conversation
from workbench.engine.keeping import keep_turn, load_conversation
from workbench.engine.replay import play_turn, start, whole_report
from workbench.ports.history import HistoryStore

OpenStore = Callable[[], Awaitable[HistoryStore]]

_NO_CLOCK_UTC = "1970-01-01T00:00:00Z"


async def replay_kept(trajectory: Trajectory, builder: Builder, open_store: OpenStore) -> Json:
    """The report of every turn, byte for byte what `replay` gives, though the conversation went through the store."""
    conversation = start(trajectory)
    store = await open_store()
    reports = []
    try:
        await _keep_start(store, conversation)
        for turn in trajectory.turns:
            if turn.reload:
                await store.close()
                store = await open_store()
                conversation = await _reloaded(store, conversation)
            conversation, prepared = play_turn(conversation, turn, builder)
            reports.append(prepared.report)
            when = turn.now or _NO_CLOCK_UTC
            conversation = await keep_turn(store, conversation, prepared.built, turn.reply, when)
    finally:
        await store.close()
    return whole_report(reports)


async def _keep_start(store: HistoryStore, conversation: Conversation) -> None:
    chat = conversation.id
    await store.create_chat(Chat(chat, _NO_CLOCK_UTC))
    parents = (None, *(entry.id for entry in conversation.history))
    pairs = zip(conversation.history, parents, strict=False)
    await store.append([Record(chat, entry, _NO_CLOCK_UTC, parent) for entry, parent in pairs])


async def _reloaded(store: HistoryStore, conversation: Conversation) -> Conversation:
    if conversation.previous is not None:
        return await load_conversation(store, conversation.id)
    # No request was made yet: where trimming stood is in the trajectory itself, not in the store.
    path = await store.path(conversation.id)
    return replace(conversation, history=tuple(record.entry for record in path))
