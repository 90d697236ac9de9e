"""A folder that is looked through: entries and counts come as they are found, and whoever ends it waits for nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.domain.files.test_pictures import PNG
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop, in_loop, until
from workbench.domain.files.folder import FolderRules
from workbench.domain.shown.attachment_view import FolderView
from workbench.engine.attaching_intents import CountFiles, LeaveFolder, ScanFolder, StopScan
from workbench.engine.intents import AttachFiles
from workbench.engine.shown.folder_scan import FolderScans
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor


async def opened() -> Bench:
    bench = fake_bench(attachments=FileAttachments(ChildExtractor()))
    await bench.start()
    return bench


def seen(bench: Bench) -> FolderView:
    view = bench.workbench.state.folder
    assert view is not None
    return view


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, body in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(body if isinstance(body, bytes) else body.encode())


async def scanned(bench: Bench, path: Path, rules: FolderRules | None = None) -> FolderView:
    await bench.workbench.dispatch(ScanFolder("talk", str(path), rules or FolderRules()))
    await until(lambda: seen(bench).over)
    return seen(bench)


@in_calm_loop
async def test_everything_is_listed_and_texts_are_counted(tmp_path: Path):
    write(
        tmp_path,
        {
            "src/a.py": "one two three",
            "b.md": "four",
            "c.bin": b"\0\1",
            "d.pdf": b"%PDF\0",
            "e.txt": b"caf\xe9",
        },
    )
    bench = await opened()
    assert FolderScans is not None
    view = await scanned(bench, tmp_path)
    assert {entry.path for entry in view.entries} == {"src", "src/a.py", "b.md", "c.bin", "d.pdf", "e.txt"}
    counts = {one.path: one for one in view.counts}
    assert counts["c.bin"].standing == "binary"
    assert (counts["e.txt"].tokens or 0) > 0  # who reads files decides: it is text in another encoding
    assert "d.pdf" not in counts
    assert (view.counted, view.to_count, view.listed, view.stopped) == (4, 4, True, False)
    assert (counts["src/a.py"].tokens or 0) > (counts["b.md"].tokens or 0) > 0
    await bench.workbench.close()


@in_loop
async def test_what_a_file_is_said_to_cost_is_what_it_costs_when_it_is_attached(tmp_path: Path):
    """The dialog's figures and those of the request were made in two places, and differed by the wrapper."""
    write(tmp_path, {"a.py": "alpha beta gamma delta\n" * 20, "b.py": "one two\n" * 7, "c.py": "z\n"})
    bench = await opened()
    view = await scanned(bench, tmp_path)
    paths = tuple(f"{tmp_path}/{one.path}" for one in view.counts)
    await bench.workbench.dispatch(AttachFiles("talk", paths, 3, str(tmp_path)))
    await until(lambda: len(bench.workbench.state.open["talk"].attachments) == 3)
    rows = {row.key: row for row in bench.workbench.state.open["talk"].attachments}
    said = {f"{tmp_path}/{one.path}": one.tokens for one in view.counts}
    # The first one in a message carries what the message itself costs, the last one what opening the answer does.
    second = paths[1]
    assert rows[second].tokens == said[second]
    assert {row.priority for row in rows.values()} == {3}
    await bench.workbench.close()


@in_loop
async def test_a_document_is_counted_when_it_is_chosen_and_a_picture_by_its_size(tmp_path: Path):
    write(tmp_path, {"a.html": "<p>words words</p>", "b.png": PNG, "c.docx": b"PK\3\4" + bytes(range(256))})
    bench = await opened()
    view = await scanned(bench, tmp_path)
    assert view.counts == ()
    await bench.workbench.dispatch(CountFiles(("a.html", "b.png", "c.docx")))
    await until(lambda: len(seen(bench).counts) == 3)
    found = {one.path: one for one in seen(bench).counts}
    assert (found["a.html"].tokens or 0) > 0
    assert (found["b.png"].tokens or 0) > 0
    assert (found["c.docx"].standing, found["c.docx"].tokens) == ("refused", None)
    await bench.workbench.dispatch(CountFiles(("a.html",)))
    await asyncio.sleep(0.05)
    assert len(seen(bench).counts) == 3
    await bench.workbench.close()


@in_loop
async def test_twenty_thousand_files_come_in_pieces_and_are_ended_at_once(tmp_path: Path):
    for folder in range(100):
        (tmp_path / str(folder)).mkdir()
        for number in range(200):
            (tmp_path / str(folder) / f"{number}.py").write_text(f"x = {number}\n")
    bench = await opened()
    await bench.workbench.dispatch(ScanFolder("talk", str(tmp_path)))
    await until(lambda: seen(bench).counted > 0)
    assert len(seen(bench).entries) == 20_100
    lists = {len(one.entries) for one in bench.shows("folder") if one is not None}
    assert len(lists) > 3  # it came in pieces
    await bench.workbench.dispatch(StopScan())
    view = seen(bench)
    assert (view.over, view.stopped) == (True, True)
    assert 0 < view.counted < 20_000
    await asyncio.sleep(0.3)
    assert seen(bench) is view  # nothing comes after the end
    await bench.workbench.close()


@in_calm_loop
async def test_another_look_ends_the_one_before_and_leaving_ends_both(tmp_path: Path):
    write(tmp_path, {"one/a.py": "x", "two/b.py": "y", "two/.hidden": "z"})
    bench = await opened()
    await bench.workbench.dispatch(ScanFolder("talk", str(tmp_path / "one")))
    first = seen(bench).number
    view = await scanned(bench, tmp_path / "two", FolderRules(hidden=True))
    assert view.number == first + 1
    assert {entry.path for entry in view.entries if entry.standing == "open"} == {"b.py", ".hidden"}
    await bench.workbench.dispatch(LeaveFolder())
    assert bench.workbench.state.folder is None
    await bench.workbench.dispatch(StopScan())
    assert bench.workbench.state.folder is None
    await bench.workbench.close()


@in_calm_loop
async def test_what_is_no_folder_says_so(tmp_path: Path):
    bench = await opened()
    view = await scanned(bench, tmp_path / "nowhere")
    assert (view.entries, view.problem) == ((), "There is no such folder, or it cannot be read.")
    await bench.workbench.close()
