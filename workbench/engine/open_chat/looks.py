"""Closer looks from the window: at parts of a file, older turns, layouts, and why something was quoted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from workbench.context.assembly.quotes import Quotes, turn_numbers
from workbench.context.explain.offers import listed_parts
from workbench.context.recall.rank import marks as marks_of
from workbench.context.request_cost import attached_tokens
from workbench.context.text.changed_text import changed_lines
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import AS_FOUND, Document, Section
from workbench.domain.files.document_parts import part_text
from workbench.domain.folder_index import QuotedFile
from workbench.domain.message import Entry, Message
from workbench.domain.model import ModelCard
from workbench.domain.recall import Found, MatchedWord, Wanted, lines_of
from workbench.domain.settings.context_settings import CounterName
from workbench.domain.shown.influence_view import MarkedWord, Neighbour, NeighbourState, WhyView
from workbench.domain.shown.parts_view import FileChanges, PartRow, PartsView
from workbench.domain.translation import tr
from workbench.engine import events
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.attaching_intents import ChooseParts, CompareFile, Complete, ShowParts
from workbench.engine.chats.attached_parts import PARTED, file_name, whole_of, with_part
from workbench.engine.chats.file_keeping import earlier_copy
from workbench.engine.completion import Documents, Sources
from workbench.engine.events import ChatShown
from workbench.engine.intents import CheckFacts, CompareLayouts, CompareTurns, OpenTurn
from workbench.engine.open_chat.completing import Completing
from workbench.engine.open_chat.fact_checks import FactChecks
from workbench.engine.open_chat.layouts import Layouts
from workbench.engine.open_chat.past import Past
from workbench.engine.open_chat.recall import SETTLE_S
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.open_chat.variants import Variants
from workbench.engine.recall.finding import asked_words, words_of
from workbench.engine.recall.providers import in_slices
from workbench.engine.shown.inspection import counter_of
from workbench.engine.state import ChatState
from workbench.engine.tasks import Latest
from workbench.engine.tuning_intents import CompareVariants, DiffVariant, LookAtQuote, ReadQuote

# An attached file opened to choose its parts: read from the copy that was kept, then counted part by part.


_BATCH = 40


@dataclass(frozen=True, slots=True)
class _Counting:
    """Counts the tokens of parts as if they were attached; used in a thread."""

    counters: Counters
    name: CounterName
    card: ModelCard
    told: str

    def counts(self, document: Document, parts: Sequence[Section]) -> list[int]:
        counter = self.counters.counter(self.name, self.card)
        return [
            attached_tokens(
                Artifact(f"{self.told}#{part.anchor}", "file", part_text(document, part)), counter
            )
            for part in parts
        ]

    def whole(self, document: Document) -> int:
        counter = self.counters.counter(self.name, self.card)
        return attached_tokens(Artifact(self.told, "file", document.text), counter)

    @property
    def exact(self) -> bool:
        counter = self.counters.counter(self.name, self.card)
        return counter.exact and counter.settled


class FileParts:
    """Shows the parts of one attached file; follows changes of what is attached."""

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
        held = None if state is None else _attached_artifact(state, key)
        if held is None:
            self._show(None)
            return
        self._show(PartsView(held.key, held.key, held.name_for_model, reading=True))
        self._task = self._scope.spawn(f"parts of {held.key}", self._read(held))

    def chosen(self, intent: ChooseParts) -> None:
        """Notes a choice of parts; a file of which none is chosen stays open to choose from."""
        self._emptied = "" if intent.anchors or intent.whole else intent.file

    async def _read(self, held: Artifact) -> None:
        copy = await self._world.store.newest_snapshot(self._scope.chat, held.key)
        if copy is None or copy.artifact.kind not in PARTED:
            self._tell(problem=tr("It was not attached from a file."), reading=False)
            return
        try:
            document, digest = await self._documents.read(file_name(copy), copy.content, copy.read_as.chosen)
        except CannotAttach as refusal:
            self._tell(problem=str(refusal), reading=False)
            return
        parts = listed_parts(document)
        file, name = whole_of(held.key, copy.place), whole_of(held.name_for_model, copy.place)
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
            self._world.builder.counters.merge(counting.counters)

    def _counting(self, opened: ChatState, told: str) -> _Counting:
        builder, settings = self._world.builder, opened.chat.settings
        card = builder.catalogue.find(settings.model)
        if opened.prepared is not None:
            card = opened.prepared.built.inputs.model
        return _Counting(builder.counters.copy(card), settings.counter, card, told)

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
        """Update the view after what is attached has changed."""
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


def _attached_artifact(opened: ChatState, key: str) -> Artifact | None:
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


# Why something of the past is in a request: worked out when somebody looks, and again while the request changes.


_ROLES = ("user", "assistant")


_AROUND_LINES = 300
"""How much of a file is shown around a quote: all of a long one would take seconds to lay out."""


class QuoteLook:
    """Shows why one message is quoted; closes when the quote is gone."""

    def __init__(self, scope: ChatScope) -> None:
        self._scope, self._builder = scope, scope.world.builder
        self._wait_s = 0.0
        self._placing = Latest(scope, self._place, lambda: self._wait_s)

    async def do(self, intent: LookAtQuote | ReadQuote) -> None:
        if isinstance(intent, ReadQuote):
            await self._read(intent.id)
        elif (state := self._scope.state) is not None:
            self._show(state, intent.id)

    async def _read(self, key: str) -> None:
        """Show the file that a quote is from, at the quote's lines."""
        file, folders = key.rpartition("#")[0], self._scope.world.folders
        text = await folders.text_of(file) if file and folders is not None else ""
        if (state := self._scope.state) is not None:
            first, last = lines_of(key)
            begin = max(0, first - 1 - _AROUND_LINES)
            around = "\n".join(text.split("\n")[begin : last + _AROUND_LINES])
            read = QuotedFile(file, around, first, last, begin + 1) if file else None
            self._scope.emit(ChatShown(state.chat.id, {"quoted_file": read}))

    def follow(self) -> None:
        state = self._scope.state
        if state is not None and state.why is not None:
            self._show(state, state.why.id)

    def _show(self, opened: ChatState, wanted: str) -> None:
        self._placing.cancel()
        rows = () if opened.shown is None or not wanted else opened.shown.quotes
        row = next((one for one in rows if wanted in (one.key.id, *one.members)), None)
        if row is None or row.found is None:
            self._tell(None)
            return
        known = opened.why if opened.why is not None and opened.why.id == wanted else None
        now = opened.prepared if opened.shown is opened.view else None
        view = _why(opened, row.found)
        if now is not None and not row.found.text:
            before, after = self._neighbours(opened, now, wanted)
            view = replace(view, before=before, after=after)
        if known is not None:
            # Where it stands is worked out anew in a moment; until then it stands where it stood.
            view = replace(view, place=known.place, messages=known.messages)
        self._tell(view)
        if now is not None and not row.found.text:
            # While somebody types, it waits as what is looked for does: never in the frame of a keystroke.
            self._wait_s = 0.0 if known is None else SETTLE_S
            self._placing.call(f"why in {opened.chat.id}", (_recall_query(opened, now), view))

    async def _place(self, asked: tuple[Wanted, WhyView]) -> None:
        wanted, view = asked
        found = await in_slices(self._builder.recall.placing(wanted, view.id))
        if not self._placing.is_wanted(asked):
            return
        score, words = view.score, view.words
        if not words and found.match.words:
            score, words = found.match.score, _ordered(found.match.words)
        marks = _marked(view.text, words)
        self._tell(
            replace(view, score=score, words=words, marks=marks, place=found.place, messages=found.messages)
        )

    def _tell(self, view: WhyView | None) -> None:
        state = self._scope.state
        if state is not None and state.why != view:
            self._scope.emit(ChatShown(state.chat.id, {"why": view}))

    def _neighbours(self, opened: ChatState, now: Prepared, wanted: str) -> Iterator[Neighbour | None]:
        """The messages right before and after a quoted one, with what quoting them would cost."""
        quotes = Quotes(now.built.inputs, counter_of(now.built, self._builder))
        turns = turn_numbers(now.built.inputs)
        for entry in _adjacent(opened.conversation.said, wanted):
            if entry is None:
                yield None
                continue
            tokens = quotes.cost(Found(entry.id, 0.0))
            text, role = words_of(entry)
            yield Neighbour(entry.id, role, turns.get(entry.id, 0), text, tokens, _state(entry, opened, now))


