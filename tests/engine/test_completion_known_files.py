"""Folders are listed once for all who ask, again when the list is old, and twenty thousand files hold nothing up."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.engine import fake_bench, fake_world
from tests.fakes.loop import in_calm_loop, in_loop, until
from tests.fakes.steps_taken import turns_of_loop
from workbench.domain.files.attached import FolderList
from workbench.engine import completion as sources
from workbench.engine.attaching_intents import Complete
from workbench.engine.completion import KnownFiles
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming
from workbench.sources.extract.process import ChildExtractor


class Counted(MemoryAttachments):
    """Tells how often a folder was listed → AttachmentReader."""

    lists = 0

    async def list_files(self, folder: str, most: int) -> FolderList | None:
        """The files, a moment later."""
        self.lists += 1
        await asyncio.sleep(0.01)
        return await super().list_files(folder, most)


@in_calm_loop
async def test_a_list_is_made_once_and_again_when_it_is_old(monkeypatch: pytest.MonkeyPatch):
    files = Counted({"a.md": "a", "b`.md": "b"})
    known = KnownFiles(fake_world(attachments=files))
    assert known.at_hand("", "") is None
    first, second = await asyncio.gather(known.listed("", ""), known.listed("", ""))
    assert first is second
    assert [offer.named for offer in first.offers] == ["a.md"]
    assert set(first.by_name) == {"a.md", "b`.md"}
    assert await known.listed("", "") is first
    assert files.lists == 1
    monkeypatch.setattr(sources, "FRESH_S", 0.0)
    files.files["c.md"] = "c"
    assert "c.md" in (await known.listed("", "")).by_name
    assert files.lists == 2


@in_calm_loop
async def test_who_goes_on_typing_does_not_end_the_list():
    files = Counted({"a.md": "a"})
    known = KnownFiles(fake_world(attachments=files))
    waiting = asyncio.get_running_loop().create_task(known.listed("", ""))
    await asyncio.sleep(0)
    waiting.cancel()
    assert (await known.listed("", "")).by_name
    assert files.lists == 1


@in_loop
async def test_twenty_thousand_files_are_searched_at_every_letter_without_a_stall(tmp_path: Path):
    """A coarse guard: it is some hundredths of a second of work, in which nothing else has its turn."""
    for folder in range(100):
        (tmp_path / f"module{folder:03}").mkdir()
        for number in range(200):
            path = tmp_path / f"module{folder:03}" / f"part{number:03}.md"
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    (tmp_path / "module042" / "needle.md").write_text("found", encoding="utf-8")
    naming = Naming(workspace=lambda: str(tmp_path))
    bench = fake_bench(attachments=FileAttachments(ChildExtractor(), naming=naming))
    await bench.start()

    def found() -> bool:
        view = bench.workbench.state.open["talk"].completion
        return view is not None and bool(view.offers) and view.offers[0].named == "module042/needle.md"

    async with turns_of_loop() as turns:
        for end in range(1, 8):
            await bench.workbench.dispatch(Complete("talk", "@needle"[:end]))
            await asyncio.sleep(0.03)
        await until(found)
    assert turns.longest_s < 5.0
    await bench.workbench.close()
