"""What names are completed from: files, documents, their costs and other chats; shared by all open chats."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from workbench.context.explain.offers import file_offers
from workbench.domain.files.attached import CannotAttach, FolderList, ListedFile
from workbench.domain.files.document import AS_FOUND, PLAIN_KINDS, Document, Reading
from workbench.domain.record import Chat
from workbench.domain.shown.completion_view import Offer
from workbench.engine.chats.mentioned import Meanings
from workbench.engine.completion.counting import Costs
from workbench.engine.events import ChatClosed, ChatLoaded, ChatNamed, Event, ProgramShown
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import World
from workbench.ports.attaching import AttachmentReader

MOST_FILES = 50_000
FRESH_S = 5.0
_MOST_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class OfferedFiles:
    """One folder's files: as offers, and by the names they are offered under."""

    offers: tuple[Offer, ...] = ()
    by_name: Mapping[str, ListedFile] = field(default_factory=dict)
    read_s: float = 0.0


class KnownFiles:
    """Lists folders; a list that is being made is waited for by all who want it, and no key that is typed ends it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[tuple[str, str], OfferedFiles] = {}
        self._making: dict[tuple[str, str], asyncio.Task[OfferedFiles]] = {}

    def at_hand(self, folder: str, name: str) -> OfferedFiles | None:
        return self._known.get((folder, name))

    def is_fresh(self, folder: str, name: str) -> bool:
        known = self._known.get((folder, name))
        return known is not None and asyncio.get_running_loop().time() - known.read_s < FRESH_S

    async def listed(self, folder: str, name: str) -> OfferedFiles:
        """The files of a folder as they are now; without a path, of the workspace. `name` is what it is called."""
        key = (folder, name)
        if self.is_fresh(*key):
            return self._known[key]
        if key not in self._making:
            task = self._making[key] = self._world.tasks.spawn(f"list files of {name}", self._list(*key))
            task.add_done_callback(lambda _: self._making.pop(key, None))
        return await asyncio.shield(self._making[key])

    async def _list(self, folder: str, name: str) -> OfferedFiles:
        found = await self._world.attachments.list_files(folder, MOST_FILES)
        files = await asyncio.to_thread(_offered, found, name)
        made = OfferedFiles(files.offers, files.by_name, asyncio.get_running_loop().time())
        self._known.pop((folder, name), None)
        while len(self._known) >= _MOST_FOLDERS:
            del self._known[next(iter(self._known))]
        self._known[folder, name] = made
        return made


def _offered(found: FolderList | None, name: str) -> OfferedFiles:
    if found is None:
        return OfferedFiles()
    front = f"{name}/" if name else ""
    return OfferedFiles(file_offers(found, name), {f"{front}{one.path}": one for one in found.files})


_MOST_HELD = 4


class Documents:
    """Documents by their bytes and how they were read."""

    def __init__(self, attachments: AttachmentReader) -> None:
        self._attachments = attachments
        self._held: dict[tuple[str, Reading], Document] = {}

    async def read(self, name: str, content: bytes, reading: Reading = AS_FOUND) -> tuple[Document, str]:
        """What a file became, with its outline, and the digest of its bytes; `CannotAttach` where that is nothing."""
        digest = (await asyncio.to_thread(hashlib.sha256, content)).hexdigest()
        key = (digest, reading)
        if key not in self._held:
            made = await self._attachments.document(name, content, reading)
            while len(self._held) >= _MOST_HELD:
                del self._held[next(iter(self._held))]
            self._held[key] = made
        return self._held[key], digest


_MOST_OPENED = 4


class Sources:
    """Caches of what is offered.

    Attributes:
        documents: what attached files became. files: of folders. costs: of what is offered.
    """

    def __init__(self, world: World, states: StateStore) -> None:
        self._world = world
        self.documents = Documents(world.attachments)
        self.files, self.costs = KnownFiles(world), Costs(world)
        self._opened: dict[Hashable, Document] = {}
        self._chats: tuple[Chat, ...] | None = None
        states.subscribe(self._follow)

    async def chats(self) -> tuple[Chat, ...]:
        """All chats; read again for every name, not for every letter of it."""
        if self._chats is None:
            self._chats = await self._world.store.chats()
        return self._chats

    def begin_name(self) -> None:
        """Another name is typed: what chats there are is read again."""
        self._chats = None

    async def document(self, told: str, about: Hashable, meant: Meanings) -> Document:
        """A file that is called so; `about` changes where it does. `CannotAttach` where it cannot be read."""
        if about not in self._opened:
            document = await self._read(told, meant)
            while len(self._opened) >= _MOST_OPENED:
                del self._opened[next(iter(self._opened))]
            self._opened[about] = document
        return self._opened[about]

    async def _read(self, told: str, meant: Meanings) -> Document:
        found = await meant.file(told)
        if found is None:
            raise CannotAttach(told, "it is not there any more", "Choose another file.")
        if found.document is not None and found.read_as.kind not in PLAIN_KINDS:
            return found.document
        document, _ = await self.documents.read(PurePath(told).name, found.content)
        return document

    def _follow(self, event: Event, _state: WorkbenchState) -> None:
        listed = isinstance(event, ProgramShown) and "chats" in event.fields
        if listed or isinstance(event, ChatLoaded | ChatNamed | ChatClosed):
            self._chats = None
