"""A searched folder, with the real readers and a real store: what is new, changed, gone, odd or too much."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.stores import open_store
from workbench.context.folders.rank import read_related
from workbench.domain.files.attached import AttachLimits
from workbench.domain.files.folder import FolderEntry, FolderRules
from workbench.domain.folder_index import FolderProgress
from workbench.domain.recall import Found, Wanted
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.recall import folder_index
from workbench.engine.recall.finding import Recall
from workbench.engine.recall.folder_index import FolderIndexer
from workbench.engine.recall.followed import FollowedFolders
from workbench.sources.attach import FileAttachments, ThreadedScan
from workbench.sources.extract.process import ChildExtractor
from workbench.storage.folder_index import StoreFolderIndex

FILLER = "Other things are told here for whoever reads on. " * 6


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    write(folder, "blame.md", f"# Blame\nShows which author last modified each line.\n\n{FILLER}")
    write(folder, "sub/stash.md", f"# Stash\nPuts unfinished changes away for later.\n\n{FILLER}")
    write(folder, "page.html", f"<html><h1>Garbage</h1><p>Removes unreachable objects. {FILLER}</p></html>")
    return folder


@asynccontextmanager
async def opened(tmp_path: Path, file_mb: int = 25) -> AsyncIterator[FollowedFolders]:
    store = open_store(tmp_path / "store.db")
    reader = FileAttachments(ChildExtractor(), lambda: AttachLimits(file_mb=file_mb))
    try:
        yield FollowedFolders(
            FolderIndexer(StoreFolderIndex(store), reader), Recall(), lambda: read_related("")
        )
    finally:
        await reader.close()
        await store.close()


async def paths(followed: FollowedFolders, folder: Path, question: str) -> list[str]:
    answer = await followed.search([str(folder)], question, 4_000)
    return [] if answer.nothing else [one.artifact.removeprefix(f"{folder}/") for one in answer.found]


def move(source: Path, target: Path) -> None:
    source.rename(target)


@in_loop
async def test_files_and_documents_are_found_with_their_places_and_again_after_a_restart(
    tmp_path: Path, docs: Path
):
    async with opened(tmp_path) as followed:
        ended = await followed.indexer.update(str(docs))
        assert (ended.state, ended.files, ended.unread) == ("up to date", 3, ())
        (best, *_) = (await followed.search([str(docs)], "author modified line", 4_000)).found
        assert (best.kind, best.folder, best.title) == ("quoted", str(docs), "docs/blame.md")
        assert best.place == "Blame"
        assert best.text in (docs / "blame.md").read_text(encoding="utf-8")
        assert (await paths(followed, docs, "unreachable objects"))[0] == "page.html"
    async with opened(tmp_path) as again:
        assert (await again.indexer.progress(str(docs))).state == "up to date"
        assert (await paths(again, docs, "unreachable objects"))[0] == "page.html"
        assert (await again.indexer.update(str(docs))).done == 0


@in_loop
async def test_what_changed_is_followed_and_what_is_gone_is_forgotten(tmp_path: Path, docs: Path):
    async with opened(tmp_path) as followed:
        await followed.indexer.update(str(docs))
        os.utime(write(docs, "blame.md", f"# Rebase\nReplays commits. {FILLER}"), (1, 1))
        write(docs, "new.md", f"# Submodule\nNests repositories. {FILLER}")
        (docs / "sub" / "stash.md").unlink()
        ended = await followed.indexer.update(str(docs))
        assert (ended.done, ended.files) == (2, 3)
        # Those of what was changed and of what is gone were counted on and on.
        (fresh_place := tmp_path.with_name("fresh")).mkdir(exist_ok=True)
        async with opened(fresh_place) as fresh:
            assert (await fresh.indexer.update(str(docs))).sections == ended.sections
        assert await paths(followed, docs, "author modified line") == []
        assert (await paths(followed, docs, "replays commits"))[0] == "blame.md"
        assert (await paths(followed, docs, "nests repositories"))[0] == "new.md"
        assert await paths(followed, docs, "puts unfinished changes away") == []


@in_loop
async def test_a_killed_build_goes_on_where_it_was(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
):
    """Each part is kept whole or not at all; what was kept is not read again."""
    monkeypatch.setattr("workbench.context.folders.packed._MOST_FILES", 1)
    async with opened(tmp_path) as followed:
        told: list[FolderProgress] = []

        def kill(at: FolderProgress) -> None:
            told.append(at)
            if at.files == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            await followed.indexer.update(str(docs), kill)
    async with opened(tmp_path) as again:
        before = await again.indexer.progress(str(docs))
        assert (before.state, before.files) == ("waiting", 2)
        ended = await again.indexer.update(str(docs))
        assert (ended.state, ended.files, ended.done) == ("up to date", 3, 1)


@in_loop
async def test_a_paused_index_stays_paused_and_goes_on_when_it_is_told(tmp_path: Path, docs: Path):
    async with opened(tmp_path) as followed:
        await followed.indexer.pause(str(docs), True)
        assert (await followed.indexer.update(str(docs))).state == "paused"
    async with opened(tmp_path) as again:
        assert (await again.indexer.update(str(docs))).state == "paused"
        await again.indexer.pause(str(docs), False)
        assert (await again.indexer.update(str(docs))).state == "up to date"


@in_loop
async def test_odd_files_are_listed_with_the_reason_and_nothing_else_is_lost(tmp_path: Path, docs: Path):
    (docs / "binary.dat").write_bytes(b"\0\1\2" * 900)
    (docs / "loop").symlink_to(docs)
    os.mkfifo(docs / "pipe")
    with (docs / "huge.log").open("wb") as huge:
        huge.truncate(1_000_000_000)
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    write(docs, ".gitignore", "ignored/\n")
    write(docs, "ignored/a.md", "author modified line")
    async with opened(tmp_path, file_mb=1) as followed:
        ended = await followed.indexer.update(str(docs))
        assert (ended.state, ended.files) == ("up to date", 3)
        assert {one.path for one in ended.unread} == {"binary.dat", "loop", "pipe", "huge.log", "broken.pdf"}
        assert all(one.reason for one in ended.unread)
        # What cannot be read is not tried again as long as it stays as it is.
        assert (await followed.indexer.update(str(docs))).done == 0


@in_loop
async def test_a_folder_that_vanishes_is_told_and_its_index_waits_for_it(tmp_path: Path, docs: Path):
    async with opened(tmp_path) as followed:
        await followed.indexer.update(str(docs))
        move(docs, tmp_path / "elsewhere")
        assert (await followed.indexer.update(str(docs))).state == "not found"
        assert (await paths(followed, docs, "author modified line"))[0] == "blame.md"
        move(tmp_path / "elsewhere", docs)
        ended = await followed.indexer.update(str(docs))
        assert (ended.state, ended.done) == ("up to date", 0)


@in_loop
async def test_more_files_than_the_limit_are_told_and_those_nearest_the_top_are_searched(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(folder_index, "MOST_FILES", 2)
    async with opened(tmp_path) as followed:
        ended = await followed.indexer.update(str(docs))
        assert (ended.files, ended.over) == (2, 1)
        assert await paths(followed, docs, "puts unfinished changes away") == []


@in_loop
async def test_overlapping_folders_quote_a_place_once(tmp_path: Path, docs: Path):
    async with opened(tmp_path) as followed:
        for folder in (docs, docs / "sub"):
            await followed.indexer.update(str(folder))
        answer = await followed.search([str(docs), str(docs / "sub")], "puts unfinished changes away", 4_000)
        files = [one.artifact for one in answer.found]
        assert files.count(str(docs / "sub" / "stash.md")) == 1


@in_loop
async def test_sections_that_are_wanted_by_name_come_too_whatever_is_asked(tmp_path: Path, docs: Path):
    """Of a long line the pieces had one name: only one of them could be quoted."""
    write(
        docs, "notes.md", f"# Blame\nShows which author modified each line.\n\n{FILLER * 12}\n\n# End\nBye."
    )
    wanted = Wanted(
        "talk", "author modified line", ContextSettings(), folders=(str(docs),), folder_room=4_000
    )
    async with opened(tmp_path) as followed:
        await followed.indexer.update(str(docs))
        found = {one.id: one for one in await followed.context(wanted)}
        start = next(one for one in found.values() if one.id.startswith(f"{docs}/notes.md#L1-"))
        assert len(start.after) == 2
        assert not found.keys() & set(start.after)
        gone = f"{docs}/gone.md#L1-2"
        more = await followed.context(replace(wanted, always=frozenset({*start.after, start.id, gone})))
        assert [one.id for one in more if one.id not in found] == sorted(start.after)
        text = (docs / "notes.md").read_text(encoding="utf-8")
        named = {one.id: one.text for one in more}
        assert text.startswith("".join(named[one] for one in (start.id, *start.after)))


@in_loop
async def test_where_nothing_fits_the_nearest_are_only_offered(tmp_path: Path, docs: Path):
    wanted = Wanted(
        "talk",
        "How do I prune the roses of a line?",
        ContextSettings(),
        folders=(str(docs),),
        folder_room=4_000,
    )
    async with opened(tmp_path) as followed:
        await followed.indexer.update(str(docs))
        found: tuple[Found, ...] = await followed.context(wanted)
        assert found
        assert all(one.reserved for one in found)
        await followed.indexer.remove(str(docs))
        assert await followed.context(wanted) == ()


class Vanishing(FileAttachments):
    """Readers of a folder that is moved away as soon as it was listed for the first time."""

    async def scan(self, path: str, rules: FolderRules) -> ThreadedScan | None:
        scan = await super().scan(path, rules)
        if scan is None or has_moved(path):
            return scan

        class GoneOnceListed(ThreadedScan):
            async def more(self) -> tuple[FolderEntry, ...]:
                found = await super().more()
                if not found:
                    move(Path(path), Path(f"{path}-away"))
                return found

        return GoneOnceListed(scan.walk)


def has_moved(path: str) -> bool:
    """Whether it was asked before."""
    once = Path(f"{path}-asked")
    asked = once.exists()
    once.touch()
    return asked


@in_loop
async def test_a_folder_that_vanishes_while_it_is_read_is_said_to_be_gone_and_read_once_it_is_back(
    tmp_path: Path, docs: Path
):
    """It was "up to date" with files that could not be read, and these were never tried again."""
    store = open_store(tmp_path / "store.db")
    reader = Vanishing(ChildExtractor())
    indexer = FolderIndexer(StoreFolderIndex(store), reader)
    assert (await indexer.update(str(docs))).state == "not found"
    move(Path(f"{docs}-away"), docs)
    ended = await indexer.update(str(docs))
    assert (ended.state, ended.files, ended.unread) == ("up to date", 3, ())
    await reader.close()
    await store.close()


@in_loop
async def test_a_page_that_is_there_in_two_formats_is_quoted_once(tmp_path: Path, docs: Path):
    """Documentation often lies beside its sources, and each quote came twice."""
    told = "When unfinished changes are in the way, they can be saved and put back once the merge is done."
    write(docs, "merge.rst", f"Merging\n=======\n\n{told}\n")
    write(docs, "html/merge.html", f"<html><h1>Merging</h1><p>{told}</p></html>")
    async with opened(tmp_path) as followed:
        await followed.indexer.update(str(docs))
        found = await paths(followed, docs, "put back unfinished changes once the merge is done")
        assert sorted(found) == ["html/merge.html", "sub/stash.md"] or sorted(found) == [
            "merge.rst",
            "sub/stash.md",
        ]


class SlowDisk(FileAttachments):
    """Readers of a disk that gives one entry, and the next only when it is waited for no more."""

    async def scan(self, path: str, rules: FolderRules) -> ThreadedScan | None:
        scan = await super().scan(path, rules)
        if scan is None or not has_moved(path):
            return scan
        asked = asyncio.Event()

        class Slow(ThreadedScan):
            async def more(self) -> tuple[FolderEntry, ...]:
                if asked.is_set():
                    await asyncio.sleep(0.01)
                asked.set()
                return (FolderEntry("blame.md", "text"),)

        return Slow(scan.walk)


@in_loop
async def test_a_slow_disk_can_be_paused_while_it_is_listed_and_nothing_is_forgotten(
    tmp_path: Path, docs: Path
):
    """Only reading could be paused, and files that were not listed yet would have been taken for gone."""
    store = open_store(tmp_path / "store.db")
    reader = SlowDisk(ChildExtractor())
    indexer = FolderIndexer(StoreFolderIndex(store), reader)
    assert (await indexer.update(str(docs))).files == 3

    async def pause_soon() -> None:
        await asyncio.sleep(0.05)
        await indexer.pause(str(docs), True)

    ended, _ = await asyncio.gather(indexer.update(str(docs)), pause_soon())
    assert (ended.state, ended.files) == ("paused", 3)
    await reader.close()
    await store.close()
