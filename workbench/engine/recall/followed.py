"""Quotes from followed folders: the sections that fit a question, or what is nearest where nothing fits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath

from workbench.context.folders.rank import FolderSearch, Hit, RelatedWords, Words, without_copies
from workbench.context.folders.vectors import fused, nearest_sections
from workbench.domain.answer import ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.domain.folder_index import FolderProgress
from workbench.domain.recall import Found, Wanted
from workbench.domain.translation import tr
from workbench.engine.recall.finding import Recall
from workbench.engine.recall.folder_index import FolderIndexer, OpenIndex, Told, run_politely
from workbench.engine.recall.meaning import Meaning

_TOKENS_EACH = 100  # about what a quote costs
_LEAST, _MOST, _NEARLY = 12, 90, 12
_AFTER = 2


@dataclass(frozen=True, slots=True)
class FolderAnswer:
    """What a search in folders found: the best first. Where `nothing` fits, these are only the nearest."""

    found: tuple[Found, ...] = ()
    nothing: bool = True


class FollowedFolders:
    """Sections of followed folders → ContextProvider.

    Attributes:
        meaning: gives vectors, where a model for them is chosen; None where there can be none.
    """

    def __init__(
        self, indexer: FolderIndexer, recall: Recall, related: Callable[[], RelatedWords] = RelatedWords,
        meaning: Meaning | None = None,
    ) -> None:  # fmt: skip
        self.indexer, self._recall, self._load, self.meaning = indexer, recall, related, meaning

    @cached_property
    def _words(self) -> Words:
        return Words(self._recall.near, self._load())

    async def context(self, wanted: Wanted) -> tuple[Found, ...]:
        """The matching sections; those that are not quoted, since nothing fits, are marked as reserved."""
        if not wanted.folders or not wanted.question.strip():
            return ()
        answer = await self.search(wanted.folders, wanted.question, wanted.folder_room)
        found = answer.found
        if answer.nothing:
            found = tuple(replace(one, reserved=True) for one in found[:_NEARLY])
        return (*found, *await self._named(wanted, {one.id for one in found}))

    async def _named(self, wanted: Wanted, known: set[str]) -> tuple[Found, ...]:
        """The sections that are wanted by name and that were not found; those that are gone since are left out."""
        hits, of = [], {}
        for folder in wanted.folders:
            top = f"{PurePath(folder).as_posix().rstrip('/')}/"
            for name in sorted(wanted.always - known):
                path, _, anchor = name.removeprefix(top).rpartition("#")
                index = await self.indexer.opened(folder)
                file = index.files.get(path) if name.startswith(top) else None
                if file is None or file.segment not in index.segments:
                    continue
                segment = index.segments[file.segment]
                of[id(segment)] = folder
                for place in segment.sections_of(file.number):
                    if segment.section(place).anchor == anchor:
                        hits.append(Hit(segment, place, 0.0))
        texts = await self.indexer.texts([(of[id(one.segment)], one.path) for one in hits])
        there = [one for one in _one_of_each_place(hits, of) if (of[id(one.segment)], one.path) in texts]
        return tuple(_as_found(one, of, texts) for one in there)

    async def search(self, folders: Sequence[str], question: str, room: int) -> FolderAnswer:
        """The best sections for a question within some tokens, and a few more."""
        opened = {path: await self.indexer.opened(path) for path in folders}
        of = {id(one): path for path, index in opened.items() for one in index.segments.values()}
        segments = [one for index in opened.values() for one in index.segments.values()]
        words = await asyncio.to_thread(lambda: self._words)  # the first time it is read: 40 ms
        search = FolderSearch(segments, question, words)
        hits = await self._fused(
            opened.values(), question, await asyncio.to_thread(run_politely, search.run())
        )
        chosen = _one_of_each_place(hits, of)[: most_hits(room)]
        texts = await self.indexer.texts([(of[id(one.segment)], one.path) for one in chosen])

        def explaining() -> Generator[None, None, FolderAnswer]:
            found = []
            for hit in chosen:
                key = of[id(hit.segment)], hit.path
                if key in texts:
                    section = hit.section
                    found.append(search.explained(hit, texts[key][section.start : section.end]))
                    yield
            fit = without_copies(found)
            return FolderAnswer(tuple(_as_found(hit, of, texts) for hit in fit), not search.fits(fit))

        return await asyncio.to_thread(run_politely, explaining())

    async def text_of(self, file: str) -> str:
        """The text of a file as it is indexed; empty where no folder has it any more."""
        path = PurePath(file)
        for folder in await self.indexer.folders():
            if path.is_relative_to(folder.path):
                key = folder.path, path.relative_to(folder.path).as_posix()
                if text := (await self.indexer.texts([key])).get(key):
                    return text
        return ""

    async def _fused(
        self, opened: Iterable[OpenIndex], question: str, by_words: tuple[Hit, ...]
    ) -> tuple[Hit, ...]:
        """The hits by words, joined with those by meaning where there are vectors of the chosen model."""
        indexed = [
            (index.segments[key], one) for index in opened for key, one in index.vectors.items()
            if key in index.segments
        ]  # fmt: skip
        asked = await self.meaning.question(question) if self.meaning is not None else None
        if asked is None or self.meaning is None:
            return by_words
        model, vector = asked
        if not any((one.model, one.dimensions) == (model, len(vector)) for _, one in indexed):
            self.meaning.fail(
                tr("no vectors of {model} are kept. `workbench folders add DIR` fetches them.", model=model)
            )
            return by_words
        near = await asyncio.to_thread(run_politely, nearest_sections(indexed, model, vector))
        return fused(by_words, near)

    async def update(self, path: str, told: Told = lambda _: None) -> FolderProgress:
        """Bring the index of a folder up to date, and its vectors where a model for them is chosen."""
        ended = await self.indexer.update(path, told)
        return await self.embed(ended, told) if ended.state == "up to date" else ended

    async def embed(self, ended: FolderProgress, told: Told) -> FolderProgress:
        """Fetch the vectors that an index lacks, where a model for them is chosen."""
        if self.meaning is None or not self.meaning.chosen():
            return ended
        path = ended.path
        index = await self.indexer.opened(path)

        def tell() -> FolderProgress:
            made = replace(
                ended, embedded=index.embedded(), words_only=self.meaning.problem if self.meaning else ""
            )
            told(made)
            return made

        try:
            await self.meaning.fill(self.indexer.store, index, tell, lambda: self.indexer.is_paused(path))
        except (ModelFailed, WorkbenchError) as problem:
            self.meaning.fail(str(problem))
        return tell()

    async def close(self) -> None:
        """Close the connections to whatever gives vectors."""
        if self.meaning is not None:
            await self.meaning.close()


def most_hits(room: int) -> int:
    """How many hits are looked at: as many as fit within some tokens, and some more, which are nearly taken."""
    return min(_MOST, max(_LEAST, room // _TOKENS_EACH) + _NEARLY)


def _one_of_each_place(hits: Sequence[Hit], of: Mapping[int, str]) -> list[Hit]:
    """The hits, each place once: folders may overlap."""
    known: dict[tuple[str, int], Hit] = {}
    for hit in hits:
        known.setdefault((_file(of, hit), hit.section.start), hit)
    return list(known.values())


def _file(of: Mapping[int, str], hit: Hit) -> str:
    return PurePath(of[id(hit.segment)], hit.path).as_posix()


def _as_found(hit: Hit, of: Mapping[int, str], texts: Mapping[tuple[str, str], str]) -> Found:
    folder, section, file = of[id(hit.segment)], hit.section, _file(of, hit)
    after = hit.segment.sections_of(hit.segment.file_of[hit.place])
    after = range(hit.place + 1, min(after.stop, hit.place + 1 + _AFTER))
    lines = f"lines {section.first_line}–{section.last_line}"
    return Found(
        f"{file}#{section.anchor}", hit.score, "quoted", hit.words,
        texts[folder, hit.path][section.start : section.end],
        section.title, title=f"{PurePath(folder).name}/{hit.path}", place=section.title or lines,
        artifact=file, folder=folder, after=tuple(f"{file}#{hit.segment.section(n).anchor}" for n in after),
    )  # fmt: skip
