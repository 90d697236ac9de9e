"""Recall from other chats of a workspace: one index over all of them, kept up to date."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.rank import Match, ranking, reasons_for
from workbench.domain.recall import Found, Wanted
from workbench.domain.record import Chat, Record
from workbench.engine.recall.finding import Recall, most_of, words_of, worth_sending
from workbench.engine.recall.providers import in_slices
from workbench.ports.history import HistoryStore

_MOST_MESSAGES = 20_000
"""Of the chats used last: more would take too much memory, and minutes to read."""
_MOST_CHARS = 40_000


@dataclass(slots=True)
class WorkspaceIndex:
    """Index of one workspace: for each chat the indexed leaf and messages.

    `lock` is held while it grows: two lookups that both read a chat would index each of its messages twice.
    """

    index: PassageIndex = field(default_factory=PassageIndex)
    leaves: dict[str, str | None] = field(default_factory=dict)
    read: dict[str, list[str]] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def clear(self) -> None:
        """Start a new index; running lookups keep the old one."""
        self.index, self.leaves, self.read = PassageIndex(), {}, {}

    def taking_in(self, chat: str, path: Sequence[Record]) -> Generator[None, None, None]:
        """Index the new messages of a chat, in time slices; progress is recorded at once."""
        read = self.read.setdefault(chat, [])
        for record in path[len(read) :]:
            text, speaker = words_of(record.entry)
            if text.strip():
                key = f"{chat}/{record.id}"
                self.index.add(Passage(key, text[:_MOST_CHARS], speaker, record.created_utc, chat))
            read.append(record.id)
            yield


class SaidElsewhere:
    """Messages of other chats in the same workspace → ContextProvider."""

    def __init__(self, store: HistoryStore, recall: Recall, indexes: dict[str, WorkspaceIndex]) -> None:
        self._store, self._recall, self._indexes = store, recall, indexes

    async def context(self, wanted: Wanted) -> tuple[Found, ...]:
        """Matching messages of other chats; none if the chat has no workspace or does not want them."""
        rules = wanted.settings.history
        if not (rules.recall and rules.recall_chats and wanted.workspace and wanted.question.strip()):
            return ()
        chats = {one.id: one for one in await self._store.chats() if one.filed.workspace == wanted.workspace}
        chats.pop(wanted.chat, None)
        place = self._indexes.setdefault(wanted.workspace, WorkspaceIndex())
        async with place.lock:
            await self._update_index(place, chats)
        found = await in_slices(self._finding(place.index, wanted, chats))
        return await self._without_deleted(found)

    async def _without_deleted(self, found: tuple[Found, ...]) -> tuple[Found, ...]:
        """The matches without messages deleted since or left out there."""
        there: dict[str, str] = {}
        for chat in dict.fromkeys(one.chat for one in found):
            tuning = await self._store.tuning(chat)
            out = tuning.excluded | tuning.unrecalled
            path = await self._store.path(chat)
            edited = {one.message: one.text[:_MOST_CHARS] for one in tuning.edits if one.shown}
            there |= {f"{chat}/{one.id}": edited.get(one.id, "") for one in path if one.id not in out}
        return tuple(replace(one, text=there[one.id] or one.text) for one in found if one.id in there)

    async def _update_index(self, place: WorkspaceIndex, chats: Mapping[str, Chat]) -> None:
        """Index new messages; everything anew if a chat was removed or changed."""
        for chat, kept in chats.items():
            if chat in place.leaves and place.leaves[chat] == kept.leaf:
                continue
            if len(place.index) >= _MOST_MESSAGES:
                break
            path = await self._store.path(chat)
            known = place.read.get(chat, [])
            if [record.id for record in path[: len(known)]] != known:
                # Another branch, or a message that was deleted: what is not said any more must not come back.
                place.clear()
                return await self._update_index(place, chats)
            await in_slices(place.taking_in(chat, path))
            place.leaves[chat] = kept.leaf

    def _finding(
        self, index: PassageIndex, wanted: Wanted, chats: Mapping[str, Chat]
    ) -> Generator[None, None, tuple[Found, ...]]:
        ranked = yield from ranking(index, wanted.question, self._recall.near)
        reasons = yield from reasons_for(index, wanted.question, self._recall.near)
        # Not from what was deleted or moved away, nor from the very chat that asks.
        there = (one for one in ranked if _passage(index, one).group in chats)
        best = ranked[0].score if ranked else 0.0
        found = yield from worth_sending(islice(there, most_of(wanted.room)), best, reasons)
        return tuple(_as_found(one, _passage(index, one), chats) for one in found)


def _passage(index: PassageIndex, match: Match) -> Passage:
    found = index.passages[index.places[match.key]]
    assert found is not None
    return found


def _as_found(match: Match, passage: Passage, chats: Mapping[str, Chat]) -> Found:
    return Found(
        match.key, match.score, words=match.words, text=passage.text, speaker=passage.speaker,
        said_utc=passage.when_utc, chat=passage.group, title=chats[passage.group].title,
    )  # fmt: skip
