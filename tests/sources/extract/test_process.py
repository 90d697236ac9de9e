"""A child process that is attacked from within: what happens to the file, and that nobody else notices."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.fakes.harmful_reader import __file__ as harmful
from tests.fakes.loop import in_calm_loop, in_loop, until
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.document import Document, Reading
from workbench.sources.extract import process
from workbench.sources.extract.process import COMMAND, ChildExtractor, ExtractLimits, Launch


def reader(cpu_seconds: int = 20) -> Launch:
    """A child whose reader does what the file says."""
    return Launch((sys.executable, "-P", "-s", harmful, str(cpu_seconds)))


class Made:
    """Extractors for a test, closed after it whatever happened."""

    def __init__(self) -> None:
        self.all: list[ChildExtractor] = []

    def __call__(
        self, seconds: float = 20.0, at_once: int = 2, launch: Launch | None = None
    ) -> ChildExtractor:
        self.all.append(ChildExtractor(ExtractLimits(seconds, at_once), launch or reader()))
        return self.all[-1]


@pytest.fixture
def made() -> Iterator[Made]:
    """Makes extractors."""
    factory = Made()
    yield factory
    for one in factory.all:
        asyncio.run(one.close())


@pytest.fixture(scope="module")
def attacked() -> Iterator[ChildExtractor]:
    """One that is attacked again and again."""
    extractor = ChildExtractor(ExtractLimits(20.0, 1), reader())
    yield extractor
    asyncio.run(extractor.close())


async def said(extractor: ChildExtractor, act: str) -> str:
    return (await extractor.document("file", act.encode(), Reading())).text


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("eat", "more memory"),
        ("abort", "damaged, or made to do harm"),
        ("segfault", "damaged, or made to do harm"),
        ("exit", "damaged, or made to do harm"),
        ("flood", "far more text"),
        ("long", "damaged, or made to do harm"),
        ("garbage", "damaged, or made to do harm"),
        ("half", "damaged, or made to do harm"),
        ("two", "damaged, or made to do harm"),
        ("lie", "damaged, or made to do harm"),
        ("not text", "damaged, or made to do harm"),
        ("no list", "damaged, or made to do harm"),
        ("recurse", "too deep within one another"),
        ("unheard of", "damaged, or not what it says"),
    ],
)
@in_loop
async def test_whatever_a_file_does_only_that_file_is_refused(
    attacked: ChildExtractor, act: str, reason: str
):
    with pytest.raises(CannotAttach) as error:
        await said(attacked, act)
    assert error.value.path == "file"
    assert reason in error.value.reason
    assert await said(attacked, "fine") == "fine"


@in_loop
@pytest.mark.parametrize("act", ["abort", "exit", "flood", "garbage", "two", "lie", "recurse", "eat"])
async def test_a_page_that_is_read_together_with_others_harms_none_of_them(
    attacked: ChildExtractor, act: str
):
    pages = [("a.html", b"fine"), ("b.html", act.encode()), ("c.html", b"fine"), ("d.txt", b"fine")]
    found = await attacked.documents(pages)
    assert [one.text for one in found if isinstance(one, Document)] == ["fine"] * 3
    assert isinstance(found[1], CannotAttach)


@in_loop
async def test_pages_share_workers(attacked: ChildExtractor):
    """Starting one took half of a page's time."""
    found = await attacked.documents([("a.html", b"worker")] * 20)
    workers = {one.text for one in found if isinstance(one, Document)}
    assert len(workers) == 2
    alone = await attacked.documents([("a.txt", b"worker")] * 3)
    assert len({one.text for one in alone if isinstance(one, Document)}) == 3


@in_loop
async def test_a_file_has_so_much_time_of_the_processor(made: Made):
    extractor = made(launch=reader(cpu_seconds=1))
    with pytest.raises(CannotAttach, match="takes too long"):
        await said(extractor, "spin")
    assert await said(extractor, "fine") == "fine"


@in_loop
async def test_a_worker_has_nothing_but_its_pipe(attacked: ChildExtractor):
    """Not the program's environment, no file to write, no process to start, no other descriptor."""
    # Python sets the first itself where nothing is said of languages.
    assert set(json.loads(await said(attacked, "environment"))) <= {"LC_CTYPE"}
    assert await said(attacked, "write") in ("refused: 27", "refused: 24")
    assert await said(attacked, "eat in C") == "None"
    assert await said(attacked, "print") == "printed"
    descriptors = json.loads(await said(attacked, "descriptors"))
    assert len(descriptors) <= 5


