"""What every reader of attachments does."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.loop import in_loop
from workbench.domain.attached import CannotAttach
from workbench.ports.attaching import AttachmentReader
from workbench.sources.attach import FileAttachments

WORDS = "ünï\nwords\n"


@pytest.fixture(params=["files", "memory"])
def reader(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AttachmentReader:
    """A reader that finds `notes.md`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text(WORDS, encoding="utf-8")
    return FileAttachments() if request.param == "files" else MemoryAttachments({"notes.md": WORDS})


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
