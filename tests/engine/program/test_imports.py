"""An import beside everything else: chat by chat, ended between two of them, and what did not come along is said."""

from __future__ import annotations

import json
import threading

import pytest

from tests.engine.program.test_exporting import Sealing
from tests.engine.program.test_jobs import bench_with, ended, files, job
from tests.fakes.archives import plain_archive
from tests.fakes.engine import Bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.steps_taken import turns_of_loop
from tests.fakes.turns import assistant, user
from workbench.domain.errors import NotKept
from workbench.domain.secrets import Secret
from workbench.engine.events import JobMoved
from workbench.engine.exchange.elara_format import export_elara
from workbench.engine.exchange.json_format import export_json
from workbench.engine.intents import OpenChat
from workbench.engine.program.adopting import MESSAGES_AT_ONCE
from workbench.engine.program_intents import CancelJob, ImportChats, UndoImport

IMPORT = ImportChats("j", ("x.json",))


def several(number: int, messages: int = 2) -> bytes:
    """A file of so many chats, each of so many messages."""
    said = [user(f"m{n}") if n % 2 == 0 else assistant(f"m{n}") for n in range(messages)]
    return export_json([plain_archive(*said, chat=f"n{n}") for n in range(number)])


LONG = MESSAGES_AT_ONCE * 2 // 3
"""Of chats so long, each is a step of its own."""


async def importing(content: bytes, **changes: object) -> Bench:
    bench = await bench_with(1, **changes)  # type: ignore[arg-type]
    files(bench).files["x.json"] = content
    await bench.workbench.dispatch(IMPORT)
    return bench


@in_calm_loop
async def test_chats_come_in_some_at_a_time_and_are_listed():
    bench = await importing(several(3, LONG))
    end = await ended(bench)
    assert (end.state, end.done, end.total, end.note) == ("done", 3, 3, "")
    assert end.chats == ("n0", "n1", "n2")
    steps = [(event.job.done, event.job.total) for event in bench.told(JobMoved)]
    assert steps == [(0, 0), (0, 3), (1, 3), (2, 3), (3, 3), (3, 3)]
    assert {chat.id for chat in bench.shows("chats")[-1]} == {"c0", "n0", "n1", "n2"}


@in_calm_loop
async def test_short_chats_come_in_together():
    """A step for each took ten times as long as keeping them."""
    end_of = await importing(several(40))
    end = await ended(end_of)
    assert (end.done, len(end.chats)) == (40, 40)
    assert [event.job.done for event in end_of.told(JobMoved)] == [0, 0, 40, 40]


@in_calm_loop
async def test_what_did_not_come_along_is_said():
    taken = plain_archive(user("another"), chat="c0")
    bench = await bench_with(1)
    files(bench).files = {"x.json": export_json([taken]), "y.json": b"{}"}
    await bench.workbench.dispatch(ImportChats("j", ("x.json", "y.json", "z.json")))
    end = await ended(bench)
    (other,) = end.chats
    assert (end.state, other[:3]) == ("done", "c0:")
    assert end.note.split("\n")[1:] == [
        "z.json: No such file or directory; left out",
        f"There is another chat c0; the imported one is kept as {other}.",
    ]
    assert end.note.startswith("y.json: this is none of the formats")


@in_calm_loop
async def test_where_nothing_comes_in_the_job_has_failed_and_says_why():
    for content, note in ((b"{}", "x.json: this is none"), (several(0), "There is no chat in it.")):
        bench = await importing(content)
        end = await ended(bench)
        assert (end.state, end.chats) == ("failed", ())
        assert end.note.startswith(note)
        assert bench.shows("chats") == []
    bench = await bench_with(1, exchange=None)
    await bench.workbench.dispatch(IMPORT)
    assert (await ended(bench)).state == "failed"


