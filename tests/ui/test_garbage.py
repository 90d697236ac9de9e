"""Garbage is collected in the window's thread only."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Iterator

import pytest

from workbench.ui.garbage import (
    EVERY_MS,
    FREED_S,
    FULL_EVERY_S,
    LOOKS,
    MANY,
    SOON_MS,
    YOUNG,
    Collector,
    until_next_look_ms,
)


class Ring:
    """Something that only a collection frees."""

    def __init__(self) -> None:
        self.me = self


class Slow(Ring):
    """Takes its time when it is freed."""

    def __init__(self, clock: list[float], takes_s: float) -> None:
        super().__init__()
        self._clock, self._takes_s = clock, takes_s

    def __del__(self) -> None:
        self._clock[0] += self._takes_s


@pytest.fixture(autouse=True)
def frozen_again() -> Iterator[None]:
    """What all tests have loaded is looked through no more, also after a collector that thawed it."""
    yield
    gc.freeze()


def test_python_collects_no_longer_by_itself_and_again_afterwards(qapp):
    gc.enable()
    collector = Collector()
    off = gc.isenabled()
    collector.close()
    assert (off, gc.isenabled()) == (False, True)


def test_what_piles_up_is_collected(qapp):
    collector = Collector()
    gc.collect()
    ring = Ring()
    gone = weakref.ref(ring)
    del ring
    kept = [[] for _ in range(YOUNG * 2)]  # type: ignore[var-annotated]
    assert collector.collect() >= 0
    assert gone() is None
    assert len(kept) == YOUNG * 2
    collector.close()


def test_what_became_old_is_collected_within_seconds_of_work(qapp, monkeypatch):
    """Rows and pages that were closed leave thousands of objects, which waited for some 120 looks."""
    collector, ring = Collector(), Ring()
    gc.collect()
    gone = weakref.ref(ring)
    gc.collect()  # twice looked at and kept: it is old
    del ring
    kept = [[] for _ in range(YOUNG * 2)]  # type: ignore[var-annotated]
    assert (collector.collect(), gone() is None) == (0, False)
    later = time.monotonic() + FULL_EVERY_S
    monkeypatch.setattr("workbench.ui.garbage.time.monotonic", lambda: later)
    assert {collector.collect() for _ in range(LOOKS)} == {-1, 2}
    assert gone() is None
    assert collector.collect() == -1
    assert len(kept) == YOUNG * 2
    collector.close()


def test_what_is_freed_does_not_put_off_the_next_collection(qapp, monkeypatch: pytest.MonkeyPatch):
    """Each pause was followed by a longer wait, with more to free at its end: the window grew by megabytes a minute."""
    collector = Collector()
    collector.settle()
    clock = [time.monotonic() + FULL_EVERY_S]
    for name in ("monotonic", "thread_time"):
        monkeypatch.setattr(f"workbench.ui.garbage.time.{name}", lambda: clock[0])
    kept = [Ring() for _ in range(MANY // 2)]
    kept[0].me = Slow(clock, len(kept) * FREED_S)
    kept.clear()
    assert {collector.collect() for _ in range(LOOKS)} >= {2}
    clock[0] += FULL_EVERY_S
    kept += [Ring() for _ in range(YOUNG + 1)]
    assert {collector.collect() for _ in range(LOOKS)} >= {2}
    collector.close()


def test_while_very_much_is_made_it_is_looked_more_often(qapp):
    """What a thread makes in a fifth of a second took two frames to look through."""
    collector = Collector()
    collector.settle()
    kept = [[] for _ in range(MANY * 2)]  # type: ignore[var-annotated]
    assert until_next_look_ms(collector.collect()) == SOON_MS
    assert until_next_look_ms(collector.collect()) == EVERY_MS > SOON_MS
    assert len(kept) == MANY * 2
    collector.close()


def test_a_little_is_left_for_later(qapp):
    collector = Collector()
    gc.collect()
    assert collector.collect() == -1
    collector.close()


def test_what_piles_up_quickly_is_collected_at_every_look(qapp):
    """What an import makes in a second took five frames to look through, all at once."""
    collector = Collector()
    collector.settle()
    assert collector.collect() == -1
    before, kept = gc.get_count(), [[] for _ in range(MANY + 1)]  # type: ignore[var-annotated]
    assert collector.collect() == 1
    assert (gc.get_count()[0] < MANY, gc.get_count()[1:]) == (True, (0, before[2] + 1))
    kept += [[] for _ in range(YOUNG * 2)]
    assert {collector.collect() for _ in range(LOOKS - 2)} == {-1}
    assert collector.collect() == 0
    assert len(kept) > MANY
    collector.close()


def test_memory_is_given_back_once_very_much_was_made(qapp, monkeypatch: pytest.MonkeyPatch):
    """Opening a long chat left 17 MB, until the next full collection: minutes later, as that takes long then."""
    given, collector = list[int](), Collector()
    collector.settle()
    monkeypatch.setattr("workbench.ui.garbage.give_memory_back", lambda: given.append(1))
    assert {collector.collect() for _ in range(2 * LOOKS)} == {-1}
    assert given == []
    kept = [[] for _ in range(MANY + 1)]  # type: ignore[var-annotated]
    assert collector.collect() == 1
    assert given == []
    assert {collector.collect() for _ in range(2 * LOOKS)} == {-1}
    assert given == [1]
    assert len(kept) > MANY
    collector.close()


def is_looked_through(ours: Ring) -> bool:
    """Whether a collection looks at it."""
    return any(one is ours for one in gc.get_objects())


def test_what_is_always_there_is_looked_through_no_more(qapp):
    collector, kept = Collector(), Ring()
    collector.settle()
    assert gc.get_freeze_count() > 1_000
    assert not is_looked_through(kept)
    ring = Ring()
    gone = weakref.ref(ring)
    del ring
    gc.collect()
    assert gone() is None
    collector.close()
    # Not the number of frozen things: from Python 3.12 on what never goes is among them, whoever asks.
    assert is_looked_through(kept)


def test_what_loading_makes_is_looked_through_only_when_it_has_settled(qapp):
    """To look five times through what nearly all stays took 50 ms of the processor until one could type."""
    collector, kept = Collector(), [Ring() for _ in range(MANY + 1)]
    gone = weakref.ref(kept[0])
    assert collector.collect() == -1
    assert (gc.get_count()[0] < MANY, is_looked_through(kept[-1])) == (True, False)
    del kept[0]
    gc.collect()
    assert gone() is not None
    collector.settle()
    assert gone() is None
    collector.close()
    assert is_looked_through(kept[-1])


def test_what_others_have_frozen_stays_so(qapp):
    ours = Ring()
    gc.freeze()
    Collector().close()
    # Frozen things are in no generation; how many there are changes by itself, as others let go of some.
    looked_through = is_looked_through(ours)
    gc.unfreeze()
    assert not looked_through
    assert is_looked_through(ours)


@pytest.mark.parametrize("settled", [False, True])
def test_nothing_is_left_for_another_thread_to_end(qapp, settled: bool):
    """A widget with a timer that the database's thread ended crashed the process after the window was closed."""
    collector = Collector()
    ring, ended = Ring(), list[int]()
    weakref.finalize(ring, lambda: ended.append(threading.get_ident()))
    if settled:
        collector.settle()
    del ring
    collector.close()
    thread = threading.Thread(target=gc.collect)
    thread.start()
    thread.join()
    assert ended == [threading.get_ident()]
