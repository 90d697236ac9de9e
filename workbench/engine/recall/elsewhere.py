"""What was said in the other chats of a workspace: an index of all of them, which follows what is said there."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.rank import ranking, reasons_for
from workbench.domain.recall import Found, Wanted
from workbench.domain.record import Chat, Record
from workbench.engine.recall.finding import Recall, is_worth_it, most_of
from workbench.engine.recall.gathering import breathing
from workbench.engine.recall.said import words_of
from workbench.ports.history import HistoryStore

_MOST_MESSAGES = 20_000
"""Of the chats used last: more would take too much memory, and minutes to read."""
_MOST_CHARS = 40_000
_EXPLAINED = 32


@dataclass(slots=True)
class Place:
    """The index of one workspace: of each chat the leaf that was read, and the messages up to it."""

    index: PassageIndex = field(default_factory=PassageIndex)
    leaves: dict[str, str | None] = field(default_factory=dict)
    read: dict[str, tuple[str, ...]] = field(default_factory=dict)


class SaidElsewhere:
    """What was said in other chats of the same workspace → ContextProvider."""

    def __init__(self, store: HistoryStore, recall: Recall, places: dict[str, Place]) -> None:
        self._store, self._recall, self._places = store, recall, places

    async def context(self, wanted: Wanted) -> tuple[Found, ...]:
        """What was said in other chats and fits; nothing where the chat has no workspace, or does not want it."""
        rules = wanted.settings.history
        if not (rules.recall and rules.recall_chats and wanted.workspace and wanted.question.strip()):
            return ()
        chats = {one.id: one for one in await self._store.chats() if one.filed.workspace == wanted.workspace}
        chats.pop(wanted.chat, None)
        place = await self._followed(wanted.workspace, chats)
        found = await breathing(self._finding(place, wanted, chats))
        return await self._still_said(found)

    async def _still_said(self, found: tuple[Found, ...]) -> tuple[Found, ...]:
        """Without what was deleted since it was read, which no leaf tells, and without what is left out there."""
        there: set[str] = set()
        for chat in dict.fromkeys(one.chat for one in found):
            tuning = await self._store.tuning(chat)
            out = tuning.excluded | tuning.unrecalled
            path = await self._store.path(chat)
            there.update(f"{chat}/{record.id}" for record in path if record.id not in out)
        return tuple(one for one in found if one.id in there)

    async def _followed(self, workspace: str, chats: Mapping[str, Chat]) -> Place:
        """The index of a workspace with what was said since; begun anew where a chat went or was changed."""
        place = self._places.setdefault(workspace, Place())
        for chat, kept in chats.items():
            if chat in place.leaves and place.leaves[chat] == kept.leaf:
                continue
            if len(place.index) >= _MOST_MESSAGES:
                break
            path = await self._store.path(chat)
            ids, known = tuple(record.id for record in path), place.read.get(chat, ())
            if ids[: len(known)] != known:
                # Another branch, or a message that was deleted: what is not said any more must not come back.
                self._places[workspace] = Place()
                return await self._followed(workspace, chats)
            await breathing(_taking_in(place.index, path[len(known) :]))
            place.leaves[chat], place.read[chat] = kept.leaf, ids
        return place

    def _finding(
        self, place: Place, wanted: Wanted, chats: Mapping[str, Chat]
    ) -> Generator[None, None, tuple[Found, ...]]:
        ranked = yield from ranking(place.index, wanted.question, self._recall.near)
        reasons = yield from reasons_for(place.index, wanted.question, self._recall.near)
        found: list[Found] = []
        for match in ranked:
            at = place.index.place(match.key)
            passage = None if at is None else place.index.passages[at]
            if passage is None or passage.group not in chats:
                continue  # deleted, moved away, or the very chat that asks
            words = reasons.of(match.key).words if len(found) < _EXPLAINED else ()
            if not is_worth_it(match.score / ranked[0].score, words) or len(found) >= most_of(wanted.room):
                break
            found.append(
                Found(
                    match.key, match.score, words=words, text=passage.text, speaker=passage.speaker,
                    said_utc=passage.when_utc, chat=passage.group, title=chats[passage.group].title,
                )
            )  # fmt: skip
            yield
        return tuple(found)


def _taking_in(index: PassageIndex, path: tuple[Record, ...]) -> Generator[None, None, None]:
    for record in path:
        text, speaker = words_of(record.entry)
        if text.strip():
            key = f"{record.chat}/{record.id}"
            index.add(Passage(key, text[:_MOST_CHARS], speaker, record.created_utc, record.chat))
            yield
