"""A folder that is followed: what is new in it is offered, never attached by itself, also after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop, until
from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import Document, Reading
from workbench.domain.files.folder import FolderRules, FollowedFolder
from workbench.domain.secrets import Secret
from workbench.domain.shown.attachment_view import FollowedRow
from workbench.engine.attaching_intents import FollowFolder, SettleNewFiles, StopFollowing
from workbench.engine.intents import AttachFiles, CloseChat, OpenChat, StartChat
from workbench.engine.open_chat.folders import Folders
from workbench.engine.world import Limits
from workbench.ports.attaching import FolderWatch
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor
from workbench.sources.folder_watch import SystemFolderWatch


async def opened(store: MemoryHistory | None = None, watch: FolderWatch | None = None) -> Bench:
    assert Folders is not None
    bench = fake_bench(
        store=store or MemoryHistory(),
        attachments=FileAttachments(ChildExtractor()),
        folder_watch=watch,
        limits=Limits(disk_look_s=0.02),
    )
    if store is None:
        await bench.start()
    else:
        await bench.workbench.dispatch(OpenChat("talk"))
    return bench


def rows(bench: Bench) -> tuple[FollowedRow, ...]:
    return bench.workbench.state.open["talk"].followed


def held(bench: Bench) -> list[Artifact]:
    return [*bench.workbench.state.open["talk"].conversation.attached]


async def shows(bench: Bench, so: Callable[[FollowedRow], bool]) -> FollowedRow:
    await until(lambda: bool(rows(bench)) and so(rows(bench)[0]))
    return rows(bench)[0]


@in_loop
async def test_new_files_that_fit_are_offered_and_attached_only_when_somebody_says_so(tmp_path: Path):
    (tmp_path / "old.py").write_text("x")
    (tmp_path / ".gitignore").write_text("*.tmp\n")
    bench = await opened(watch=SystemFolderWatch())
    await bench.workbench.dispatch(
        FollowFolder("talk", FollowedFolder(str(tmp_path), filter="*.py !tests", priority=3))
    )
    assert rows(bench) == (FollowedRow(str(tmp_path)),)
    (tmp_path / "sub").mkdir()
    for name in ("sub/new.py", "new.md", "x.tmp", "tests_new.py"):
        (tmp_path / name).write_text("print()")
    row = await shows(bench, lambda row: bool(row.new))
    assert row.new == ("sub/new.py",)
    assert held(bench) == []
    await bench.workbench.dispatch(SettleNewFiles("talk", str(tmp_path), attach=True))
    (attached,) = held(bench)
    assert (attached.key, attached.priority) == (f"{tmp_path}/sub/new.py", 3)
    await shows(bench, lambda row: row.new == ())
    await bench.workbench.close()


@in_loop
async def test_what_was_passed_over_is_no_news_and_what_went_is_said(tmp_path: Path):
    (tmp_path / "old.py").write_text("x")
    bench = await opened()
    await bench.workbench.dispatch(FollowFolder("talk", FollowedFolder(str(tmp_path))))
    (tmp_path / "new.py").write_text("x")
    (tmp_path / "old.py").unlink()
    row = await shows(bench, lambda row: bool(row.new) and row.gone == 1)
    assert row.new == ("new.py",)
    await bench.workbench.dispatch(SettleNewFiles("talk", str(tmp_path)))
    await shows(bench, lambda row: (row.new, row.gone) == ((), 0))
    assert bench.workbench.state.open["talk"].conversation.attached == ()
    (tmp_path / "old.py").write_text("back")
    row = await shows(bench, lambda row: row.new == ("old.py",))
    await bench.workbench.dispatch(AttachFiles("talk", (f"{tmp_path}/old.py",)))
    await shows(bench, lambda row: row.new == ())  # attached by hand, it is no news
    await bench.workbench.close()


@in_loop
async def test_a_folder_that_goes_is_said_and_comes_back(tmp_path: Path):
    place = tmp_path / "p"
    place.mkdir()
    (place / "a.py").write_text("x")
    bench = await opened()
    await bench.workbench.dispatch(FollowFolder("talk", FollowedFolder(str(place))))
    place.rename(tmp_path / "q")
    await shows(bench, lambda row: not row.there)
    (tmp_path / "q").rename(place)
    await shows(bench, lambda row: row.there)
    await bench.workbench.close()


@in_loop
async def test_it_is_followed_after_a_restart_until_somebody_ends_it(tmp_path: Path):
    store = MemoryHistory()
    first = fake_bench(
        store=store, attachments=FileAttachments(ChildExtractor()), limits=Limits(disk_look_s=0.02)
    )
    await first.start()
    folder = FollowedFolder(str(tmp_path), FolderRules(hidden=True))
    await first.workbench.dispatch(FollowFolder("talk", folder))
    await first.workbench.close()
    store.closed = False
    (tmp_path / ".env").write_text("meanwhile")
    second = await opened(store)
    row = await shows(second, lambda row: bool(row.new))
    assert row.new == (".env",)
    await second.workbench.dispatch(CloseChat("talk"), OpenChat("talk"))
    await shows(second, lambda row: bool(row.new))
    await second.workbench.dispatch(StopFollowing("talk", str(tmp_path)))
    assert rows(second) == ()
    assert await store.followed("talk") == ()
    await second.workbench.close()


@in_loop
async def test_a_folder_is_followed_in_a_chat_that_is_not_kept_yet(tmp_path: Path):
    bench = fake_bench(attachments=FileAttachments(ChildExtractor()), limits=Limits(disk_look_s=0.02))
    await bench.workbench.dispatch(StartChat("talk", SETTINGS, unwritten=True))
    await bench.workbench.dispatch(FollowFolder("talk", FollowedFolder(str(tmp_path))))
    (tmp_path / "new.py").write_text("x")
    await shows(bench, lambda row: row.new == ("new.py",))
    assert [one.path for one in await bench.world.store.followed("talk")] == [str(tmp_path)]
    await bench.workbench.close()


class SlowExtractor(ChildExtractor):
    """Reads nothing before it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.reads, self.go_on = asyncio.Event(), asyncio.Event()

    async def document(
        self, name: str, content: bytes, reading: Reading, password: Secret | None = None
    ) -> Document:
        self.reads.set()
        await self.go_on.wait()
        return await super().document(name, content, reading)


