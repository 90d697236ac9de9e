"""An export beside everything else: how far it is, what it leaves out, and nothing where it fails or is ended."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.engine.program.test_exporting import FULL, Damaged, Sealing
from tests.engine.program.test_jobs import bench_with, ended, files
from tests.fakes.archives import plain_archive
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.turns import user
from workbench.domain.secrets import Secret
from workbench.engine.events import JobMoved
from workbench.engine.program_intents import CancelJob, ExportChats
from workbench.engine.tasks import Tasks

KEY = Secret.of_text("key")


def exporting(format_: str, *chats: str, **others: object) -> ExportChats:
    return ExportChats("j", chats, format_, "out", **others)  # type: ignore[arg-type]


@in_calm_loop
async def test_all_chats_go_into_one_file_and_each_moves_the_job():
    bench = await bench_with(3)
    await bench.workbench.dispatch(exporting("json"))
    end = await ended(bench)
    assert (end.state, end.done, end.total, end.place) == ("done", 3, 3, "out")
    document = json.loads(files(bench).files["out"])
    assert sorted(one["chat"]["id"] for one in document["chats"]) == ["c0", "c1", "c2"]
    assert end.written_bytes == len(files(bench).files["out"])
    assert (
        end.note == "Nothing is left out.\nThis export is not encrypted: keep it where only you can read it."
    )
    steps = [(event.job.done, event.job.total) for event in bench.told(JobMoved)]
    assert steps == [(0, 0), (0, 3), (1, 3), (2, 3), (3, 3), (3, 3)]


@in_calm_loop
async def test_several_files_go_into_a_folder():
    bench = await bench_with(2)
    await bench.workbench.dispatch(exporting("markdown", "c0", "c1"))
    end = await ended(bench)
    assert (end.state, end.place) == ("done", "out")
    assert sorted(files(bench).files) == ["out/2026-01-01-a-title-2.md", "out/2026-01-01-a-title.md"]
    assert end.note.startswith("Left out: other branches")
    await bench.workbench.dispatch(ExportChats("j", ("c0",), "markdown", "one.md"))
    await until(lambda: "one.md" in files(bench).files)


@in_calm_loop
async def test_elaras_files_are_sealed_or_in_the_clear_only_where_that_was_said():
    bench = await bench_with(1, elara=lambda key: Sealing())
    await bench.workbench.dispatch(exporting("elara", key=KEY))
    assert "not encrypted" not in (await ended(bench)).note
    assert {body[:1] for body in files(bench).files.values()} == {b"S"}
    files(bench).files.clear()
    await bench.workbench.dispatch(exporting("elara", plaintext=True))
    assert "not encrypted" in (await ended(bench)).note
    assert {json.loads(body)["Alg"] for body in files(bench).files.values()} == {"PLAINTEXT"}
    files(bench).files.clear()
    wrong = (exporting("elara"), exporting("elara", key=KEY, plaintext=True), exporting("json", key=KEY))
    for intent in wrong:
        await bench.workbench.dispatch(intent)
        assert (await ended(bench)).state == "failed"
    assert files(bench).files == {}


@pytest.mark.parametrize(
    ("intent", "note"),
    [
        (exporting("pdf"), "format: expected one of json, markdown"),
        (exporting("json", "never"), "There is no chat 'never'."),
    ],
)
def test_what_cannot_be_exported_is_said_and_nothing_is_written(intent: ExportChats, note: str):
    @in_calm_loop
    async def export() -> None:
        bench = await bench_with(1)
        await bench.workbench.dispatch(intent)
        end = await ended(bench)
        assert (end.state, files(bench).files) == ("failed", {})
        assert end.note.startswith(note)

    export()


@in_calm_loop
async def test_without_chats_or_without_room_nothing_is_written():
    bench = await bench_with(0)
    await bench.workbench.dispatch(exporting("json"))
    assert (await ended(bench)).note == "There are no chats to export."
    bench = await bench_with(1)
    files(bench).full = True
    await bench.workbench.dispatch(exporting("json"))
    assert "could not be written" in (await ended(bench)).note
    bench = await bench_with(1, exchange=None)
    await bench.workbench.dispatch(exporting("json"))
    assert (await ended(bench)).state == "failed"


@in_calm_loop
async def test_a_damaged_chat_is_named_and_keeps_no_other():
    store = Damaged()
    for archive in (FULL, plain_archive(user("q"), chat="short")):
        await store.adopt(archive)
    bench = await bench_with(0, store)
    await bench.workbench.dispatch(exporting("json"))
    end = await ended(bench)
    assert (end.state, end.done) == ("done", 2)
    assert end.note.startswith("talk: damaged, and left out.")
    await bench.workbench.dispatch(ExportChats("j", ("talk",), "json", "other"))
    end = await ended(bench)
    assert (end.state, list(files(bench).files)) == ("failed", ["out"])


@in_calm_loop
async def test_ended_while_chats_are_read_nothing_is_written():
    store = FragileHistory()
    bench = await bench_with(5, store)
    store.slow = {"archive": 0.01}
    await bench.workbench.dispatch(exporting("json"))
    await until(lambda: any(event.job.done == 2 for event in bench.told(JobMoved)))
    await bench.workbench.dispatch(CancelJob("j"))
    end = await ended(bench)
    assert (end.state, files(bench).files) == ("cancelled", {})
    assert end.done < 5


@in_calm_loop
async def test_ended_while_it_is_written_it_takes_itself_back():
    bench = await bench_with(1)
    files(bench).hold = asyncio.Event()
    await bench.workbench.dispatch(exporting("json"))
    await files(bench).writing.wait()
    await bench.workbench.dispatch(CancelJob("j"))
    assert bench.workbench.state.jobs[0].state == "running"
    files(bench).hold.set()  # type: ignore[union-attr]
    assert ((await ended(bench)).state, files(bench).files) == ("cancelled", {})


@in_calm_loop
async def test_no_key_is_to_be_seen_anywhere():
    said: list[str] = []
    tasks = Tasks(lambda name, error: said.append(f"{name}{error!r}"))
    bench = await bench_with(1, elara=lambda key: Sealing(), tasks=tasks)
    canary = Secret.of_text("canary-0123456789")
    await bench.workbench.dispatch(exporting("elara", key=canary))
    await ended(bench)
    shown = f"{exporting('elara', key=canary)}{bench.events}{bench.workbench.state}{said}"
    assert canary.reveal_text() not in shown
