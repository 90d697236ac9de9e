"""The ports and shared state that running a turn needs, passed in once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from workbench.context.answer_checks import Matches, search_here
from workbench.domain.errors import NotKept
from workbench.domain.folder_offer import FolderOffer
from workbench.domain.record import Record, TurnRecord
from workbench.domain.request import Timeouts
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.web_search import SEARCHED, WebSearch
from workbench.domain.workspace import Workspace
from workbench.engine.assembly.pictures import PictureShelves
from workbench.engine.assembly.prepare import Builder
from workbench.engine.conversation import Asked
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.metering import Spending
from workbench.engine.recall.elsewhere import SaidElsewhere, WorkspaceIndex
from workbench.engine.recall.followed import FollowedFolders
from workbench.engine.recall.providers import AttachedSections, SaidHere
from workbench.engine.tasks import Tasks
from workbench.ports.attaching import AttachmentReader, FolderWatch
from workbench.ports.clock import UtcClock
from workbench.ports.exchange_files import ExchangeFiles
from workbench.ports.folder import SealedFiles
from workbench.ports.history import HistoryStore
from workbench.ports.keys import ProviderKeys
from workbench.ports.models import Models, PriceList
from workbench.ports.preferences import PreferencesStore
from workbench.ports.prompting import ContextProvider
from workbench.ports.tools import Toolbox, ToolRooms
from workbench.ports.tracing import Trace
from workbench.ports.watching import ProgramWatch, SessionsOnDisk
from workbench.ports.web_search import WebSearcher

# Changes to one chat, one after the other: what is read, changed and written again must not overtake
# another write.


class ChatLocks:
    """One lock per chat, kept while somebody uses it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, chat: str) -> asyncio.Lock:
        lock = self._locks.get(chat)
        if lock is None:
            lock = self._locks[chat] = asyncio.Lock()
        return lock


# Ends of turns that the store refused, a full disk for example; kept as soon as it takes them.


class Owed:
    """Ends of turns that are shown but could not be stored yet; no new turn starts in such a chat."""

    def __init__(self) -> None:
        self._ends: dict[str, tuple[TurnRecord, Sequence[Record]]] = {}

    def note(self, turn: TurnRecord, replies: Sequence[Record]) -> None:
        self._ends[turn.chat] = (turn, replies)

    async def settle(self, chat: str, store: HistoryStore) -> None:
        """Retry storing for one chat; raises as before if it still fails."""
        if chat in self._ends:
            # What does not fit what is kept never will: a chat must not be blocked by that.
            with suppress(NotKept):
                await store.finish_turn(*self._ends[chat])
            self._ends.pop(chat, None)

    async def settle_all(self, store: HistoryStore) -> None:
        for chat in tuple(self._ends):
            await self.settle(chat, store)


@dataclass(slots=True)
class Limits:
    """Limits of a turn: timeouts, tool rounds, the length of tool results; and whether answers' facts are checked.

    They are read when they are needed, so that other preferences hold at once. Attached files of open chats are looked
    at every `disk_look_s` seconds; None, for who shows no request, looks at them before a request is built only. A
    followed folder that is written all the time rests `folder_rest_s` seconds after each look through it.
    """

    timeouts: Timeouts = field(default_factory=Timeouts)
    tool_rounds: int = 8
    tool_result_chars: int = 60_000
    disk_look_s: float | None = 2.0
    folder_rest_s: float = 3.0
    check_facts: bool = True


@dataclass(frozen=True, slots=True)
class World:
    """The ports a turn uses, and what all turns share.

    Attributes:
        new_id: gives an id nobody has used yet.
        locks: held by whoever moves a chat's leaf, or changes what was read of it.
        owed: ends of turns that could not be kept yet.
        pictures: the bytes of pictures of open chats.
        folder_watch: tells when something changes in a folder; without one it is looked at every few moments.
        workspaces: what chats are told besides their own settings; none where nothing is kept.
        preferences, keys, exchange: where preferences and providers' keys are kept, and files of exports; a front end
            without settings does without them.
        prefer: lets other preferences hold for what was made from the old ones.
        origin_of: whose key a server's address needs; `InvalidInput` where it cannot be used.
        elara: the encryption of Elara's files, for a key.
        rooms: the tools and servers of workspaces; without it those of `toolbox` are used everywhere.
        folder_offer: what a folder offers to a workspace; it is read, so it takes a while.
        places: what was said in the chats of each workspace, by its words.
        trace: takes note of how long each step takes, for who looks for what is slow.
        watch: makes what listens for requests of other programs; None where nobody can.
        sessions: what other programs left on this computer; None where nobody looks.
        matches: looks for the patterns of checks, and ends what takes too long.
        sides: the side question that was asked last in a chat, by its id.
        web_search: searches the web; None where nobody can. searched: searches whose pages may go along with the next
            question of a chat.
        spending: what requests cost, and the caps on it; `models` counts there. None where nothing is counted.
        folders: searches followed folders, and keeps their indexes; None where nothing is kept.
    """

    builder: Builder
    store: HistoryStore
    models: Models
    prices: PriceList
    toolbox: Toolbox | None
    attachments: AttachmentReader
    utc: UtcClock
    new_id: Callable[[], str]
    tasks: Tasks
    limits: Limits = field(default_factory=Limits)
    parameters: dict[str, Any] = field(default_factory=dict)
    locks: ChatLocks = field(default_factory=ChatLocks)
    owed: Owed = field(default_factory=Owed)
    pictures: PictureShelves = field(default_factory=PictureShelves)
    folder_watch: FolderWatch | None = None
    workspaces: Workspaces = field(default_factory=Workspaces)
    preferences: PreferencesStore | None = None
    keys: ProviderKeys | None = None
    exchange: ExchangeFiles | None = None
    prefer: Callable[[Preferences], None] = lambda preferences: None
    origin_of: Callable[[str], str] = lambda address: address
    elara: Callable[[Secret], SealedFiles] | None = None
    rooms: ToolRooms | None = None
    folder_offer: Callable[[str], FolderOffer] | None = None
    workspace_indexes: dict[str, WorkspaceIndex] = field(default_factory=dict)
    trace: Trace | None = None
    watch: Callable[[], ProgramWatch] | None = None
    sessions: SessionsOnDisk | None = None
    matches: Matches = search_here
    sides: dict[str, Asked] = field(default_factory=dict)
    web_search: WebSearcher | None = None
    searched: dict[str, list[WebSearch]] = field(default_factory=dict)
    spending: Spending | None = None
    folders: FollowedFolders | None = None

    def search_hints(self, chat: str, attached: Collection[str]) -> dict[str, Any]:
        """What a question notes of the searches whose pages are attached to it, once; nothing where none are."""
        searches = self.searched.pop(chat, [])
        notes = [one.note(taken) for one in searches if (taken := one.taken(attached))]
        if left := [one for one in searches if not one.taken(attached)]:
            self.searched[chat] = left
        return {SEARCHED: notes} if notes else {}

    @property
    def providers(self) -> tuple[ContextProvider, ...]:
        """Context providers for recall, in the order they are asked."""
        recall = self.builder.recall
        elsewhere = SaidElsewhere(self.store, recall, self.workspace_indexes)
        found: tuple[ContextProvider, ...] = (SaidHere(recall), elsewhere, AttachedSections(recall))
        return found if self.folders is None else (*found, self.folders)

    def toolbox_in(self, place: Workspace | None) -> Toolbox | None:
        """The tools of a workspace, bound to its folder; the program's own if there is none."""
        return self.toolbox if place is None or self.rooms is None else self.rooms.tools(place)
