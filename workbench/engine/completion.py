"""Sources for completing @names, shared by all open chats: files, documents, their costs, and other chats."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from workbench.context.count.counting import picture_tokens
from workbench.context.explain.offers import file_offers
from workbench.context.request_cost import attached_tokens, first_place_tokens, opening_tokens
from workbench.domain.files.attached import Attached, CannotAttach, FolderList, ListedFile
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import AS_FOUND, PLAIN_KINDS, Document, Reading
from workbench.domain.message import Image
from workbench.domain.model import ModelCard
from workbench.domain.record import Chat
from workbench.domain.shown.completion_view import Offer
from workbench.domain.translation import tr
from workbench.engine.assembly.prepare import make_sendable
from workbench.engine.chats.mentioned import Meanings
from workbench.engine.events import ChatClosed, ChatLoaded, ChatNamed, Event, ProgramShown
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import World
from workbench.ports.attaching import AttachmentReader
from workbench.ports.counting import TokenCounter

# What offers would cost: read and counted one by one, beside the loop, and remembered as long as they are the same.


LONGEST_COUNTED = 1_000_000
"""So many characters are counted; of a longer text a part is, and the rest in proportion."""
_SAMPLE = 200_000
_MOST_KNOWN = 2_000


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens of something in full; `problem` says why it cannot be attached. With `passing`, a provisional estimate.

    A `passing` one is estimated only until the model's server has counted.
    """

    tokens: int | None = None
    estimated: bool = False
    problem: str = ""
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """What the next attachment costs beside its own block, given the request as it is.

    Attributes:
        opening: what the first one costs more; 0 where something is in this turn's message already.
        place: what is counted with the one that stands first there, whose key is `first`.
    """

    opening: int = 0
    place: int = 0
    first: str = ""


