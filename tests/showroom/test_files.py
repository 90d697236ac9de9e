"""Files of the scripted conversation are known by their paths in its folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.loop import in_loop
from workbench.domain.files.attached import KeptCopy
from workbench.showroom.files import FolderAttachments


@in_loop
async def test_files_are_known_by_their_paths_in_the_folder(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    file = tmp_path / "docs" / "api.md"
    file.write_text("# API\n", encoding="utf-8")
    files = FolderAttachments(tmp_path)
    read = await files.read("docs/api.md")
    assert (read.artifact.key, read.artifact.text) == ("docs/api.md", "# API\n")
    copy = KeptCopy("docs/api.md", read.artifact.content_digest, len(read.content), read.sha256)
    assert [sight.state for sight in await files.look([(copy, None)])] == ["same"]
    file.write_text("# The API\n", encoding="utf-8")
    gone = replace(copy, key="docs/none.md")
    assert [sight.state for sight in await files.look([(copy, None), (gone, None)])] == ["changed", "gone"]
    assert await files.folder_files("docs") is None
