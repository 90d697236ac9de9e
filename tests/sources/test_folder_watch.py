"""A watch on folders: a change is told soon, and one that is given up leaves no thread that waits."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop, until
from workbench.sources import folder_watch
from workbench.sources.folder_watch import SystemFolderWatch


def watching() -> int:
    return sum(thread.name == "watch folders" for thread in threading.enumerate())


@in_loop
async def test_a_new_file_deep_down_is_noticed(tmp_path: Path):
    told = asyncio.get_running_loop().create_task(SystemFolderWatch().changed([str(tmp_path)]))
    (tmp_path / "a" / "b").mkdir(parents=True)
    for number in range(100):
        (tmp_path / "a" / "b" / f"{number}.py").write_text("x")
        if told.done():
            break
        await asyncio.sleep(0.05)
    await asyncio.wait_for(told, 250)
    await until(lambda: watching() == 0)


@in_loop
async def test_a_watch_that_is_given_up_ends(tmp_path: Path):
    told = asyncio.get_running_loop().create_task(SystemFolderWatch().changed([str(tmp_path)]))
    await asyncio.sleep(0.1)
    told.cancel()
    await asyncio.wait([told])
    await until(lambda: watching() == 0)


@in_loop
async def test_where_the_system_cannot_tell_time_passes(monkeypatch: pytest.MonkeyPatch):
    await asyncio.wait_for(SystemFolderWatch(poll_s=0.01).changed(["/nowhere/at/all"]), 10)
    monkeypatch.setattr(folder_watch, "_wait_for_change", lambda folders, stop, below: False)
    await asyncio.wait_for(SystemFolderWatch(poll_s=0.01).changed(["."]), 10)