class Costs:
    """Counts costs for one model at a time, and caches them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[Hashable, Cost] = {}

    def known(self, opened: ChatState, about: Hashable) -> Cost | None:
        return self._known.get((self._model(opened), about))

    async def of(
        self, opened: ChatState, about: Hashable, made: Callable[[], Awaitable[Artifact | Attached | None]]
    ) -> Cost:
        """Cost of something; `about` is its cache key, `made` creates it."""
        key = (self._model(opened), about)
        if key not in self._known:
            cost = await self._count(opened, made)
            if cost.passing:
                return cost
            while len(self._known) >= _MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[key] = cost
        return self._known[key]

    async def _count(
        self, opened: ChatState, made: Callable[[], Awaitable[Artifact | Attached | None]]
    ) -> Cost:
        try:
            found = await made()
        except CannotAttach as refusal:
            return Cost(problem=refusal.reason)
        if found is None:
            return Cost(problem=tr("it is not there any more"))
        card, counters = self._card(opened), self._world.builder.counters
        apart = counters.copy(card)
        try:
            counter = apart.counter(opened.chat.settings.counter, card)
            if isinstance(found, Attached) and found.picture is not None:
                shown = found.picture
                image = Image(found.sha256, width=shown.width, height=shown.height)
                return Cost(picture_tokens(image, card.pictures), estimated=True)
            artifact = _as_told(found) if isinstance(found, Attached) else found
            return await asyncio.to_thread(lambda: cost_of(self._sendable(artifact, opened), counter))
        finally:
            counters.merge(apart)

    def _sendable(self, artifact: Artifact, opened: ChatState) -> Artifact:
        """The artifact with secrets and control tokens replaced as the settings ask."""
        if opened.prepared is None:
            return artifact
        builder = self._world.builder
        apart = replace(builder, neutraliser=builder.neutraliser.copy(), guard=builder.guard.copy())
        turn = replace(
            opened.prepared.built.inputs, history=(), library=(), attached=(artifact,),
            question=None, tool_results=(), rounds=(),
        )  # fmt: skip
        sendable, _ = make_sendable(turn, apart)
        return sendable.attached[0]

    async def around(self, opened: ChatState) -> Around:
        """What any further attachment would add to the next request beside its own text."""
        layers = () if opened.view is None else opened.view.layers
        rows = [row for layer in layers if layer.name == "L3_TURN" for row in layer.rows if row.counted]
        card, counters = self._card(opened), self._world.builder.counters
        apart = counters.copy(card)
        try:
            counter = apart.counter(opened.chat.settings.counter, card)
            if not rows:
                return Around(await asyncio.to_thread(opening_tokens, opened.draft, counter))
            return Around(0, await asyncio.to_thread(first_place_tokens, counter), rows[0].key.id)
        finally:
            counters.merge(apart)

    def _card(self, opened: ChatState) -> ModelCard:
        if opened.prepared is not None:
            return opened.prepared.built.inputs.model
        return self._world.builder.catalogue.find(opened.chat.settings.model)

    def _model(self, opened: ChatState) -> Hashable:
        settings, card = opened.chat.settings, self._card(opened)
        return settings.model, settings.counter, self._world.builder.counters.ratio(settings.counter, card)


def _as_told(found: Attached) -> Artifact:
    return replace(found.artifact, name=found.names[0]) if found.names else found.artifact


def cost_of(artifact: Artifact, counter: TokenCounter) -> Cost:
    """Cost of a text as an attachment; estimated if it is very long."""
    chars = len(artifact.text)
    if chars <= LONGEST_COUNTED:
        tokens = attached_tokens(artifact, counter)
        passing = counter.exact and not counter.settled
        return Cost(tokens, estimated=passing or not counter.exact, passing=passing)
    middle = chars // 2
    pieces = (artifact.text[:_SAMPLE], artifact.text[middle : middle + _SAMPLE], artifact.text[-_SAMPLE:])
    counted = sum(attached_tokens(replace(artifact, text=piece), counter) for piece in pieces)
    return Cost(counted * chars // (3 * _SAMPLE), estimated=True)


MOST_FILES = 50_000
FRESH_S = 5.0
_MOST_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class OfferedFiles:
    """The files of one folder: as offers, and by the names they are offered under."""

    offers: tuple[Offer, ...] = ()
    by_name: Mapping[str, ListedFile] = field(default_factory=dict)
    read_s: float = 0.0


class KnownFiles:
    """Lists folders; one listing is shared by all who wait for it, and typing does not cancel it."""

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
        """The files of a folder as they are now (without a path, of the workspace), under the folder's `name`."""
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
    """Cache of parsed documents, by their bytes and how they were read."""

    def __init__(self, attachments: AttachmentReader) -> None:
        self._attachments = attachments
        self._held: dict[tuple[str, Reading], Document] = {}

    async def read(self, name: str, content: bytes, reading: Reading = AS_FOUND) -> tuple[Document, str]:
        """Parse a file; return the document and the digest of its bytes. `CannotAttach` if it cannot be read."""
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
    """Caches of what is offered for completion.

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
        """All chats; read once per name, not per letter."""
        if self._chats is None:
            chats = await self._world.store.chats()
            # What is said in a temporary chat goes into no other one.
            self._chats = tuple(one for one in chats if not one.filed.temporary)
        return self._chats

    def begin_name(self) -> None:
        """Another name is being typed: drop the cached list of chats."""
        self._chats = None

    async def document(self, told: str, about: Hashable, meant: Meanings) -> Document:
        """The document of a named file; `about` is its cache key. `CannotAttach` if it cannot be read."""
        if about not in self._opened:
            document = await self._read(told, meant)
            while len(self._opened) >= _MOST_OPENED:
                del self._opened[next(iter(self._opened))]
            self._opened[about] = document
        return self._opened[about]

    async def _read(self, told: str, meant: Meanings) -> Document:
        found = await meant.file(told)
        if found is None:
            raise CannotAttach(told, tr("it is not there any more"), tr("Choose another file."))
        if found.document is not None and found.read_as.kind not in PLAIN_KINDS:
            return found.document
        document, _ = await self.documents.read(PurePath(told).name, found.content)
        return document

    def _follow(self, event: Event, _state: WorkbenchState) -> None:
        listed = isinstance(event, ProgramShown) and "chats" in event.fields
        if listed or isinstance(event, ChatLoaded | ChatNamed | ChatClosed):
            self._chats = None
