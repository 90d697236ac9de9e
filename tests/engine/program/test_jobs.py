"""Jobs: begun once, ended by a person, and always with an end that is told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

from tests.fakes.archives import plain_archive
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.exchange_files import MemoryExchange
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.turns import assistant, user
from workbench.domain.job import Job
from workbench.domain.record import ChatArchive
from workbench.engine.events import JobMoved
from workbench.engine.exchange.json_format import export_json
from workbench.engine.program_intents import CancelJob, ExportChats, ImportChats
from workbench.engine.tasks import Tasks
from workbench.ports.exchange_files import NamedFile, WritingStopped

EXPORT = ExportChats("j", (), "json", "out.json")


async def bench_with(number: int, store: MemoryHistory | None = None, **changes: object) -> Bench:
    """A bench whose history holds chats."""
    store = store or MemoryHistory()
    for n in range(number):
        await store.adopt(plain_archive(user("q"), assistant("a"), chat=f"c{n}"))
    return fake_bench(store=store, **{"exchange": MemoryExchange(), **changes})


def job(bench: Bench) -> Job | None:
    return next((one for one in bench.workbench.state.jobs if one.id == "j"), None)


async def ended(bench: Bench) -> Job:
    await until(lambda: (now := job(bench)) is not None and now.state != "running")
    found = job(bench)
    assert found is not None
    return found


def files(bench: Bench) -> MemoryExchange:
    assert isinstance(bench.world.exchange, MemoryExchange)
    return bench.world.exchange


@in_calm_loop
async def test_a_job_is_seen_at_once_and_is_no_longer_shown_when_it_is_put_away():
    bench = await bench_with(1)
    await bench.workbench.dispatch(EXPORT)
    assert job(bench) == Job("j", "export", "json")
    assert (await ended(bench)).state == "done"
    await bench.workbench.dispatch(CancelJob("j"))
    assert bench.workbench.state.jobs == ()
    await bench.workbench.dispatch(CancelJob("never"))


@in_calm_loop
async def test_an_id_that_runs_is_not_begun_a_second_time():
    bench = await bench_with(1)
    files(bench).hold = asyncio.Event()
    await bench.workbench.dispatch(EXPORT)
    await files(bench).writing.wait()
    await bench.workbench.dispatch(EXPORT)
    files(bench).hold.set()  # type: ignore[union-attr]
    assert (await ended(bench)).state == "done"
    assert [event.job.total for event in bench.told(JobMoved)].count(0) == 1


@in_calm_loop
async def test_a_bug_ends_the_job_and_is_reported():
    """A bar that moves no more, with nothing said, is what a person would see otherwise."""

    class Broken(MemoryHistory):
        async def archive(self, chat: str) -> ChatArchive:
            raise ZeroDivisionError

    reported: list[str] = []
    tasks = Tasks(lambda name, error: reported.append(f"{name}: {type(error).__name__}"))
    bench = await bench_with(1, Broken(), tasks=tasks)
    await bench.workbench.dispatch(EXPORT)
    end = await ended(bench)
    assert (end.state, end.note[:19]) == ("failed", "The program failed.")
    await until(lambda: reported == ["job j: ZeroDivisionError"])
    await bench.workbench.dispatch(ExportChats("j", (), "json", "again.json"))
    await ended(bench)


@in_calm_loop
async def test_closing_the_program_ends_jobs_and_leaves_nothing_half_written():
    bench = await bench_with(2)
    files(bench).hold = asyncio.Event()
    await bench.workbench.dispatch(EXPORT)
    await files(bench).writing.wait()
    await bench.workbench.close()
    end = job(bench)
    assert end is not None
    assert (end.state, files(bench).files) == ("cancelled", {})


@in_calm_loop
async def test_what_is_written_in_a_thread_hears_that_the_program_closes():
    """A thread cannot be cancelled: not told, it would put its file in place after the program has gone."""
    begun, heard = threading.Event(), threading.Event()

    class InThread(MemoryExchange):
        async def write(
            self, place: str, files: Sequence[NamedFile], *, alone: bool, stopped: Callable[[], bool]
        ) -> tuple[str, ...]:
            return await asyncio.to_thread(self._write, stopped)

        def _write(self, stopped: Callable[[], bool]) -> tuple[str, ...]:
            begun.set()
            for _ in range(5000):
                if stopped():
                    heard.set()
                    break
                heard.wait(0.001)
            raise WritingStopped

    bench = await bench_with(1, exchange=InThread())
    await bench.workbench.dispatch(EXPORT)
    await until(begun.is_set)
    await bench.workbench.close()
    await until(heard.is_set)


@in_calm_loop
async def test_a_job_says_what_it_is_about():
    bench = await bench_with(2)
    source = export_json([plain_archive(user("q"), chat="new")])
    files(bench).files = {"a/x.json": source, "y.json": source}
    await bench.workbench.dispatch(ExportChats("out", ("c0", "c0", "c1"), "markdown", "folder"))
    await bench.workbench.dispatch(ImportChats("in", ("a/x.json", "y.json")))
    await bench.workbench.dispatch(ImportChats("none", ()))
    shown = [(one.kind, one.subject, one.total) for one in bench.workbench.state.jobs]
    assert shown == [("export", "markdown", 2), ("import", "x.json and 1 more", 0), ("import", "", 0)]
    await until(lambda: all(one.state != "running" for one in bench.workbench.state.jobs))
