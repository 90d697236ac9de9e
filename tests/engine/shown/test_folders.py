"""A folder that is followed: what is new in it is offered, never attached by itself, also after a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.fakes.engine import Bench, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop, until
from workbench.domain.attachment import Artifact
from workbench.domain.folder import FolderRules, FollowedFolder
from workbench.domain.shown.folder_view import FollowedRow
from workbench.engine.folder_intents import FollowFolder, SettleNewFiles, StopFollowing
from workbench.engine.intents import AttachFiles, CloseChat, OpenChat
from workbench.engine.shown.folders import Folders
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
