"""Vectors for followed folders, from a server on loopback by the real adapter; without it words alone are searched."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.raw_server import RawServer, Reader, Writer, length_of
from tests.fakes.stores import open_store
from workbench.domain.answer import ModelFailed
from workbench.engine.recall.finding import Recall
from workbench.engine.recall.folder_index import FolderIndexer
from workbench.engine.recall.followed import FollowedFolders
from workbench.engine.recall.meaning import Meaning
from workbench.net.connections import Connections
from workbench.net.rules import Rules
from workbench.ports.embedding import Embedder
from workbench.providers.served.embedding import ServedEmbeddings
from workbench.providers.wire.endpoint import endpoint_of
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor
from workbench.storage.folder_index import StoreFolderIndex

FILLER = "Other things are told here for whoever reads on. " * 6
MEANINGS = (("dog", "hound"), ("engine", "motor"), ("bread", "loaf"))


@dataclass
class VectorServer:
    """Gives texts vectors by what they are about; slow, refusing or with others where a test wants that."""

    size: int = 8
    slow: bool = False
    refused: str = "\0"
    texts: list[str] = field(default_factory=list)

    async def act(self, reader: Reader, writer: Writer) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            texts = json.loads(await reader.readexactly(length_of(head)))["input"]
            said: dict[str, object]
            if self.slow:
                await asyncio.sleep(3600)
            self.texts += texts
            if any(self.refused in text for text in texts):
                status, said = b"400 Bad Request", {"error": {"message": "too long"}}
            else:
                rows = [{"index": n, "embedding": self.vector(text)} for n, text in enumerate(texts)]
                status, said = b"200 OK", {"data": rows[::-1]}
            body = json.dumps(said).encode()
            writer.write(
                b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                % (status, len(body), body)
            )
            await writer.drain()

    def vector(self, text: str) -> list[float]:
        about = [float(any(word in text.lower() for word in words)) for words in MEANINGS]
        return [0.1, *about, *([0.01] * (self.size - 1 - len(about)))]


@asynccontextmanager
async def followed_by(
    tmp_path: Path, server: VectorServer, url: str, net: Connections | None = None, rest_s: float = 0.0
) -> AsyncIterator[FollowedFolders]:
    name = f"server:{url}#fake"

    async def find(wanted: str) -> Embedder:
        return ServedEmbeddings(endpoint_of(wanted, lambda _: None, net=net), wanted)

    store, reader = open_store(tmp_path / "store.db"), FileAttachments(ChildExtractor())
    followed = FollowedFolders(
        FolderIndexer(StoreFolderIndex(store), reader),
        Recall(),
        meaning=Meaning(lambda: name, find, 0.3, rest_s),
    )
    try:
        yield followed
    finally:
        await followed.close()
        await reader.close()
        await store.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in {
        "pets": "The hound sleeps.",
        "cars": "The motor hums.",
        "food": "A loaf rises.",
    }.items():
        (folder / f"{name}.md").write_text(f"# {name}\n{text}\n\n{FILLER}", "utf-8")
    return folder


async def names(followed: FollowedFolders, docs: Path, question: str) -> Sequence[str]:
    answer = await followed.search([str(docs)], question, 4_000)
    return [Path(one.artifact).stem for one in answer.found]


@in_loop
async def test_what_shares_no_word_is_found_and_vectors_are_fetched_once(tmp_path: Path, docs: Path):
    server = VectorServer()
    async with RawServer(server.act) as raw:
        async with followed_by(tmp_path, server, raw.url) as followed:
            ended = await followed.update(str(docs))
            assert (ended.embedded, ended.words_only) == (ended.sections, "")
            assert (await names(followed, docs, "dog things told"))[0] == "pets"
            assert (await names(followed, docs, "engine things told"))[0] == "cars"
            asked = len(server.texts)
        async with followed_by(tmp_path, server, raw.url) as again:
            assert (await again.indexer.progress(str(docs))).embedded == ended.sections
            await again.update(str(docs))
            assert len(server.texts) == asked + 1  # only how long a vector is
            assert (await names(again, docs, "bread things told"))[0] == "food"
            (docs / "pets.md").write_text(f"# birds\nNo animal.\n\n{FILLER}", "utf-8")
            changed = await again.update(str(docs))
            assert changed.embedded == changed.sections
            assert "hound" not in "".join(server.texts[asked + 2 :])


@in_loop
async def test_where_it_cannot_be_asked_words_alone_are_searched_and_that_is_said(tmp_path: Path, docs: Path):
    server = VectorServer()
    async with RawServer(server.act) as raw, followed_by(tmp_path, server, raw.url) as followed:
        assert followed.meaning is not None
        await followed.indexer.update(str(docs))
        by_words = await names(followed, docs, "loaf things told")
        assert "no vectors" in followed.meaning.problem
        await followed.update(str(docs))
        server.slow = True
        assert await names(followed, docs, "loaf things told here") == by_words
        assert "within 0.3 s" in followed.meaning.problem
        server.slow, server.size = False, 16
        assert await names(followed, docs, "which loaf things told") == by_words
        assert "no vectors of server:" in followed.meaning.problem
        await followed.update(str(docs))
        await names(followed, docs, "which loaf things told")
        assert followed.meaning.problem == ""
    async with followed_by(tmp_path, server, raw.url) as followed:
        assert await names(followed, docs, "loaf things told") == by_words
        assert followed.meaning is not None
        assert followed.meaning.problem.startswith("Searched by words alone: ")


@in_loop
async def test_a_text_that_is_refused_keeps_no_other_from_its_vector(tmp_path: Path, docs: Path):
    server = VectorServer(refused="motor")
    async with RawServer(server.act) as raw, followed_by(tmp_path, server, raw.url) as followed:
        ended = await followed.update(str(docs))
        assert (ended.embedded, ended.words_only) == (ended.sections, "")
        assert (await names(followed, docs, "dog things told"))[0] == "pets"


@in_loop
async def test_offline_only_a_server_on_this_computer_is_asked(tmp_path: Path, docs: Path):
    server, net = VectorServer(), Connections(Rules(offline=True))
    async with RawServer(server.act) as raw:
        async with followed_by(tmp_path, server, raw.url, net) as followed:
            assert (await followed.update(str(docs))).words_only == ""
        elsewhere = ServedEmbeddings(
            endpoint_of("server:https://lab.example/v1#x", lambda _: None, net=net), "x"
        )
        with pytest.raises(ModelFailed, match="Offline"):
            await elsewhere.vectors(["hello"], 1.0)
        await elsewhere.close()


@in_loop
async def test_a_server_that_is_gone_is_not_waited_for_at_every_word(tmp_path: Path, docs: Path):
    server = VectorServer(slow=True)
    async with RawServer(server.act) as raw, followed_by(tmp_path, server, raw.url, rest_s=60.0) as followed:
        assert followed.meaning is not None
        await followed.indexer.update(str(docs))
        assert await followed.meaning.question("loaf") is None
        server.slow = False
        assert await followed.meaning.question("loaf things") is None
        assert server.texts == []
        assert followed.meaning.problem.startswith("Searched by words alone: ")
