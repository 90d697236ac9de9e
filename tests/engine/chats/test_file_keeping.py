"""Keeping files one after the other, and attaching them all at the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_calm_loop, in_loop
from workbench.domain.files.attachment import Artifact
from workbench.engine.chats.file_keeping import FileKeeping, settled
from workbench.engine.intents import AttachFiles
from workbench.engine.tuning_intents import AttachedChange, TuneAttached
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor


@in_calm_loop
async def test_nothing_is_attached_before_all_of_it_is_kept():
    """A program that ends in the middle leaves copies behind, and nothing half attached."""
    bench = fake_bench(attachments=MemoryAttachments({"a.md": "Alpha.", "b.md": "Beta."}))
    await bench.start()
    keeping = await FileKeeping.of("talk", bench.world, anew=True)
    for path in ("a.md", "b.md"):
        await keeping.add(await bench.world.attachments.read(path), priority=3)
    assert await bench.world.store.attached("talk") == ()
    assert len(await bench.world.store.snapshots("talk")) == 2
    assert await keeping.attach()
    assert [(one.key, one.priority) for one in await bench.world.store.attached("talk")] == [
        ("a.md", 3),
        ("b.md", 3),
    ]
    assert not await (await FileKeeping.of("talk", bench.world, anew=True)).attach()


def test_what_was_decided_about_the_one_before_stays():
    old = Artifact("a", "file", "old", "Title", 2, essential=True, most_tokens=900)
    new = settled(Artifact("a", "file", "new"), old)
    assert new == replace(old, text="new")
    assert settled(new, None) is new


@in_loop
async def test_what_takes_the_place_of_parts_is_held_as_fast_as_each_of_them(tmp_path: Path):
    """Also by what was decided about them while the file was read."""
    notes = tmp_path / "n.md"
    notes.write_text("# A\naaa\n# B\nbbb\n", encoding="utf-8")
    first, second = f"{notes}#A", f"{notes}#B"
    bench = fake_bench(attachments=FileAttachments(ChildExtractor()))
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", (first, second)))
    await bench.workbench.dispatch(TuneAttached("talk", (AttachedChange(first, priority=2),)))
    keeping = await FileKeeping.of("talk", bench.world, anew=True)
    await keeping.add(await bench.world.attachments.read(str(notes)), priority=7)
    await bench.workbench.dispatch(TuneAttached("talk", (AttachedChange(second, pinned=True),)))
    assert await keeping.attach()
    (whole,) = await bench.world.store.attached("talk")
    assert (whole.key, whole.priority, whole.essential) == (str(notes), 2, True)
    await bench.workbench.close()


@in_calm_loop
async def test_a_pin_that_is_set_while_the_file_is_read_again_holds():
    bench = fake_bench(attachments=MemoryAttachments({"a.md": "Alpha."}))
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", ("a.md",)))
    keeping = await FileKeeping.of("talk", bench.world, anew=False)
    await keeping.add(await bench.world.attachments.read("a.md"))
    await bench.workbench.dispatch(TuneAttached("talk", (AttachedChange("a.md", pinned=True),)))
    assert await keeping.attach()
    assert [one.essential for one in await bench.world.store.attached("talk")] == [True]
