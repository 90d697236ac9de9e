"""Keeping files one after the other, and attaching them all at the end."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_calm_loop
from workbench.domain.attachment import Artifact
from workbench.engine.chats import freezing
from workbench.engine.chats.file_keeping import FileKeeping, in_place_of, settled


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
    assert freezing.freeze_files is not None


def test_what_takes_the_place_of_parts_is_held_as_fast_as_each_of_them():
    whole = Artifact("a", "file", "one two", priority=4)
    parts = (
        Artifact("a#1", "file", "one", priority=6, essential=True),
        Artifact("a#2", "file", "two", priority=1),
    )
    assert in_place_of(parts, whole) == replace(whole, priority=1, essential=True)
    assert in_place_of((), whole) == whole
