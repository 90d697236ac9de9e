"""A file that changed is held against its copy when somebody looks, and nothing of that is kept."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.settings.context_settings import Freshness
from workbench.domain.shown.parts_view import FileChanges
from workbench.engine.attaching_intents import CompareFile
from workbench.engine.intents import AttachFiles
from workbench.engine.open_chat.looks import MOST_LINES


def changes_of(bench: Bench) -> FileChanges | None:
    return bench.workbench.state.open["talk"].changes


async def compared(
    files: dict[str, str], now: str | None, path: str = "a.md", freshness: Freshness = "freeze"
) -> Bench:
    attachments = MemoryAttachments(files)
    bench = fake_bench(attachments=attachments)
    await bench.start(settings=replace(SETTINGS, freshness=freshness))
    await bench.workbench.dispatch(AttachFiles("talk", (path,)))
    if now is None:
        del attachments.files["a.md"]
    else:
        attachments.files["a.md"] = now
    await bench.workbench.dispatch(CompareFile("talk", path))
    await until(lambda: bool((seen := changes_of(bench)) and not seen.reading))
    return bench


@in_calm_loop
async def test_the_lines_that_differ_are_shown_and_the_copy_stays():
    bench = await compared({"a.md": "one\ntwo\nthree\n"}, "one\n2\nthree\n")
    seen = changes_of(bench)
    assert seen is not None
    assert [(line.sign, line.text) for line in seen.lines] == [
        (" ", "one"), ("-", "two"), ("+", "2"), (" ", "three"),
    ]  # fmt: skip
    assert bench.workbench.state.open["talk"].conversation.attached[0].text == "one\ntwo\nthree\n"
    await bench.workbench.dispatch(CompareFile("talk"))
    assert changes_of(bench) is None


@in_calm_loop
async def test_of_a_part_only_that_part_is_compared():
    bench = await compared({"a.md": "1\n2\n3\n4\n"}, "one\n2\nthree\n4\n", "a.md#L3-4")
    seen = changes_of(bench)
    assert seen is not None
    assert [line.text for line in seen.lines] == ["3", "three", "4"]


@in_calm_loop
async def test_a_file_that_is_gone_says_so():
    seen = changes_of(await compared({"a.md": "one\n"}, None))
    assert seen is not None
    assert "there is no such file" in seen.problem
    assert "stays" in seen.problem


@in_calm_loop
async def test_very_many_changes_are_cut_and_counted():
    seen = changes_of(await compared({"a.md": "x\n"}, "\n".join(map(str, range(5_000)))))
    assert seen is not None
    assert (len(seen.lines), seen.left_out) == (MOST_LINES, 5_001 - MOST_LINES)


@in_calm_loop
async def test_a_file_that_was_read_anew_by_itself_is_held_against_the_copy_before():
    attachments = MemoryAttachments({"a.md": "one\ntwo\n"})
    bench = fake_bench(attachments=attachments)
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", ("a.md",)))
    attachments.files["a.md"] = "one\n2\n"
    await until(lambda: bench.workbench.state.open["talk"].disk.get("a.md", ("unknown", ""))[0] == "renewed")
    await bench.workbench.dispatch(CompareFile("talk", "a.md"))
    await until(lambda: bool((seen := changes_of(bench)) and not seen.reading))
    seen = changes_of(bench)
    assert seen is not None
    assert [(line.sign, line.text) for line in seen.lines] == [(" ", "one"), ("-", "two"), ("+", "2")]