def _recall_query(opened: ChatState, now: Prepared) -> Wanted:
    inputs, talk = now.built.inputs, opened.conversation
    question = "" if inputs.question is None else inputs.question.text
    return Wanted(opened.chat.id, asked_words(question), inputs.settings, talk.said, times=talk.times)


def _why(opened: ChatState, found: Found) -> WhyView:
    said = next((one for one in opened.conversation.said if one.id == found.id), None)
    text = found.text or ("" if said is None else words_of(said)[0])
    words = _ordered(found.words)
    return WhyView(found.id, text, found.score, words, _marked(text, words))


def _adjacent(history: Sequence[Entry], wanted: str) -> tuple[Entry | None, Entry | None]:
    """The messages before and after one, tool results skipped."""
    said = [one for one in history if one.id == wanted or _is_read(one)]
    place = next((number for number, one in enumerate(said) if one.id == wanted), None)
    if place is None:
        return None, None
    return (said[place - 1] if place else None), (said[place + 1] if place + 1 < len(said) else None)


def _is_read(entry: Entry) -> bool:
    return isinstance(entry, Message) and entry.role in _ROLES and bool(entry.text.strip())


def _state(entry: Entry, opened: ChatState, now: Prepared) -> NeighbourState:
    strip = now.built.envelope.layer("L4_STRIP").segments
    if any(one.id == entry.id and one.sent and one.form == "full" for one in strip):
        return "sent"
    if entry.id in opened.conversation.tuning.recalled:
        return "along"
    quoted = (one.id for one in now.built.inputs.found if not one.reserved)
    return "recalled" if entry.id in quoted else "cut"


