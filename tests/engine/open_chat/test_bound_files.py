"""What was found in a folder by a name or a pattern is read anew only there: never through a link put in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.chat_model import words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.extractor import PlainExtractor
from tests.fakes.loop import in_calm_loop, until
from workbench.engine.intents import AttachFiles, RefreshArtifacts, SendMessage
from workbench.engine.open_chat import disk_watch
from workbench.engine.world import Limits
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming

SECRET = "the private key"


def bench_in(folder: Path) -> Bench:
    assert disk_watch is not None
    reader = FileAttachments(PlainExtractor(), naming=Naming(workspace=lambda: str(folder)))
    return fake_bench(words("So."), words("So."), attachments=reader, limits=Limits(disk_look_s=0.005))


@pytest.mark.parametrize("how", ["name", "folder", "pattern"])
def test_a_link_in_the_place_of_an_attached_file_is_not_followed(tmp_path: Path, how: str):
    (tmp_path / "secret").write_text(SECRET)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "notes.md").write_text("fine\n")

    @in_calm_loop
    async def talk() -> None:
        bench = bench_in(folder)
        await bench.start()
        if how == "name":
            await bench.do(SendMessage("talk", "About @notes.md"))
        else:
            path = str(folder) if how == "folder" else f"{folder}/*.md"
            await bench.workbench.dispatch(AttachFiles("talk", (path,)))
        (one,) = bench.workbench.state.open["talk"].conversation.attached
        (folder / "notes.md").unlink()
        (folder / "notes.md").symlink_to(tmp_path / "secret")
        await until(
            lambda: [state for state, _ in bench.workbench.state.open["talk"].disk.values()] == ["unreadable"]
        )
        await bench.workbench.dispatch(RefreshArtifacts("talk", (one.key,)))
        await bench.do(SendMessage("talk", "And now?"))
        (one,) = bench.workbench.state.open["talk"].conversation.attached
        assert one.text == "fine\n"
        assert SECRET not in str(bench.model.requests)
        await bench.workbench.close()

    talk()


@in_calm_loop
async def test_parts_of_one_file_are_read_anew_at_once(tmp_path: Path):
    """Sixty parts of a file were sixty readings, after every change and before every question."""
    reader = FileAttachments(CountingExtractor(), naming=Naming(workspace=lambda: str(tmp_path)))
    (tmp_path / "a.txt").write_text("\f".join(f"page {number}" for number in range(1, 31)))
    bench = fake_bench(attachments=reader, limits=Limits(disk_look_s=None))
    await bench.start()
    parts = tuple(f"{tmp_path}/a.txt#p{number}" for number in range(1, 31))
    await bench.workbench.dispatch(AttachFiles("talk", parts))
    (tmp_path / "a.txt").write_text("\f".join(f"sheet {number}" for number in range(1, 31)))
    CountingExtractor.read = 0
    await bench.workbench.dispatch(RefreshArtifacts("talk", parts))
    held = bench.workbench.state.open["talk"].conversation.attached
    assert [one.text.strip("\f") for one in held] == [f"sheet {number}" for number in range(1, 31)]
    assert CountingExtractor.read == 1
    await bench.workbench.close()


class CountingExtractor(PlainExtractor):
    """Counts what it is asked for → Extractor."""

    read = 0

    async def document(self, name, content, reading, password=None):
        """One more."""
        CountingExtractor.read += 1
        return await super().document(name, content, reading, password)
