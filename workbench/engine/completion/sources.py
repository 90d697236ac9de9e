"""What names are completed from: files, documents, their costs and other chats; shared by all open chats."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import PurePath

from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.document import PLAIN_KINDS, Document
from workbench.domain.record import Chat
from workbench.engine.chats.mentioned import Meanings
from workbench.engine.completion.counting import Costs
from workbench.engine.completion.documents import Documents
from workbench.engine.completion.known_files import KnownFiles
from workbench.engine.events import ChatClosed, ChatLoaded, ChatNamed, Event
from workbench.engine.shown_events import ProgramShown
from workbench.engine.state import WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import World

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