def _ordered(words: Sequence[MatchedWord]) -> tuple[MatchedWord, ...]:
    return tuple(sorted(words, key=lambda word: -word.part))


def _marked(text: str, words: Sequence[MatchedWord]) -> tuple[MarkedWord, ...]:
    return tuple(MarkedWord(one.start, one.end, one.kind) for one in marks_of(text, words))


# An attached file held against what lies on the disk now: read when somebody looks, compared beside the loop.


MOST_LINES = 2_000
LONGEST_LINE = 400


class FileComparing:
    """Shows how one attached file differs from the disk; nothing that is read is kept."""

    def __init__(self, scope: ChatScope) -> None:
        self._scope, self._world = scope, scope.world
        self._task: asyncio.Task[None] | None = None

    def look(self, intent: CompareFile) -> None:
        if self._task is not None:
            self._task.cancel()
        state = self._scope.state
        attached = () if state is None else state.conversation.attached
        held = next((one for one in attached if one.key == intent.key), None)
        if held is None:
            self._scope.emit(ChatShown(intent.chat, {"changes": None}))
            return
        self._scope.emit(ChatShown(intent.chat, {"changes": FileChanges(held.key, reading=True)}))
        self._task = self._scope.spawn(f"compare {held.key}", self._compare(held))

    async def _compare(self, held: Artifact) -> None:
        chat, state = self._scope.chat, self._scope.state
        if state is not None and state.disk.get(held.key, ("unknown", ""))[0] == "renewed":
            # It was read anew by itself: what somebody wants to know is what became another by that.
            earlier = await earlier_copy(chat, held.key, self._world)
            await self._show(held.key, held.text if earlier is None else earlier.artifact.text, held.text)
            return
        copies = [copy for copy in await self._world.store.copies(chat) if copy.key == held.key]
        place = (copies[-1].place if copies else "") or held.key
        reading = copies[-1].read_as.chosen if copies else AS_FOUND
        try:
            now = await self._world.attachments.read(with_part(place, held.key), reading)
        except CannotAttach as refusal:
            words = tr("It cannot be read now: {reason}. The copy stays attached.", reason=refusal.reason)
            self._tell(FileChanges(held.key, problem=words))
            return
        await self._show(held.key, held.text, now.artifact.text)

    async def _show(self, key: str, before: str, after: str) -> None:
        lines = await asyncio.to_thread(changed_lines, before, after)
        kept = tuple(line._replace(text=line.text[:LONGEST_LINE]) for line in lines[:MOST_LINES])
        self._tell(FileChanges(key, kept, max(0, len(lines) - MOST_LINES)))

    def _tell(self, changes: FileChanges) -> None:
        state = self._scope.state
        if state is not None and state.changes is not None and state.changes.key == changes.key:
            self._scope.emit(ChatShown(state.chat.id, {"changes": changes}))


CloserLook = (
    OpenTurn | CheckFacts | CompareTurns | CompareLayouts | CompareVariants | DiffVariant | LookAtQuote | ShowParts
    | ReadQuote | CompareFile | Complete
)  # fmt: skip

_REQUESTS = frozenset({"view", "in_flight", "opened"})


class CloserLooks:
    """Handles the closer looks of one chat; created with the first one.

    Attributes:
        parts: of the file that is opened.
    """

    def __init__(self, scope: ChatScope, sources: Sources) -> None:
        self._completing = Completing(scope, sources)
        self.parts = FileParts(scope, sources.documents)
        self._comparing = FileComparing(scope)
        self._past = Past(scope)
        self._facts = FactChecks(scope)
        self._why = QuoteLook(scope)
        self._layouts = Layouts(scope)
        self._variants = Variants(scope, self._past)

    async def do(self, intent: CloserLook) -> None:
        match intent:
            case OpenTurn() | CompareTurns():
                await (
                    self._past.open(intent) if isinstance(intent, OpenTurn) else self._past.compare(intent)
                )
            case CheckFacts():
                self._facts.look(intent)
            case CompareLayouts():
                self._layouts.look()
            case CompareVariants():
                self._variants.look(intent)
            case DiffVariant():
                self._variants.differ(intent)
            case LookAtQuote() | ReadQuote():
                await self._why.do(intent)
            case ShowParts():
                self.parts.look(intent.key)
            case CompareFile():
                self._comparing.look(intent)
            case Complete():
                self._completing.look(intent)
            case _:
                assert_never(intent)

    def follow(self, event: events.Event) -> None:
        match event:
            case events.ChatLoaded():
                self._completing.follow_attached()
                self.parts.follow()
            case events.EnvelopeBuilt():
                self._past.follow_next()
            case events.ChatShown(_, {"view": _}):
                self._past.follow_next()
                self._completing.follow_request()
            case events.LookedAhead() | events.TurnAsked():
                self._past.look_ahead()
            case _:
                pass
        shown = isinstance(event, events.ChatShown) and not _REQUESTS.isdisjoint(event.fields)
        if shown or isinstance(event, events.EditShown | events.ChatLoaded):
            self._why.follow()
