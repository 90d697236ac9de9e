"""Embeddings for followed folders, optional: fetched behind the index, and where they fail words alone are searched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from workbench.context.folders.packed import Segment
from workbench.context.folders.vectors import Vectors, are_vectors, pack_vectors
from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.domain.translation import tr
from workbench.engine.recall.folder_index import OpenIndex
from workbench.ports.embedding import Embedder
from workbench.ports.folder_index import FolderIndexStore

_BATCH = 8
_WAIT_S, _QUESTION_WAIT_S, _REST_S = 300.0, 3.0, 10.0


class Meaning:
    """The vectors of folders' sections and of questions, from a server that is chosen.

    Attributes:
        chosen: the name of the model that gives them; empty for none. Read each time, so that another holds at once.
        problem: why words alone are searched; empty where they are not, or where nothing else was wanted.
    """

    def __init__(
        self,
        chosen: Callable[[], str],
        find: Callable[[str], Awaitable[Embedder]],
        wait_s: float = _QUESTION_WAIT_S,
        rest_s: float = _REST_S,
    ) -> None:
        self.chosen, self._find, self._question_s, self._rest_s = chosen, find, wait_s, rest_s
        self._asked_again = 0.0
        self.problem = ""
        self._embedder: tuple[str, Embedder] | None = None
        self._newest: tuple[str, str, Sequence[float]] = ("", "", ())

    async def embedder(self) -> Embedder:
        """The model that is chosen now; `InvalidInput` where its name says nothing usable."""
        name = self.chosen()
        if self._embedder is None or self._embedder[0] != name:
            await self.close()
            self._embedder = name, await self._find(name)
        return self._embedder[1]

    async def question(self, text: str) -> tuple[str, Sequence[float]] | None:
        """The model and the vector of a question; None where words alone are to be searched."""
        name = self.chosen()
        if name and (name, text) != self._newest[:2]:
            if asyncio.get_running_loop().time() < self._asked_again:
                return None  # while somebody types, a server that is gone would be waited for at every word
            try:
                found = await _vectors(await self.embedder(), [text], self._question_s)
            except (ModelFailed, WorkbenchError) as problem:
                self.fail(str(problem))
                self._asked_again = asyncio.get_running_loop().time() + self._rest_s
                return None
            self._newest = name, text, found[0]
        self.problem = ""
        return (name, self._newest[2]) if name else None

    def fail(self, why: str) -> None:
        """Note why words alone are searched."""
        self.problem = tr("Searched by words alone: {why}", why=why)

    async def lacking(self, index: OpenIndex) -> list[int]:
        """The segments of an index without vectors of the model as it is now; `ModelFailed` where it gives none."""
        embedder = await self.embedder()
        size = len((await _vectors(embedder, ["How long is a vector?"], _WAIT_S))[0])
        now = embedder.model, size
        return [
            number
            for number in index.segments
            if (known := index.vectors.get(number)) is None or (known.model, known.dimensions) != now
        ]

    async def foretold(self, index: OpenIndex) -> tuple[Embedder, int, int]:
        """Who would be sent the texts of how many sections, of how many characters together."""
        lacking = [index.segments[number] for number in await self.lacking(index)]
        return await self.embedder(), sum(map(len, lacking)), sum(one.chars for one in lacking)

    async def fill(
        self, store: FolderIndexStore, index: OpenIndex, told: Callable[[], object], paused: Callable[[], bool]
    ) -> None:  # fmt: skip
        """Fetch the vectors that an index lacks, and keep them segment by segment."""
        for number in await self.lacking(index):
            if number in index.segments and not paused():
                segment = index.segments[number]
                packed = await self._of_segment(store, segment, index, number)
                await store.add_vectors(number, segment.size, packed)
                index.vectors[number] = Vectors(packed, len(segment))
                told()

    async def _of_segment(
        self, store: FolderIndexStore, segment: Segment, index: OpenIndex, number: int
    ) -> bytes:
        embedder = await self.embedder()
        digests = {one.number: one.digest for one in index.files.values() if one.segment == number}
        found: list[Sequence[float]] = []
        for first in range(0, len(segment), _BATCH):
            places = range(first, min(len(segment), first + _BATCH))
            of = {place: digests.get(segment.file_of[place], b"") for place in places}
            texts = await store.texts(set(of.values()))
            sections = ((segment.section(place), texts.get(of[place], "")) for place in places)
            asked = [f"{one.title}\n{text[one.start : one.end]}" for one, text in sections]
            found.extend(await _each(embedder, asked))
        size = max(map(len, found), default=0)
        if not size or any(len(one) not in (0, size) for one in found):
            raise _unusable(embedder)
        return await asyncio.to_thread(pack_vectors, embedder.model, [one or [0.0] * size for one in found])

    async def close(self) -> None:
        """Close the connections."""
        known, self._embedder = self._embedder, None
        if known is not None:
            await known[1].close()


async def _each(embedder: Embedder, texts: Sequence[str]) -> Sequence[Sequence[float]]:
    """The vectors of texts; an empty one for each that the server does not take, whatever stands beside it."""
    try:
        return await _vectors(embedder, texts, _WAIT_S)
    except ModelFailed as failed:
        if failed.failure.kind != "request":
            raise
    return [()] if len(texts) == 1 else [one for text in texts for one in await _each(embedder, [text])]


async def _vectors(embedder: Embedder, texts: Sequence[str], wait_s: float) -> Sequence[Sequence[float]]:
    try:
        async with asyncio.timeout(wait_s):
            found = await embedder.vectors(texts, wait_s)
    except TimeoutError:
        late = Failure(
            "timeout", tr("{host} gave no vectors within {wait_s:g} s.", host=embedder.host, wait_s=wait_s)
        )
        raise ModelFailed(late) from None
    if not are_vectors(found, len(texts)):
        raise _unusable(embedder)
    return found


def _unusable(embedder: Embedder) -> ModelFailed:
    said = tr(
        "{host} answered with no usable vectors. Is {model} a model for embeddings?",
        host=embedder.host,
        model=embedder.model,
    )
    return ModelFailed(Failure("protocol", said))
