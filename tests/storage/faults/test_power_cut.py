"""After a power cut at any moment, everything that was acknowledged is there."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.effort import tries
from tests.fakes.stores import open_store
from tests.storage.faults.power_cuts import Disk, Event, compile_recorder, read_journal
from workbench.domain.errors import WorkbenchError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="preloading needs Linux")

ROOT = Path(__file__).parents[3]
IMAGES = tries(300)
MESSAGES = 40


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("a C compiler is needed to record what is written")
    return compile_recorder(tmp_path_factory.mktemp("recorder"))


def test_nothing_acknowledged_is_lost_in_any_power_cut(tmp_path: Path, recorder: Path) -> None:
    lost = [cut for cut in cuts(tmp_path, recorder, "FULL") if cut is not None]
    assert lost == []


def test_the_same_images_show_loss_where_commits_are_not_synced(tmp_path: Path, recorder: Path) -> None:
    """Without this the test above could pass because the recorder sees nothing."""
    assert any(cut is not None for cut in cuts(tmp_path, recorder, "NORMAL"))


def cuts(folder: Path, recorder: Path, synchronous: str) -> Iterator[str | None]:
    """For every image what is wrong with it, or None."""
    source = folder / "source"
    source.mkdir()
    events = list(record(source, folder / "journal", recorder, synchronous))
    choice = random.Random(4)
    moments = sorted(choice.choices(range(len(events) + 1), k=IMAGES))
    disk, seen = Disk({}), 0
    for number, moment in enumerate(moments):
        for event in events[seen:moment]:
            disk.see(event)
        seen = moment
        mode = ("none", "some", "all")[number % 3]
        yield asyncio.run(found_wrong(folder / "image", source, disk, mode, choice))


def record(source: Path, journal: Path, recorder: Path, synchronous: str) -> Iterator[Event]:
    environment = {
        **os.environ,
        "LD_PRELOAD": str(recorder),
        "RECORDER_FOLDER": str(source),
        "RECORDER_JOURNAL": str(journal),
    }
    command = [
        sys.executable,
        "-m",
        "tests.storage.faults.writer_child",
        str(source),
        synchronous,
        str(MESSAGES),
    ]
    subprocess.run(command, check=True, cwd=ROOT, env=environment, timeout=120)
    return read_journal(journal)


async def found_wrong(image: Path, source: Path, disk: Disk, mode: str, choice: random.Random) -> str | None:
    shutil.rmtree(image, ignore_errors=True)
    image.mkdir()
    for path, content in disk.image(mode, choice).items():
        (image / Path(path).relative_to(source)).write_bytes(content)
    expected = max(0, disk.acknowledged - 1)
    if disk.acknowledged == 0:
        return None
    try:
        store = open_store(image / "history.db")
    except WorkbenchError as problem:
        return f"{mode}: not opened after {disk.acknowledged} acknowledged: {problem}"
    try:
        kept = [record.id for record in await store.path("c")]
        problems = (await store.verify()).problems
    except WorkbenchError as problem:
        return f"{mode}: {problem}"
    finally:
        await store.close()
    if kept[:expected] != [f"m{index}" for index in range(expected)] or problems:
        return f"{mode}: {len(kept)} of {expected} messages, {problems}"
    return None
