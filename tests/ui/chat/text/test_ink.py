"""Drawing beside the window: done once, told to those who asked, and never after they are gone."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from threading import Event
from typing import NamedTuple

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from workbench.ui.chat.text.ink import ColourJob, Ink


@pytest.fixture(autouse=True, scope="module")
def nothing_left(qapp: object) -> None:
    """Of tests before these."""
    gc.collect()


@pytest.fixture(autouse=True)
def python_collects(nothing_left: None) -> Iterator[None]:
    """Here it is about Python's own collections, which are off where there is a window."""
    gc.enable()
    yield
    gc.disable()


class Counted(NamedTuple):
    """Counts how often it is done."""

    name: str
    done: list[str]

    def __hash__(self) -> int:
        return hash(self.name)

    def run(self) -> str:
        self.done.append(self.name)
        return f"ink of {self.name}"


class Broken(NamedTuple):
    """A job that a library fails at."""

    name: str = "broken"

    def run(self) -> str:
        raise RuntimeError(self.name)


class Slow(NamedTuple):
    """A job that says that it is begun, and waits until it may go on."""

    go: Event
    begun: Event

    def run(self) -> str:
        self.begun.set()
        self.go.wait(10)
        return "slow"


class Asker(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.told = 0

    def tell(self) -> None:
        self.told += 1


def test_a_job_is_done_once_and_told_to_all_who_asked(qapp: object):
    ink, one, two, done = Ink(), Asker(), Asker(), list[str]()
    job = Counted("a", done)
    assert ink.get(job, one.tell) is None
    assert ink.get(job, two.tell) is None
    ink.finish()
    assert ink.get(job, one.tell) == "ink of a"
    assert (one.told, two.told, done) == (1, 1, ["a"])
    assert ink.knows(job)


def test_the_loop_brings_what_is_done(qtbot: QtBot):
    ink, asker = Ink(), Asker()
    ink.get(ColourJob("x = 1", "python"), asker.tell)
    qtbot.waitUntil(lambda: asker.told == 1)
    assert ink.get(ColourJob("x = 1", "python"), asker.tell) == ()


def test_what_fails_is_not_drawn_and_harms_no_other(qapp: object, caplog: pytest.LogCaptureFixture):
    ink, asker = Ink(), Asker()
    ink.get(Broken(), asker.tell)
    job = Counted("b", [])
    ink.get(job, asker.tell)
    ink.finish()
    assert ink.get(Broken(), asker.tell) is None
    assert ink.get(job, asker.tell) == "ink of b"
    assert "could not be drawn" in caplog.text


def test_nobody_is_told_who_is_gone(qapp: object):
    """A widget that was closed while its formula was drawn must not be touched again."""
    ink, gone, collected = Ink(), Asker(), Asker()
    go, begun = Event(), Event()
    ink.get(Slow(go, begun), gone.tell)
    ink.get(Slow(go, begun), collected.tell)
    delete(gone)
    del collected
    go.set()
    ink.finish()
    assert ink.knows(Slow(go, begun))


def test_no_garbage_is_collected_by_the_thread(qapp: object):
    """Collected there, widgets would be destroyed there, which ends the program."""
    ink, asker = Ink(), Asker()
    go, begun = Event(), Event()
    assert gc.isenabled()
    ink.get(Slow(go, begun), asker.tell)
    assert not gc.isenabled()
    go.set()
    ink.finish()
    assert gc.isenabled()


def test_an_ink_that_is_gone_holds_nothing_up(qapp: object):
    go, begun, asker = Event(), Event(), Asker()
    gone, other = Ink(), Ink()
    gone.get(Slow(go, begun), asker.tell)
    line = gone._queue
    assert begun.wait(10)
    del gone
    other.get(Counted("d", []), asker.tell)
    other.finish()
    assert not gc.isenabled()
    go.set()
    assert line._thread is not None
    line._thread.join(10)
    other.get(Counted("e", []), asker.tell)
    other.finish()
    assert gc.isenabled()


def test_who_keeps_garbage_for_later_is_left_to_it(qapp: object):
    gc.disable()
    try:
        ink, asker = Ink(), Asker()
        ink.get(Counted("f", []), asker.tell)
        ink.finish()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_ink_that_is_gone_leaves_its_thread_to_end(qapp: object):
    ink = Ink()
    ink.get(Counted("c", []), Asker().tell)
    line = ink._queue
    del ink
    assert line._thread is not None
    line._thread.join(10)
    assert not line._thread.is_alive()
