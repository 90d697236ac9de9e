"""An attached file opened to choose its parts: read from the copy that was kept, then counted part by part."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.context.explain.part_rows import listed_parts
from workbench.context.explain.standalone_cost import artifact_tokens
from workbench.domain.attached import CannotAttach
from workbench.domain.attachment import Artifact
from workbench.domain.document import Document, Section
from workbench.domain.document_parts import part_text
from workbench.domain.model import ModelCard
from workbench.domain.preferences import CounterName
from workbench.domain.shown.parts_view import PartRow, PartsView
from workbench.engine.assembly.counters import Counters
from workbench.engine.attaching_intents import ChooseParts, CompareFile, ShowParts
from workbench.engine.chats.parts import PARTED, file_name, whole_of
from workbench.engine.completion.documents import Documents
from workbench.engine.events import ChatLoaded, Event, PartsShown
from workbench.engine.shown.file_changes import FileComparing
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.store import StateStore
from workbench.engine.world import World

_BATCH = 40


@dataclass(frozen=True, slots=True)
class _Counting:
    """Counts parts as attachments of a chat would be counted; used in a thread."""

    counters: Counters
    name: CounterName
    card: ModelCard
    told: str

    def counts(self, document: Document, parts: Sequence[Section]) -> list[int]:
        counter = self.counters.counter(self.name, self.card)
        return [
            artifact_tokens(
                Artifact(f"{self.told}#{part.anchor}", "file", part_text(document, part)), counter
            )
            for part in parts
        ]

    def whole(self, document: Document) -> int:
        counter = self.counters.counter(self.name, self.card)
        return artifact_tokens(Artifact(self.told, "file", document.text), counter)

    @property
    def exact(self) -> bool:
        counter = self.counters.counter(self.name, self.card)
        return counter.exact and counter.settled


class FileParts:
    """Shows the parts of one file a chat; what is attached meanwhile is followed."""

    def __init__(self, world: World, states: StateStore, documents: Documents) -> None:
        self._world, self._states, self._documents = world, states, documents
        self._comparing = FileComparing(world, states)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._emptied: dict[str, str] = {}
        self._texts: dict[str, dict[str, str]] = {}
        states.subscribe(self._follow)

    def look(self, intent: ShowParts | CompareFile) -> None:
        """Open a file of a chat, or close it; or hold it against what lies on the disk."""
        if isinstance(intent, CompareFile):
            self._comparing.look(intent)
            return
        chat = intent.chat
        if chat in self._tasks:
            self._tasks.pop(chat).cancel()
        self._emptied.pop(chat, None)
        opened = self._states.state.open.get(chat)
        held = None if opened is None else _held(opened, intent.key)
        if not intent.key or opened is None or held is None:
            self._states.emit(PartsShown(chat, None))
            return
        self._states.emit(PartsShown(chat, PartsView(held.key, held.key, held.told, reading=True)))
        self._tasks[chat] = self._world.tasks.spawn(f"parts of {held.key}", self._read(chat, held))

    def chosen(self, intent: ChooseParts) -> None:
        """Other parts are chosen: where that is none, the file stays open to choose from."""
        if intent.anchors or intent.whole:
            self._emptied.pop(intent.chat, None)
        else:
            self._emptied[intent.chat] = intent.file

    async def _read(self, chat: str, held: Artifact) -> None:
        copy = await self._world.store.newest_snapshot(chat, held.key)
        if copy is None or copy.artifact.kind not in PARTED:
            self._tell(chat, problem="It was not attached from a file.", reading=False)
            return
        try:
            document, digest = await self._documents.read(file_name(copy), copy.content, copy.read_as.chosen)
        except CannotAttach as refusal:
            self._tell(chat, problem=str(refusal), reading=False)
            return
        parts = listed_parts(document)
        file, name = whole_of(held.key, copy.place), whole_of(held.told, copy.place)
        view = PartsView(
            file, held.key, name, copy.taken_utc, digest, document.read_as, document.text,
            tuple(PartRow(part) for part in parts), reading=False,
        )  # fmt: skip
        opened = self._states.state.open.get(chat)
        if opened is not None:
            self._texts[chat] = _texts(view.file, opened.conversation.attached)
            self._states.emit(PartsShown(chat, _with_choice(view, opened.conversation.attached)))
            await self._count(chat, document, parts, self._counting(opened, name))

    async def _count(
        self, chat: str, document: Document, parts: Sequence[Section], counting: _Counting
    ) -> None:
        try:
            whole = await asyncio.to_thread(counting.whole, document)
            self._tell(chat, tokens=whole, exact=counting.exact)
            for start in range(0, len(parts), _BATCH):
                batch = parts[start : start + _BATCH]
                counts = await asyncio.to_thread(counting.counts, document, batch)
                self._add(chat, start, counts)
        finally:
            self._world.builder.counters.take_over(counting.counters)

    def _counting(self, opened: ChatState, told: str) -> _Counting:
        builder, settings = self._world.builder, opened.chat.settings
        card = builder.catalogue.find(settings.model)
        if opened.prepared is not None:
            card = opened.prepared.built.inputs.model
        return _Counting(builder.counters.apart(card), settings.counter, card, told)

    def _add(self, chat: str, start: int, counts: Sequence[int]) -> None:
        view = self._shown(chat)
        if view is not None:
            rows = list(view.rows)
            for place, tokens in enumerate(counts, start):
                rows[place] = replace(rows[place], tokens=tokens)
            self._tell(chat, rows=tuple(rows))

    def _shown(self, chat: str) -> PartsView | None:
        opened = self._states.state.open.get(chat)
        return None if opened is None else opened.parts

    def _tell(self, chat: str, **changes: object) -> None:
        view = self._shown(chat)
        if view is not None:
            self._states.emit(PartsShown(chat, replace(view, **changes)))  # type: ignore[arg-type]

    def _follow(self, event: Event, state: WorkbenchState) -> None:
        """What is attached may be another now: other parts, another text, or nothing of it."""
        if not isinstance(event, ChatLoaded):
            return
        chat = event.chat.id
        opened = state.open.get(chat)
        if opened is None or opened.parts is None or opened.parts.reading:
            return
        view = _with_choice(opened.parts, opened.conversation.attached)
        texts, before = _texts(view.file, opened.conversation.attached), self._texts.get(chat, {})
        renewed = [key for key, digest in texts.items() if before.get(key, digest) != digest]
        self._texts[chat] = texts
        if renewed:
            self.look(ShowParts(chat, renewed[0]))
        elif not texts and self._emptied.get(chat) != view.file:
            self.look(ShowParts(chat))
        elif view != opened.parts:
            self._states.emit(PartsShown(chat, view))


def _texts(file: str, attached: Sequence[Artifact]) -> dict[str, str]:
    """The digests of what is attached of a file."""
    ours = [one for one in attached if one.key == file or one.key.startswith(f"{file}#")]
    return {one.key: one.content_digest for one in ours}


def _held(opened: ChatState, key: str) -> Artifact | None:
    return next((one for one in opened.conversation.attached if one.key == key), None)


def _with_choice(view: PartsView, attached: Sequence[Artifact]) -> PartsView:
    """The same with what of it is attached now."""
    start = f"{view.file}#"
    chosen = tuple(one.key[len(start) :] for one in attached if one.key.startswith(start))
    rows = tuple(
        row if row.chosen == (row.part.anchor in chosen) else replace(row, chosen=row.part.anchor in chosen)
        for row in view.rows
    )
    whole = any(one.key == view.file for one in attached)
    return replace(view, chosen=chosen, whole=whole, rows=rows)
