"""The index of searched folders in the encrypted file: texts once by digest, and nothing left of what is forgotten."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.loop import in_loop
from tests.fakes.stores import connect, open_store
from workbench.domain.folder_index import IndexedFile, SearchedFolder
from workbench.domain.text import digest_bytes
from workbench.storage.folder_index import StoreFolderIndex

TEXT = "An index helps when arrays are searched."


def file(path: str, text: str, number: int = 0) -> IndexedFile:
    return IndexedFile(path, digest_bytes(text), 7, len(text), None, number)


def rows(path: Path, table: str) -> int:
    connection = connect(path)
    count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    connection.close()
    return count


@in_loop
async def test_what_is_kept_comes_back_and_a_text_that_two_folders_have_is_kept_once(tmp_path: Path):
    store = open_store(tmp_path / "store.db")
    index = StoreFolderIndex(store)
    folder = SearchedFolder("/docs", paused=True, whole=True, over=3)
    await index.save_folder(folder)
    assert await index.folders() == (folder,)
    one = file("a.md", TEXT)
    first = await index.add_segment("/docs", b"packed", [one], {one.digest: TEXT})
    await index.add_segment("/docs/sub", b"packed too", [one], {one.digest: TEXT})
    assert await index.segments("/docs") == {first: b"packed"}
    assert [(f.path, f.segment, f.digest) for f in await index.files("/docs")] == [
        ("a.md", first, one.digest)
    ]
    assert await index.texts([one.digest, bytes(32)]) == {one.digest: TEXT}
    await index.remove_folder("/docs")
    assert (await index.folders(), await index.files("/docs"), await index.segments("/docs")) == ((), (), {})
    assert await index.texts([one.digest]) == {one.digest: TEXT}
    await index.remove_folder("/docs/sub")
    assert await index.texts([one.digest]) == {}
    await store.close()


@in_loop
async def test_a_file_that_was_read_again_leaves_nothing_of_its_old_text(tmp_path: Path):
    store = open_store(tmp_path / "store.db")
    index = StoreFolderIndex(store)
    old, new = file("a.md", TEXT), file("a.md", "changed")
    await index.add_segment("/docs", b"old", [old], {old.digest: TEXT})
    number = await index.add_segment("/docs", b"new", [new], {new.digest: "changed"})
    assert await index.segments("/docs") == {number: b"new"}
    assert await index.texts([old.digest, new.digest]) == {new.digest: "changed"}
    await index.note_files("/docs", [IndexedFile("locked.pdf", reason="it is locked")], ["a.md"])
    assert [(one.path, one.reason) for one in await index.files("/docs")] == [("locked.pdf", "it is locked")]
    assert await index.segments("/docs") == {}
    await store.close()
    assert rows(tmp_path / "store.db", "folder_text") == 0


@in_loop
async def test_no_word_of_a_folder_stands_readable_on_the_disk(tmp_path: Path):
    store = open_store(tmp_path / "store.db")
    one = file("secret-name.md", TEXT)
    await StoreFolderIndex(store).add_segment("/docs", TEXT.encode(), [one], {one.digest: TEXT})
    await store.close()
    assert not [text for text in everything(tmp_path) if b"arrays" in text or b"secret-name" in text]


def everything(folder: Path) -> list[bytes]:
    return [left.read_bytes() for left in folder.iterdir()]
