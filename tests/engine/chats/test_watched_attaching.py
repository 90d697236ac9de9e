"""Attaching that takes a while can be seen, and ended; what was read before stays."""

from __future__ import annotations

import asyncio

from tests.fakes.chat_model import words
from tests.fakes.engine import FilesInMemory, fake_bench
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.files.attached import Attached
from workbench.domain.files.document import AS_FOUND, Reading
from workbench.domain.secrets import Secret
from workbench.engine.attaching_intents import StopAttaching
from workbench.engine.chats import watched_attaching
from workbench.engine.intents import AttachFiles


class SlowFiles(FilesInMemory):
    """Stops before one file until a test lets it go on."""

    def __init__(self, **texts: str) -> None:
        super().__init__(**texts)
        self.go_on = asyncio.Event()
        self.asked: list[str] = []

    async def read(self, path: str, reading: Reading = AS_FOUND, password: Secret | None = None) -> Attached:
        """The file, one of them late."""
        self.asked.append(path)
        if path == "c":
            await self.go_on.wait()
        return await super().read(path, reading)


@in_calm_loop
async def test_how_far_it_is_can_be_seen_and_nothing_is_left_of_it_afterwards(monkeypatch):
    monkeypatch.setattr(watched_attaching, "TELL_S", 0.0)
    files = SlowFiles(a="Alpha.", b="Beta.", c="Gamma.")
    bench = fake_bench(attachments=files)
    await bench.start()
    going = bench.world.tasks.start("attach", bench.workbench.dispatch(AttachFiles("talk", ("a", "b", "c"))))
    # While it is looked where they lie, each has its name, too, and nobody knows of how many.
    await until(lambda: (now := bench.workbench.state.open["talk"].attaching) is not None and now.done == 2)
    now = bench.workbench.state.open["talk"].attaching
    assert now is not None
    assert (now.name, now.done, now.total) == ("c", 2, 3)
    files.go_on.set()
    await going
    assert bench.workbench.state.open["talk"].attaching is None
    told = [one for one in bench.shows("attaching") if one]
    # First where they lie is looked at, which nobody knows the length of.
    assert [one.done for one in told if one.total] == [0, 1, 2]


@in_calm_loop
async def test_who_ends_it_keeps_what_was_read_and_is_told_the_rest():
    files = SlowFiles(a="Alpha.", b="Beta.", c="Gamma.", d="Delta.")
    bench = fake_bench(attachments=files)
    await bench.start()
    going = bench.world.tasks.start(
        "attach", bench.workbench.dispatch(AttachFiles("talk", ("a", "b", "c", "d")))
    )
    await until(lambda: "c" in files.asked)
    await bench.workbench.dispatch(StopAttaching("talk"))
    await going
    held = bench.workbench.state.open["talk"].conversation.attached
    assert [one.key for one in held] == ["a", "b"]
    assert [one.path for one in bench.workbench.state.notices[-1].left_out] == ["c", "d"]
    await bench.workbench.dispatch(StopAttaching("talk"))  # nothing is going on any more


@in_calm_loop
async def test_an_answer_that_arrives_while_files_are_read_is_kept():
    """Reading held the chat's lock: an answer that had arrived on the screen was gone after closing."""
    files = SlowFiles(a="Alpha.", c="Gamma.")
    bench = fake_bench(words("It arrived."), attachments=files)
    await bench.start()
    going = bench.world.tasks.start("attach", bench.workbench.dispatch(AttachFiles("talk", ("c", "a"))))
    await until(lambda: "c" in files.asked)
    plan = bench.world.store
    async with asyncio.timeout(250), bench.world.locks.of("talk"):
        assert await plan.attached("talk") == ()
    files.go_on.set()
    await going
    assert len(await plan.attached("talk")) == 2


@in_calm_loop
async def test_of_very_many_files_those_that_were_kept_are_attached_when_it_ends_in_the_middle():
    """Killed with 285 copies written, nothing was attached."""
    names = [f"f{number}" for number in range(120)]
    files = SlowFiles(**dict.fromkeys(names, "Text."), c="Gamma.")
    bench = fake_bench(attachments=files)
    await bench.start()
    going = bench.world.tasks.start("attach", bench.workbench.dispatch(AttachFiles("talk", (*names, "c"))))
    await until(lambda: len(files.asked) > 115)
    assert len(await bench.world.store.attached("talk")) == 100
    files.go_on.set()
    await going
    assert len(await bench.world.store.attached("talk")) == 121
