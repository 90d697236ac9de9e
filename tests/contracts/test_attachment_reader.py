"""What every reader of attachments does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.loop import in_calm_loop, in_loop
from workbench.domain.files.attached import CannotAttach, FileSight, KeptCopy
from workbench.domain.files.document import Document
from workbench.domain.files.folder import FolderEntry, FolderRules
from workbench.ports.attaching import AttachmentReader
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor

WORDS = "ünï\nwords\n"
Write = Callable[[str, str | None], None]


@pytest.fixture(params=["files", "memory"])
def stage(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[AttachmentReader, Write]:
    """A reader, and a way to write a file that it finds, or to remove it."""
    monkeypatch.chdir(tmp_path)
    memory = MemoryAttachments({})

    def write(path: str, text: str | None) -> None:
        memory.files.pop(path, None)
        (tmp_path / path).unlink(missing_ok=True)
        if text is not None:
            memory.files[path] = text
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(text, encoding="utf-8")

    return (FileAttachments(ChildExtractor()) if request.param == "files" else memory), write


@pytest.fixture
def write(stage: tuple[AttachmentReader, Write]) -> Write:
    """Changes what the reader finds."""
    return stage[1]


@pytest.fixture
def reader(stage: tuple[AttachmentReader, Write]) -> AttachmentReader:
    """A reader that finds `notes.md`."""
    stage[1]("notes.md", WORDS)
    return stage[0]


async def copy_of(reader: AttachmentReader, path: str) -> KeptCopy:
    attached = await reader.read(path)
    digest = attached.artifact.content_digest
    return KeptCopy(attached.artifact.key, digest, len(attached.content), attached.sha256)


@in_loop
async def test_a_file_comes_with_its_snapshot(reader: AttachmentReader):
    attached = await reader.read("notes.md")
    assert (attached.artifact.key, attached.artifact.kind, attached.artifact.text) == (
        "notes.md",
        "file",
        WORDS,
    )
    assert attached.content == WORDS.encode()
    assert attached.sha256 == hashlib.sha256(attached.content).hexdigest()
    assert (attached.modified_utc[-1], attached.picture) == ("Z", None)


@in_loop
async def test_a_missing_file_is_named(reader: AttachmentReader):
    with pytest.raises(CannotAttach) as error:
        await reader.read("gone.md")
    assert str(error.value) == "gone.md was not attached: there is no such file. Check the path."
    assert (error.value.path, error.value.reason) == ("gone.md", "there is no such file")


@in_calm_loop
async def test_a_folder_gives_the_files_in_it(reader: AttachmentReader, write: Write):
    write("docs/a.md", "Alpha.")
    write("docs/b.md", "Beta.")
    found = await reader.folder_files("docs")
    assert found is not None
    assert (found.folder, found.paths) == ("docs", ("a.md", "b.md"))
    read = [await reader.read_in("docs", path) for path in found.paths]
    assert [(one.artifact.key, one.artifact.text) for one in read] == [
        ("docs/a.md", "Alpha."), ("docs/b.md", "Beta."),
    ]  # fmt: skip
    assert [await reader.folder_files(path) for path in ("notes.md", "nowhere")] == [None, None]
    documents = await reader.documents_in("docs", ["a.md", "gone.md", "b.md"])
    told = [one.text if isinstance(one, Document) else one.reason for one in documents]
    assert told == ["Alpha.", "cannot be read", "Beta."]
    await reader.close()


@in_calm_loop
async def test_a_folder_is_looked_through_and_chosen_from(reader: AttachmentReader, write: Write):
    write("docs/a.md", "Alpha.")
    write("docs/b.md", "Beta.")
    scan = await reader.scan("docs", FolderRules())
    assert scan is not None
    found: list[FolderEntry] = []
    while batch := await scan.more():
        found += batch
    assert [(one.path, one.kind, one.standing) for one in found] == [
        ("a.md", "text", "open"),
        ("b.md", "text", "open"),
    ]
    (first, *_) = await scan.texts(["a.md", "b.md"])
    assert (first.path, first.text) == ("a.md", "Alpha.")
    await scan.close()
    with pytest.raises(CannotAttach, match="cannot be read"):
        await reader.read_in("docs", "gone.md")
    assert await reader.scan("nowhere", FolderRules()) is None


@in_calm_loop
async def test_a_look_says_what_became_of_each_file(reader: AttachmentReader, write: Write):
    for name in ("a.md", "b.md"):
        write(name, WORDS)
    copies = [await copy_of(reader, name) for name in ("notes.md", "a.md", "b.md")]
    first = await reader.look([(copy, None) for copy in copies])
    assert [(one.state, one.changed_utc) for one in first] == [("same", "")] * 3
    write("a.md", "Other words.")
    write("b.md", None)
    same, changed, gone = await reader.look(list(zip(copies, first, strict=True)))
    assert same == first[0]
    assert (changed.state, changed.changed_utc[-1]) == ("changed", "Z")
    assert gone == FileSight("gone")
    assert await reader.look([(copies[1], changed)]) == (changed,)
    write("a.md", "And others again.")
    (again,) = await reader.look([(copies[1], changed)])
    assert again.stamp != changed.stamp
    write("a.md", WORDS)
    (back,) = await reader.look([(copies[1], again)])
    assert back.state == "same"
    assert [one.sha256 for one in (same, again, back)] == [
        hashlib.sha256(text.encode()).hexdigest() for text in (WORDS, "And others again.", WORDS)
    ]


@in_calm_loop
async def test_files_are_listed_and_found_by_their_path_in_a_folder(reader: AttachmentReader, write: Write):
    write("docs/a.md", "Alpha.")
    write("docs/b.md", "Beta.\nGamma.\n")
    listed = await reader.list_files("docs", 10)
    assert listed is not None
    assert [(one.path, one.size_bytes) for one in listed.files] == [("a.md", 6), ("b.md", 13)]
    first = await reader.list_files("docs", 1)
    assert first is not None
    assert (len(first.files), first.more) == (1, True)
    assert await reader.list_files("nowhere", 10) is None
    found = await reader.find("b.md#L2", "docs")
    assert found is not None
    assert (found.artifact.key, found.artifact.text) == ("docs/b.md#L2", "Gamma.\n")
    assert await reader.find("c.md", "docs") is None