@in_loop
async def test_what_is_no_longer_followed_stays_so_when_its_new_files_are_attached_at_last(tmp_path: Path):
    reader = SlowExtractor()
    bench = fake_bench(attachments=FileAttachments(reader), limits=Limits(disk_look_s=0.02))
    await bench.start()
    await bench.workbench.dispatch(FollowFolder("talk", FollowedFolder(str(tmp_path))))
    (tmp_path / "new.html").write_text("<p>x</p>")
    await shows(bench, lambda row: bool(row.new))
    settle = bench.workbench.dispatch(SettleNewFiles("talk", str(tmp_path), attach=True))
    attaching = bench.world.tasks.start("attach what is new", settle)
    await reader.reads.wait()
    await bench.workbench.dispatch(StopFollowing("talk", str(tmp_path)))
    reader.go_on.set()
    await attaching
    assert await bench.world.store.followed("talk") == ()
    assert rows(bench) == ()
    assert [one.text.strip() for one in held(bench)] == ["x"]
    await bench.workbench.close()


@in_loop
@pytest.mark.parametrize("names", [("bad.pdf",), ("bad.pdf", "worse.pdf")])
async def test_new_files_that_cannot_be_read_are_said_once(tmp_path: Path, names: tuple[str, ...]):
    bench = await opened()
    await bench.workbench.dispatch(FollowFolder("talk", FollowedFolder(str(tmp_path))))
    for name in names:
        (tmp_path / name).write_bytes(b"%PDF-1.4 broken")
    await shows(bench, lambda row: row.new == names)
    with pytest.raises(WorkbenchError, match=r"bad\.pdf"):
        await bench.workbench.dispatch(SettleNewFiles("talk", str(tmp_path), attach=True))
    await shows(bench, lambda row: row.new == ())
    assert (await bench.world.store.followed("talk"))[0].known == frozenset(names)
    await bench.workbench.close()


class RestlessWatch:
    """Something changes all the time."""

    async def changed(self, folders: Sequence[str]) -> None:
        await asyncio.sleep(0)


class CountingReader(FileAttachments):
    """Counts how often a folder is gone through."""

    walks = 0

    async def scan(self, *args: Any, **named: Any) -> Any:
        CountingReader.walks += 1
        return await super().scan(*args, **named)


@in_loop
async def test_a_folder_that_is_written_all_the_time_rests_between_two_looks(tmp_path: Path):
    bench = fake_bench(attachments=CountingReader(ChildExtractor()), folder_watch=RestlessWatch())
    bench.world.limits.folder_rest_s = 600
    await bench.start()
    await bench.workbench.dispatch(FollowFolder("talk", FollowedFolder(str(tmp_path))))
    await until(lambda: CountingReader.walks >= 2)  # what there is, and the first look
    await asyncio.sleep(0.3)
    assert CountingReader.walks == 2
    bench.world.limits.folder_rest_s = 0.05
    await bench.workbench.dispatch(FollowFolder("talk", FollowedFolder(str(tmp_path))))
    await until(lambda: CountingReader.walks >= 6)
    await bench.workbench.close()
