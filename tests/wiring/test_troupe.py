"""What the conversation behind the pictures is held with: a clock that waits, files in one folder, real adapters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.loop import in_loop
from workbench.domain.attached import KeptCopy
from workbench.wiring.troupe import AttachedInFolder, PlayedTime, engaged, utc_at


def test_time_moves_only_when_something_takes_it_and_never_back():
    clock = PlayedTime("2026-11-12T13:00:00+00:00")
    clock.go_on(1.5)
    assert (clock.monotonic_ms(), clock.utc_now()) == (1500, "2026-11-12T13:00:01.500Z")
    clock.wait_until("2026-11-12T12:00:00+00:00")
    assert clock.utc_now() == "2026-11-12T13:00:01.500Z"
    clock.wait_until(utc_at("2026-11-13", "09:30", 1))
    assert clock.utc_now() == "2026-11-12T13:00:01.500Z"
    clock.wait_until(utc_at("2026-11-13", "09:30"))
    assert clock.utc_now() == "2026-11-13T09:30:00.000Z"


@in_loop
async def test_files_are_known_by_their_paths_in_the_folder(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    file = tmp_path / "docs" / "api.md"
    file.write_text("# API\n", encoding="utf-8")
    files = AttachedInFolder(tmp_path)
    read = await files.read("docs/api.md")
    assert (read.artifact.key, read.artifact.text) == ("docs/api.md", "# API\n")
    copy = KeptCopy("docs/api.md", read.artifact.content_digest, len(read.content), read.sha256)
    assert [sight.state for sight in await files.look([(copy, None)])] == ["same"]
    file.write_text("# The API\n", encoding="utf-8")
    gone = replace(copy, key="docs/none.md")
    assert [sight.state for sight in await files.look([(copy, None), (gone, None)])] == ["changed", "gone"]
    assert await files.folder_files("docs") is None


@in_loop
async def test_the_folder_is_a_copy_and_gone_afterwards():
    async with engaged() as troupe:
        held = troupe.folder
        shipped = troupe.script.folder / troupe.script.changed.path
        copied = held / troupe.script.changed.path
        assert copied.read_bytes() == shipped.read_bytes()
        assert {part.name for part in troupe.script.models.values()} == set(troupe.servers)
        await troupe.world.store.close()
    assert not held.exists()