@in_calm_loop
async def test_what_takes_too_long_is_ended_by_the_clock(made: Made):
    extractor = made(seconds=4.0)  # on a busy machine a new child takes over a second to begin
    await said(extractor, "fine")
    (before,) = extractor.running()
    begun = time.monotonic()
    with pytest.raises(CannotAttach, match="takes too long"):
        await said(extractor, "sleep")
    assert 3.9 < time.monotonic() - begun < 20
    await until(lambda: gone(before.pid))
    assert await said(extractor, "fine") == "fine"


@in_calm_loop
async def test_what_a_worker_starts_ends_with_it(made: Made):
    """It cannot start anything; where it is run by somebody who always can, the whole group is ended."""
    extractor = made(seconds=1.0)
    await said(extractor, "fine")
    (before,) = extractor.running()
    try:
        assert await said(extractor, "fork") == "refused"
    except CannotAttach:
        await until(lambda: gone(-before.pid))


@in_calm_loop
async def test_cancelling_ends_the_child_at_once(made: Made):
    extractor = made(seconds=60.0)
    await said(extractor, "fine")
    (before,) = extractor.running()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await said(extractor, "sleep")
    await until(lambda: gone(before.pid))
    assert await said(extractor, "fine") == "fine"


@in_calm_loop
async def test_a_child_that_was_ended_just_as_it_answered_is_asked_nothing_more(
    made: Made, monkeypatch: pytest.MonkeyPatch
):
    """Given up in the moment of its answer, it was kept; the next file was refused as one that does harm."""
    extractor, answered, go_on = made(at_once=1), Event(), Event()
    ask = process.ReaderProcess.ask

    def slow(self: process.ReaderProcess, question: bytes) -> Any:
        found = ask(self, question)
        answered.set()
        go_on.wait(20)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(process.ReaderProcess, "ask", slow)
        given_up = asyncio.get_running_loop().create_task(said(extractor, "fine"))
        await until(answered.is_set)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
    go_on.set()
    assert await said(extractor, "fine") == "fine"


@in_calm_loop
async def test_two_at_once_and_the_others_wait(made: Made):
    extractor = made()
    answers = await asyncio.gather(*[said(extractor, "fine") for _ in range(12)])
    assert answers == ["fine"] * 12
    assert len(extractor.running()) <= 2
    await extractor.close()
    assert extractor.running() == ()


@in_calm_loop
async def test_what_waits_can_be_given_up(made: Made):
    """It never reaches a child."""
    extractor = made(at_once=1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await asyncio.gather(said(extractor, "sleep"), said(extractor, "sleep"), said(extractor, "sleep"))
    assert await said(extractor, "fine") == "fine"


@in_loop
async def test_closing_ends_what_is_read_and_refuses_what_comes_after(made: Made):
    extractor = made()

    async def close() -> None:
        await until(lambda: bool(extractor.running()))
        await extractor.close()

    results = await asyncio.gather(said(extractor, "sleep"), close(), return_exceptions=True)
    assert isinstance(results[0], CannotAttach)
    assert extractor.running() == ()
    with pytest.raises(CannotAttach, match="the program is closing"):
        await said(extractor, "fine")


@in_loop
async def test_a_child_that_ended_for_want_of_work_is_started_again(made: Made, tmp_path: Path):
    quick = tmp_path / "quick.py"
    quick.write_text(
        f"import sys; sys.path.insert(0, {str(Path(harmful).parents[2])!r})\n"
        "from workbench.sources.extract import child\nchild.IDLE_SECONDS = 0.2\nchild.main([])\n"
    )
    extractor = made(launch=Launch((sys.executable, "-P", str(quick))))
    await extractor.document("a.md", b"one", Reading())
    (first,) = extractor.running()
    await until(lambda: not first.alive)
    assert (await extractor.document("a.md", b"two", Reading())).text == "two"
    assert [one.pid for one in extractor.running()] != [first.pid]


@in_loop
async def test_where_there_is_no_fork_each_file_has_its_own_process(made: Made):
    extractor = made(launch=Launch((*COMMAND, "--once")))
    for text in ("one", "two"):
        assert (await extractor.document("a.md", text.encode(), Reading())).text == text
        assert extractor.running() == ()


@in_loop
async def test_a_child_that_cannot_be_started_is_said_so(made: Made):
    extractor = made(launch=Launch(("/nowhere/python",)))
    with pytest.raises(CannotAttach, match="did not start"):
        await said(extractor, "fine")


@in_loop
async def test_the_child_ends_with_the_program(made: Made):
    """Also in the middle of a file: the pipe it was asked through is closed."""
    extractor = made()
    await said(extractor, "fine")
    (child,) = extractor.running()
    stdin = child._process.stdin
    assert stdin is not None
    stdin.close()
    await until(lambda: gone(child.pid) or not child.alive)


def test_the_whole_of_what_is_asked_for_has_words():
    for reason, advice in process._FAILURES.values():
        assert reason[0].islower()
        assert advice.endswith(".")


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
