"""The build memory: history is worked out again exactly when something it depends on changed."""

from __future__ import annotations

from tests.fakes.turns import artifact, user
from workbench.context.build.history import History
from workbench.context.build.memory import BuildMemory
from workbench.domain.message import Entry
from workbench.domain.preferences import CompactionSettings

ENTRIES: tuple[Entry, ...] = (user("m"),)


class Normalising:
    """Counts how often history was worked out."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> History:
        self.times += 1
        return History((), (), ())


def test_the_same_history_is_worked_out_once():
    memory, work = BuildMemory(), Normalising()
    first = memory.history(ENTRIES, ("key",), work)
    assert memory.history(ENTRIES, ("key",), work) is first
    assert work.times == 1


def test_another_history_or_another_key_is_worked_out_again():
    memory, work = BuildMemory(), Normalising()
    memory.history(ENTRIES, ("key",), work)
    memory.history(ENTRIES, ("other",), work)
    memory.history((*ENTRIES, user("n")), ("other",), work)
    assert work.times == 3


def test_what_is_handed_back_belongs_to_what_was_asked():
    memory = BuildMemory()
    one = memory.history(ENTRIES, ("key",), Normalising())
    other = memory.history((user("n"),), ("key",), Normalising())
    assert one is not other


def test_texts_that_were_compacted_elsewhere_are_known():
    rules, long = CompactionSettings(50, 10, 2), artifact("a", "word " * 60)
    there, here = BuildMemory(), BuildMemory()
    short = there.short(long, rules)
    here.learn(there.shorts())
    assert short is not None
    assert here.short(long, rules) is short
    copied = there.shorts()
    there.short(artifact("b", "other " * 60), rules)
    assert len(copied) == 1
