"""Documents and pictures from real files, through the real reader and a real server, up to the bytes that are sent."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

from docx import Document as Word
from PIL import Image

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.recording_server import RECORDED_WIRES, RecordingServer
from tests.fakes.turns import fake_builder
from workbench.domain.files.document import Reading
from workbench.engine.attaching_intents import ChooseParts, FreezeArtifacts, ReadOtherwise
from workbench.engine.intents import AttachFiles, OpenChat, RefreshArtifacts, SendMessage
from workbench.engine.workbench import Workbench
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming
from workbench.sources.extract.process import ChildExtractor

ORIENTATION = 0x0112


def bench_at(server: RecordingServer, folder: Path, store: MemoryHistory | None = None) -> Bench:
    naming = Naming(workspace=lambda: str(folder))
    return fake_bench(
        builder=fake_builder(WORD_MODEL), models=FakeModels(server.model()),
        attachments=FileAttachments(ChildExtractor(), naming=naming), store=store or MemoryHistory(),
    )  # fmt: skip


def word_file(path: Path) -> None:
    made = Word()
    made.add_heading("Terms", 1)
    made.add_paragraph("A client holds one token.")
    made.add_heading("Clock skew", 1)
    made.add_paragraph("The allowed skew is 30 s.")
    made.save(str(path))


def lying_picture(path: Path) -> None:
    """A photograph whose camera was held upright: red on the left as it is stored, on top as it is looked at."""
    picture = Image.new("RGB", (200, 100), "blue")
    picture.paste("red", (0, 0, 100, 100))
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    picture.save(path, exif=exif, quality=95)


def sent(body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body)
    return found


def all_text(body: bytes) -> str:
    return json.dumps(sent(body), ensure_ascii=False)


def test_a_part_of_a_document_goes_out_and_the_rest_does_not(tmp_path: Path):
    word_file(tmp_path / "spec.docx")

    @in_calm_loop
    async def talk() -> None:
        async with RecordingServer(RECORDED_WIRES[0]) as server:
            bench = bench_at(server, tmp_path)
            await bench.start()
            await bench.do(SendMessage("talk", "What says @spec.docx#Clock-skew?"))
            assert "The allowed skew is 30 s." in all_text(server.bodies[-1])
            assert "one token" not in all_text(server.bodies[-1])
            assert "spec.docx#Clock-skew" in all_text(server.bodies[-1])
            await bench.workbench.dispatch(ChooseParts("talk", "spec.docx", (), whole=True))
            await bench.do(SendMessage("talk", "And all of it?"))
            assert "A client holds one token." in all_text(server.bodies[-1])
            await bench.workbench.close()

    talk()


def test_a_part_is_read_again_where_its_file_changed_and_after_a_restart(tmp_path: Path):
    word_file(tmp_path / "spec.docx")
    store = MemoryHistory()

    @in_calm_loop
    async def talk() -> None:
        async with RecordingServer(RECORDED_WIRES[0]) as server:
            bench = bench_at(server, tmp_path, store)
            await bench.start()
            await bench.workbench.dispatch(AttachFiles("talk", (f"{tmp_path}/spec.docx#Clock-skew",)))
            changed = Word(str(tmp_path / "spec.docx"))
            changed.add_paragraph("Since May it is 60 s.")
            changed.save(str(tmp_path / "spec.docx"))
            again = Workbench(bench.world)
            await again.dispatch(OpenChat("talk"))
            await again.dispatch(RefreshArtifacts("talk", (f"{tmp_path.as_posix()}/spec.docx#Clock-skew",)))
            (part,) = again.state.open["talk"].conversation.attached
            assert "Since May it is 60 s." in part.text
            assert "one token" not in part.text
            assert part.name_for_model == "spec.docx#Clock-skew"
            await again.close()

    talk()


def test_a_picture_goes_out_upright_also_from_an_earlier_copy(tmp_path: Path):
    lying_picture(tmp_path / "photo.jpg")

    @in_calm_loop
    async def talk() -> None:
        async with RecordingServer(RECORDED_WIRES[0]) as server:
            bench = bench_at(server, tmp_path)
            await bench.start()
            await bench.workbench.dispatch(AttachFiles("talk", (str(tmp_path / "photo.jpg"),)))
            await bench.do(SendMessage("talk", "What is on top?"))
            assert looked_at(server.bodies[-1]) == ((100, 200), "red on top")
            (row,) = bench.workbench.state.open["talk"].conversation.attached
            assert "100 × 200" in row.text
            Image.new("RGB", (50, 50), "green").save(tmp_path / "photo.jpg")
            await bench.workbench.dispatch(FreezeArtifacts("talk", (row.key,)))
            await bench.do(SendMessage("talk", "And now?"))
            assert looked_at(server.bodies[-1]) == ((100, 200), "red on top")
            await bench.workbench.close()

    talk()


def looked_at(body: bytes) -> tuple[tuple[int, int], str]:
    """The size of the picture that was sent last, and where its red half is, whatever its notes say."""
    parts = [
        part
        for message in sent(body)["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
    ]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    picture = Image.open(io.BytesIO(base64.b64decode(urls[-1].partition(",")[2])))
    red = picture.convert("RGB").getpixel((picture.width // 2, 10))
    assert isinstance(red, tuple)
    return picture.size, "red on top" if red[0] > 200 and red[2] < 60 else f"{red} on top"


def test_a_page_is_read_as_its_source_where_that_is_wanted(tmp_path: Path):
    page = "<html><body><h1>Title</h1><script>var hidden = 1;</script><p>Words of the page.</p></body></html>"
    (tmp_path / "page.html").write_text(page)

    @in_calm_loop
    async def talk() -> None:
        async with RecordingServer(RECORDED_WIRES[0]) as server:
            bench = bench_at(server, tmp_path)
            await bench.start()
            await bench.workbench.dispatch(AttachFiles("talk", (str(tmp_path / "page.html"),)))
            (one,) = bench.workbench.state.open["talk"].conversation.attached
            assert "Words of the page." in one.text
            assert "hidden" not in one.text
            await bench.workbench.dispatch(ReadOtherwise("talk", one.key, Reading("text")))
            (one,) = bench.workbench.state.open["talk"].conversation.attached
            assert one.text == page
            await bench.workbench.dispatch(RefreshArtifacts("talk", (one.key,)))
            (one,) = bench.workbench.state.open["talk"].conversation.attached
            assert one.text == page
            await bench.workbench.close()

    talk()