@in_calm_loop
async def test_ended_in_the_middle_what_is_taken_over_stays():
    store = FragileHistory()
    bench = await importing(several(5, LONG), store=store)
    store.slow = {"adopt_all": 0.02}
    await until(lambda: (now := job(bench)) is not None and len(now.chats) == 2)
    await bench.workbench.dispatch(CancelJob("j"))
    end = await ended(bench)
    assert end.state == "cancelled"
    assert 2 <= len(end.chats) < 5
    assert {chat.id for chat in bench.workbench.state.chats} == {"c0", *end.chats}
    assert {chat.id for chat in await store.chats()} == {"c0", *end.chats}


@in_calm_loop
async def test_ended_while_files_are_understood_nothing_comes_in():
    begun, go_on = threading.Event(), threading.Event()

    class Waiting(Sealing):
        def open(self, envelope: bytes) -> bytes:
            """After a while."""
            begun.set()
            go_on.wait(20)
            return super().open(envelope)

    (name, _), *_ = export_elara(plain_archive(user("q")))
    bench = await bench_with(1, elara=lambda key: Waiting())
    files(bench).files[name] = json.dumps({"alg": "AES-256-GCM", "ciphertext": ""}).encode()
    await bench.workbench.dispatch(ImportChats("j", (name,), key=Secret.of_text("k")))
    try:
        await until(begun.is_set)
        await bench.workbench.dispatch(CancelJob("j"))
        assert (await ended(bench)).state == "cancelled"
    finally:
        go_on.set()
    assert [chat.id for chat in await bench.world.store.chats()] == ["c0"]


@in_calm_loop
async def test_a_store_that_takes_no_more_ends_the_job_with_its_words():
    store = FragileHistory()
    bench = await bench_with(1, store)
    files(bench).files["x.json"] = several(4, LONG)
    bench.workbench.subscribe(
        lambda event, state: (
            store.refusing.add("adopt_all") if isinstance(event, JobMoved) and event.job.done == 2 else None
        )
    )
    await bench.workbench.dispatch(IMPORT)
    end = await ended(bench)
    assert (end.state, end.chats) == ("failed", ("n0", "n1"))
    assert end.note.startswith("The history could not be written")
    assert {chat.id for chat in bench.workbench.state.chats} == {"c0", "n0", "n1"}


@in_calm_loop
async def test_the_loop_goes_on_meanwhile():
    """A coarse guard only: how much it works at most in one turn is measured in the benchmarks."""
    long = plain_archive(*(user(f"m{n}", "some words " * 5) for n in range(3000)), chat="long")
    bench = await bench_with(1)
    files(bench).files["x.json"] = export_json([long])
    async with turns_of_loop() as turns:
        await bench.workbench.dispatch(IMPORT)
        assert (await ended(bench)).state == "done"
    assert turns.longest_s < 1


@in_calm_loop
async def test_what_was_there_is_counted_and_the_import_is_undone_in_one_step():
    bench = await importing(several(2))
    await ended(bench)
    files(bench).files["y.json"] = several(3)
    await bench.workbench.dispatch(ImportChats("k", ("y.json",)))
    await until(lambda: bench.workbench.state.jobs[-1].state == "done")
    end = bench.workbench.state.jobs[-1]
    assert (end.chats, end.there, end.done) == (("n2",), 2, 3)
    assert end.note == "2 chats were already here, with nothing new in them."
    await bench.workbench.dispatch(UndoImport("k"))
    now = bench.workbench.state.jobs[-1]
    assert (now.undone, now.note) == (True, "1 chat was removed.")
    assert {chat.id for chat in bench.shows("chats")[-1]} == {"c0", "n0", "n1"}
    with pytest.raises(NotKept):
        await bench.workbench.dispatch(UndoImport("nothing"))


@in_calm_loop
async def test_an_open_chat_shows_what_it_grew_by():
    bench = await importing(export_json([plain_archive(user("q"), assistant("a"), chat="n")]))
    await ended(bench)
    await bench.workbench.dispatch(OpenChat("n"))
    longer = plain_archive(user("q"), assistant("a"), user("q2"), assistant("a2"), chat="n")
    files(bench).files["x.json"] = export_json([longer])
    await bench.workbench.dispatch(ImportChats("k", ("x.json",)))
    await until(lambda: len(bench.workbench.state.open["n"].conversation.history) == 4)
