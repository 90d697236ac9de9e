"""A file that changes on the disk is noticed while its chat is open; whoever keeps the copy is asked no more.

Here nothing is read by itself: what happens where the newest is to be sent is in `test_newest_files`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.fakes.attachments import CHANGED
from tests.fakes.engine import SETTINGS, Bench, FilesInMemory, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.turns import artifact
from workbench.domain.files.attached import FileSight, KeptCopy
from workbench.engine.attaching_intents import FreezeArtifacts
from workbench.engine.intents import (
    AttachArtifact,
    AttachFiles,
    AttachText,
    CloseChat,
    OpenChat,
    RefreshArtifacts,
)
from workbench.engine.tuning_intents import PutBackAttached
from workbench.engine.world import Limits

KEEPING = replace(SETTINGS, freshness="freeze")


async def opened(*paths: str, look_s: float = 0.005, **files: str) -> tuple[Bench, FilesInMemory]:
    """A chat with files attached, looked at often."""
    reader = FilesInMemory(**files)
    bench = fake_bench(store=FragileHistory(), attachments=reader, limits=Limits(disk_look_s=look_s))
    await bench.start(settings=KEEPING)
    if paths:
        await bench.workbench.dispatch(AttachFiles("talk", paths))
        await until(lambda: len(disk(bench)) == len(paths))
    return bench, reader


def disk(bench: Bench) -> dict[str, str]:
    return {key: state for key, (state, _) in bench.workbench.state.open["talk"].disk.items()}


async def seen(bench: Bench, expected: Mapping[str, str]) -> None:
    """Wait until every file is shown so."""
    await until(lambda: disk(bench) == expected)


@in_calm_loop
async def test_a_change_is_told_once_with_its_time():
    bench, files = await opened("a", "b", a="Alpha.", b="Beta.")
    assert disk(bench) == {"a": "same", "b": "same"}
    files.texts["a"] = "Alpha, newer."
    await seen(bench, {"a": "changed", "b": "same"})
    assert bench.workbench.state.open["talk"].disk["a"] == ("changed", CHANGED)
    looks = files.looks
    await until(lambda: files.looks > looks + 3)
    assert [one["a"][0] for one in bench.shows("disk")][-2:] == ["same", "changed"]
    del files.texts["b"]
    await seen(bench, {"a": "changed", "b": "gone"})
    files.texts.update(a="Alpha.", b="Beta.")
    await seen(bench, {"a": "same", "b": "same"})
    await bench.workbench.close()


@in_calm_loop
async def test_whoever_keeps_the_copy_is_told_again_only_when_the_file_changes_again():
    bench, files = await opened("a", "b", a="Alpha.", b="Beta.")
    files.texts["a"] = "Alpha, newer."
    await seen(bench, {"a": "changed", "b": "same"})
    await bench.workbench.dispatch(FreezeArtifacts("talk", ("a", "never")))
    await seen(bench, {"a": "frozen", "b": "same"})
    looks = files.looks
    await until(lambda: files.looks > looks + 2)
    assert disk(bench) == {"a": "frozen", "b": "same"}
    files.texts["a"] = "Alpha, newest."
    await seen(bench, {"a": "changed", "b": "same"})
    files.texts["a"] = "Alpha."
    await seen(bench, {"a": "same", "b": "same"})
    await bench.workbench.close()


@in_calm_loop
async def test_a_file_that_was_read_anew_is_held_against_its_new_copy_and_back():
    """Undoing a refresh brings the old text back, and is a choice against what the file holds."""
    bench, files = await opened("a", a="Alpha.")
    before = bench.workbench.state.open["talk"].conversation.attached
    files.texts["a"] = "Alpha, newer."
    await seen(bench, {"a": "changed"})
    await bench.workbench.dispatch(RefreshArtifacts("talk", ("a",)))
    await seen(bench, {"a": "same"})
    await bench.workbench.dispatch(PutBackAttached("talk", before, ("a",)))
    await seen(bench, {"a": "frozen"})
    files.texts["a"] = "Alpha, newest."
    await seen(bench, {"a": "changed"})
    await bench.workbench.close()


@in_calm_loop
async def test_what_is_no_file_is_not_looked_at():
    bench, files = await opened()
    await bench.workbench.dispatch(AttachText("talk", "Pasted."))
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("never-read", "Words.")))
    await asyncio.sleep(0.03)
    assert (disk(bench), files.looks, bench.shows("disk")) == ({}, 0, [])
    await bench.workbench.close()


@in_calm_loop
async def test_a_closed_chat_is_left_alone_and_looked_at_again_when_it_is_opened():
    bench, files = await opened("a", a="Alpha.")
    await bench.workbench.dispatch(CloseChat("talk"))
    await asyncio.sleep(0.02)
    looks = files.looks
    files.texts["a"] = "Alpha, newer."
    await asyncio.sleep(0.03)
    assert files.looks == looks
    await bench.workbench.dispatch(OpenChat("talk"))
    await seen(bench, {"a": "changed"})
    await bench.workbench.close()


@in_calm_loop
async def test_what_is_attached_is_looked_at_at_once():
    """Not only when the next round is due: here that would be in a minute."""
    bench, files = await opened("a", look_s=60.0, a="Alpha.")
    files.texts["a"] = "Alpha, newer."
    await bench.workbench.dispatch(AttachText("talk", "Pasted."))
    await seen(bench, {"a": "changed"})
    await bench.workbench.close()


@in_calm_loop
async def test_a_store_that_cannot_be_read_is_asked_again():
    bench, _ = await opened(a="Alpha.")
    store = bench.world.store
    assert isinstance(store, FragileHistory)
    await bench.workbench.dispatch(AttachFiles("talk", ("a",)))
    store.refusing.add("copies")
    await bench.workbench.dispatch(AttachText("talk", "More."))
    before = store.calls.count("copies")
    await until(lambda: store.calls.count("copies") > before + 2)
    store.refusing.clear()
    await seen(bench, {"a": "same"})
    await bench.workbench.close()


class SlowFiles(FilesInMemory):
    """Lets a test do something while it looks at something that has changed."""

    def __init__(self, **texts: str) -> None:
        super().__init__(**texts)
        self.saw, self.go_on = asyncio.Event(), asyncio.Event()

    async def look(self, copies: Sequence[tuple[KeptCopy, FileSight | None]]) -> tuple[FileSight, ...]:
        """What was there at the beginning."""
        found = await super().look(copies)
        if any(sight.state == "changed" for sight in found):
            self.saw.set()
            await self.go_on.wait()
        return found


@in_calm_loop
async def test_what_was_seen_of_an_older_copy_is_not_told():
    files = SlowFiles(a="Alpha.")
    bench = fake_bench(attachments=files, limits=Limits(disk_look_s=0.005))
    await bench.start(settings=KEEPING)
    await bench.workbench.dispatch(AttachFiles("talk", ("a",)))
    await seen(bench, {"a": "same"})
    files.texts["a"] = "Alpha, newer."
    await files.saw.wait()
    await bench.workbench.dispatch(RefreshArtifacts("talk", ("a",)))
    looks = files.looks
    files.go_on.set()
    await until(lambda: files.looks > looks + 1)
    assert bench.shows("disk") == [{"a": ("same", "")}]
    await bench.workbench.close()


@in_calm_loop
async def test_the_attachments_are_drawn_anew_after_a_change():
    bench, files = await opened("a", a="Alpha.")
    files.texts["a"] = "Alpha, newer."
    await until(lambda: [row.disk for row in bench.workbench.state.open["talk"].attachments] == ["changed"])
    await bench.workbench.dispatch(FreezeArtifacts("talk", ("a",)))
    await until(lambda: [row.disk for row in bench.workbench.state.open["talk"].attachments] == ["frozen"])
    await bench.workbench.close()
