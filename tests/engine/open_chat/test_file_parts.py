"""A file that is open to choose its parts follows what becomes of it."""

from __future__ import annotations

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.files.document import Reading
from workbench.domain.shown.parts_view import PartsView
from workbench.engine.attaching_intents import ChooseParts, ReadOtherwise, ShowParts
from workbench.engine.intents import AttachFiles, DetachArtifacts
from workbench.engine.open_chat.looks import FileParts

PAGES = "first page\n\fsecond page\n\fthird page\n"


async def opened_bench() -> Bench:
    bench = fake_bench(attachments=MemoryAttachments({"spec.txt": PAGES}))
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", ("spec.txt",)), ShowParts("talk", "spec.txt"))
    await until(lambda: bool((view := parts_of(bench)) and view.rows))
    return bench


def parts_of(bench: Bench) -> PartsView | None:
    return bench.workbench.state.open["talk"].parts


def keys(bench: Bench) -> list[str]:
    return [one.key for one in bench.workbench.state.open["talk"].conversation.attached]


@in_calm_loop
async def test_a_file_that_is_detached_elsewhere_is_closed():
    bench = await opened_bench()
    assert FileParts is not None
    await bench.workbench.dispatch(DetachArtifacts("talk", ("spec.txt",)))
    assert parts_of(bench) is None


@in_calm_loop
async def test_whoever_unticks_the_last_part_can_tick_another():
    """The file is taken off then; as long as somebody chooses, it is read from the copy that was kept."""
    bench = await opened_bench()
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ("p1",)))
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ()))
    view = parts_of(bench)
    assert keys(bench) == []
    assert view is not None
    assert not view.whole
    assert view.chosen == ()
    await bench.workbench.dispatch(ChooseParts("talk", "spec.txt", ("p2",)))
    assert keys(bench) == ["spec.txt#p2"]
    await bench.workbench.dispatch(DetachArtifacts("talk", ("spec.txt#p2",)))
    assert parts_of(bench) is None


@in_calm_loop
async def test_read_otherwise_its_parts_are_listed_anew():
    """The text that is shown would be another than the one that is sent."""
    bench = await opened_bench()
    await bench.workbench.dispatch(ReadOtherwise("talk", "spec.txt", Reading(encoding="utf-16-le")))
    await until(lambda: bool((view := parts_of(bench)) and not view.reading))
    view = parts_of(bench)
    assert view is not None
    assert view.text == bench.workbench.state.open["talk"].conversation.attached[0].text != PAGES
