"""Loads two watched conversations and compares them: what did an update of the program change?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.context.watch.findings import Paid
from workbench.context.watch.updates import compare_runs, run_of
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.model import ModelCard
from workbench.domain.record import Chat
from workbench.domain.translation import tr
from workbench.domain.usage import Price
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.update import UpdateReport, UpdateView, WatchedRun
from workbench.engine.watch.kept_turn import watched_turn
from workbench.engine.world import World
from workbench.ports.history import HistoryStore


async def compare_watched(
    store: HistoryStore, before: Chat, after: Chat, price: Callable[[ModelCard], Price | None]
) -> UpdateReport:
    """Compare two watched chats, at the prices of the second one's model."""
    old, (now, turns, card) = await _load(store, before), await _load(store, after)
    return compare_runs(old[:2], (now, turns), Paid(card, price(card)))


async def _load(store: HistoryStore, chat: Chat) -> tuple[WatchedRun, Sequence[WatchedTurn], ModelCard]:
    kept = [one for one in await store.turns(chat.id) if one.state != "running"]
    if not kept:
        raise NotKept(
            tr("{title!r} has no request with an answer yet: there is nothing to compare.", title=chat.title)
        )
    path = await store.path(chat.id)
    turns = [watched_turn(chat, one, path) for one in kept]
    return run_of(chat.id, chat.title, turns), turns, kept[-1].built.inputs.model


async def compared_view(world: World, before: str, after: str) -> UpdateView:
    """Compare two watched chats for a window; what cannot be compared is said."""
    store = world.store
    try:
        chats = await store.chat(before), await store.chat(after)
        return UpdateView(before, after, await compare_watched(store, *chats, world.prices.price))
    except WorkbenchError as problem:
        return UpdateView(before, after, problem=str(problem))
