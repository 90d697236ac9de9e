"""An attached file opened to choose its parts: read from the copy that was kept, then counted part by part."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.context.explain.part_offers import listed_parts
from workbench.context.explain.standalone_cost import artifact_tokens
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import Document, Section
from workbench.domain.files.document_parts import part_text
from workbench.domain.models.model import ModelCard
from workbench.domain.settings.preferences import CounterName
from workbench.domain.shown.parts_view import PartRow, PartsView
from workbench.engine.assembly.counters import Counters
from workbench.engine.attaching_intents import ChooseParts
from workbench.engine.chats.attached_parts import PARTED, file_name, whole_of
from workbench.engine.completion.sources import Documents
from workbench.engine.events import ChatShown
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.state import ChatState

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
    """Shows the parts of one file; what is attached meanwhile is followed."""

    def __init__(self, scope: ChatScope, documents: Documents) -> None:
        self._scope, self._world, self._documents = scope, scope.world, documents
        self._task: asyncio.Task[None] | None = None
        self._emptied = ""
        self._texts: dict[str, str] = {}

    def look(self, key: str) -> None:
        """Open an attached file; without a key, close the one that is open."""
        if self._task is not None:
            self._task.cancel()
        self._emptied = ""
        state = self._scope.state
        held = None if state is None else _held(state, key)
        if held is None:
            self._show(None)
            return
        self._show(PartsView(held.key, held.key, held.told, reading=True))
        self._task = self._scope.spawn(f"parts of {held.key}", self._read(held))

    def chosen(self, intent: ChooseParts) -> None:
        """Other parts are chosen: where that is none, the file stays open to choose from."""
        self._emptied = "" if intent.anchors or intent.whole else intent.file

    async def _read(self, held: Artifact) -> None:
        copy = await self._world.store.newest_snapshot(self._scope.chat, held.key)
        if copy is None or copy.artifact.kind not in PARTED:
            self._tell(problem="It was not attached from a file.", reading=False)
            return
        try:
            document, digest = await self._documents.read(file_name(copy), copy.content, copy.read_as.chosen)
        except CannotAttach as refusal:
            self._tell(problem=str(refusal), reading=False)
            return
        parts = listed_parts(document)
        file, name = whole_of(held.key, copy.place), whole_of(held.told, copy.place)
        view = PartsView(
            file, held.key, name, copy.taken_utc, digest, document.read_as, document.text,
            tuple(PartRow(part) for part in parts), reading=False,
        )  # fmt: skip
        state = self._scope.state
        if state is not None:
            self._texts = _texts(view.file, state.conversation.attached)
            self._show(_with_choice(view, state.conversation.attached))
            await self._count(document, parts, self._counting(state, name))

    async def _count(self, document: Document, parts: Sequence[Section], counting: _Counting) -> None:
        try:
            whole = await asyncio.to_thread(counting.whole, document)
            self._tell(tokens=whole, exact=counting.exact)
            for start in range(0, len(parts), _BATCH):
                batch = parts[start : start + _BATCH]
                counts = await asyncio.to_thread(counting.counts, document, batch)
                self._add(start, counts)
        finally:
            self._world.builder.counters.take_over(counting.counters)

    def _counting(self, opened: ChatState, told: str) -> _Counting:
        builder, settings = self._world.builder, opened.chat.settings
        card = builder.catalogue.find(settings.model)
        if opened.prepared is not None:
            card = opened.prepared.built.inputs.model
        return _Counting(builder.counters.apart(card), settings.counter, card, told)

    def _add(self, start: int, counts: Sequence[int]) -> None:
        view = self._shown()
        if view is not None:
            rows = list(view.rows)
            for place, tokens in enumerate(counts, start):
                rows[place] = replace(rows[place], tokens=tokens)
            self._tell(rows=tuple(rows))

    def _shown(self) -> PartsView | None:
        state = self._scope.state
        return None if state is None else state.parts

    def _show(self, view: PartsView | None) -> None:
        self._scope.emit(ChatShown(self._scope.chat, {"parts": view}))

    def _tell(self, **changes: object) -> None:
        view = self._shown()
        if view is not None:
            self._show(replace(view, **changes))  # type: ignore[arg-type]

    def follow(self) -> None:
        """What is attached may be another now: other parts, another text, or nothing of it."""
        state = self._scope.state
        if state is None or state.parts is None or state.parts.reading:
            return
        attached = state.conversation.attached
        view = _with_choice(state.parts, attached)
        texts, before = _texts(view.file, attached), self._texts
        renewed = [key for key, digest in texts.items() if before.get(key, digest) != digest]
        self._texts = texts
        if renewed:
            self.look(renewed[0])
        elif not texts and self._emptied != view.file:
            self.look("")
        elif view != state.parts:
            self._show(view)


def _texts(file: str, attached: Sequence[Artifact]) -> dict[str, str]:
    ours = [one for one in attached if one.key == file or one.key.startswith(f"{file}#")]
    return {one.key: one.content_digest for one in ours}


def _held(opened: ChatState, key: str) -> Artifact | None:
    return next((one for one in opened.conversation.attached if one.key == key), None)


def _with_choice(view: PartsView, attached: Sequence[Artifact]) -> PartsView:
    start = f"{view.file}#"
    chosen = tuple(one.key[len(start) :] for one in attached if one.key.startswith(start))
    rows = tuple(
        row if row.chosen == (row.part.anchor in chosen) else replace(row, chosen=row.part.anchor in chosen)
        for row in view.rows
    )
    whole = any(one.key == view.file for one in attached)
    return replace(view, chosen=chosen, whole=whole, rows=rows)
