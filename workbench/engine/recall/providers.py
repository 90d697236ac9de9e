"""Context providers for recall: messages of the chat itself, and sections of attachments."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from workbench.context.recall.rank import Match, ranking, reasons_for, run_to_end
from workbench.context.shorten.outline import TextSection
from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.recall import Found, Wanted
from workbench.engine.recall.finding import Finding, Recall, SectionIndex, most_of, worth_sending
from workbench.ports.prompting import ContextProvider

_LEAST_CHARS = 2_000
"""A shorter text goes out whole or not at all."""
_MOST_CHARS = 4_000_000
"""Of all texts together: more would take too long to read, and too much memory."""
_MOST_CHATS = 4


class AttachedSections:
    """Sections of attachments → ContextProvider; caches the texts of the chats asked last."""

    def __init__(self, recall: Recall) -> None:
        self._recall = recall

    async def context(self, wanted: Wanted) -> tuple[Found, ...]:
        """The matching sections; none if the chat does not want any."""
        return await in_slices(self.finding(wanted))

    def finding(self, wanted: Wanted) -> Finding:
        """The same, in time slices of a few milliseconds."""
        texts = large_texts(wanted)
        if not texts or not wanted.question.strip():
            return ()
        known = _index_of(self._recall.sections, wanted.chat)
        yield from known.follow(texts)
        index, sections = known.index, known.sections  # somebody else may begin others in between
        ranked = yield from ranking(index, wanted.question, self._recall.near)
        reasons = yield from reasons_for(index, wanted.question, self._recall.near)
        best = ranked[0].score if ranked else 0.0
        worth = yield from worth_sending(ranked[: most_of(wanted.section_room)], best, reasons)
        # Beside a section that fits nothing needs to fit.
        own = (one for one in worth if any(word.kind != "neighbour" for word in one.words))
        return tuple(_as_found(one, *sections[one.key]) for one in own)


def _as_found(match: Match, artifact: Artifact, section: TextSection) -> Found:
    return Found(
        match.key, match.score, "retrieved", match.words, artifact.text[section.start : section.end],
        section.title, title=artifact.name_for_model, artifact=artifact.key,
        place=f"lines {section.first_line}–{section.last_line}",
    )  # fmt: skip


def large_texts(wanted: Wanted) -> tuple[Artifact, ...]:
    """The texts to search: large ones that may be shortened, up to a limit."""
    everything = wanted.settings.sections.by_relevance
    texts, chars = [], 0
    for one in wanted.attached:
        if not one.recoverable or len(one.text) < _LEAST_CHARS or not (everything or one.by_relevance):
            continue
        chars += len(one.text)
        if chars > _MOST_CHARS:
            break
        texts.append(one)
    return tuple(texts)


def found_at_once(wanted: Wanted, recall: Recall) -> tuple[Found, ...]:
    """Matches for a question in its own chat, messages and sections, best first, computed synchronously."""
    found = (*recall.found(wanted), *run_to_end(AttachedSections(recall).finding(wanted)))
    return tuple(sorted(found, key=lambda one: -one.score))


def _index_of(known: OrderedDict[str, SectionIndex], chat: str) -> SectionIndex:
    if chat not in known:
        known[chat] = SectionIndex()
        while len(known) > _MOST_CHATS:
            known.popitem(last=False)
    known.move_to_end(chat)
    return known[chat]


T = TypeVar("T")
_SLICE_S = 0.002


async def gather(wanted: Wanted, providers: Sequence[ContextProvider]) -> tuple[Found, ...]:
    """Matches of all providers, best first; duplicates come from the first of them."""
    found: dict[str, Found] = {}
    for provider in providers:
        try:
            brought = await provider.context(wanted)
        except WorkbenchError:
            continue  # a question goes out without it; what keeps a provider from looking must not keep it back
        for one in brought:
            found.setdefault(one.id, one)
    return tuple(sorted(found.values(), key=lambda one: -one.score))


@dataclass(frozen=True, slots=True)
class SaidHere:
    """Messages of the chat itself → ContextProvider."""

    recall: Recall

    async def context(self, wanted: Wanted) -> tuple[Found, ...]:
        """The matching messages of the chat."""
        return await in_slices(self.recall.finding(wanted))


async def in_slices(steps: Generator[None, None, T]) -> T:
    """Run a generator to its end, yielding to the event loop every few milliseconds; returns its result."""
    import asyncio  # slow to import, and whoever waits here has it already: a trajectory does not

    clock = asyncio.get_running_loop().time
    since = clock()
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result
        if clock() - since >= _SLICE_S:
            await asyncio.sleep(0)
            since = clock()
