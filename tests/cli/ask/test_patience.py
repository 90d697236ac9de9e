"""Waiting for another writer: as long as was said, and told once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cli.ask.test_command import Setup
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.parts import parts_with
from workbench.cli.ask.chat import Patience
from workbench.domain.errors import StoreInUse
from workbench.domain.record import Chat, TurnLine

Capture = pytest.CaptureFixture[str]


class Sleeps:
    """Takes no time, and says how much it would have been."""

    def __init__(self) -> None:
        self.slept_s = 0.0

    async def __call__(self, seconds: float) -> None:
        self.slept_s += seconds


class Asked(MemoryHistory):
    """A chat in which another program asks for a while."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    async def turn_lines(
        self, chat: str, leaf: str | None = None, newest: int | None = None
    ) -> tuple[TurnLine, ...]:
        self.looks -= 1
        line = TurnLine(1, "q", "2026-01-01T00:00:00Z")
        return (line if self.looks >= 0 else replace(line, state="complete"),)


@in_loop
async def test_a_history_that_is_changed_by_another_is_waited_for(capsys: Capture):
    setup, sleeps = Setup(), Sleeps()
    setup.access.busy = 3
    services = parts_with(history=lambda: setup.access)
    assert await Patience(30, sleeps).open(services) is setup.access.store
    assert sleeps.slept_s == pytest.approx(0.6)
    assert capsys.readouterr().err.count("waiting up to 30 s") == 1


@in_loop
async def test_waiting_ends_with_what_stands_in_the_way():
    setup, sleeps = Setup(), Sleeps()
    setup.access.busy = 1000
    with pytest.raises(StoreInUse, match="Another process is using the folder"):
        await Patience(1, sleeps).open(parts_with(history=lambda: setup.access))
    assert sleeps.slept_s == pytest.approx(1)


@in_loop
async def test_two_do_not_ask_in_one_chat_at_the_same_time():
    chat, sleeps = Chat("talk", "2026-01-01T00:00:00Z"), Sleeps()
    await Patience(30, sleeps).until_quiet(chat, Asked(5))
    assert sleeps.slept_s == pytest.approx(1)
    with pytest.raises(StoreInUse, match="--wait more seconds"):
        await Patience(0, sleeps).until_quiet(chat, Asked(1))


@pytest.mark.parametrize("wait", ["-1", "nan", "inf"])
def test_a_time_that_is_none_is_refused(wait: str, capsys: Capture):
    assert Setup().ask("Q", "--wait", wait) == 2
    assert "--wait: expected a number of seconds" in capsys.readouterr().err
