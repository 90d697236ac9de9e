"""The build memory: history is worked out again exactly when something it depends on changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import pytest

from tests.fakes.turns import RENDERERS, artifact, assistant, turn_inputs, user, word_counter
from workbench.context.assemble import Assembly, assemble
from workbench.context.assembly.history import History, is_seam, normalise
from workbench.context.assembly.memory import BuildMemory
from workbench.context.assembly.select import Admission
from workbench.context.shorten.compact import Shortening
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.envelope import TrimState
from workbench.domain.memo import Growing
from workbench.domain.message import Entry, Message, ToolCall
from workbench.domain.settings.context_settings import (
    CompactionSettings,
    ContextSettings,
    FilterSettings,
    HistorySettings,
    WhenFull,
)
from workbench.domain.turn import Tuning

T = TypeVar("T")
R = TypeVar("R")

ENTRIES: tuple[Entry, ...] = (user("m"),)


class Normalising:
    """Counts how often history was worked out."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, entries: tuple[Entry, ...]) -> History:
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


def test_a_text_is_cut_once_and_looked_through_once_also_by_one_apart():
    rules, long = Shortening(CompactionSettings(50, 10, 2)), artifact("a", "word " * 60)
    memory = BuildMemory()
    short = memory.texts.short(long, rules)
    assert short is not None
    assert memory.copy().texts.short(long, rules) is short
    plan = memory.texts.plan(long)
    assert memory.copy().texts.plan(long) is plan
    for number in range(200):
        memory.texts.plan(artifact(f"{number}.log", long.text))
    assert memory.texts.plan(long) is not plan, "a text that was not cut for long is forgotten"


def test_a_history_that_grew_is_the_same_as_one_worked_out_whole():
    """Only what is new is worked out; the older messages stay the same objects, by which their counts are known."""
    admission = Admission(FilterSettings())
    whole = tuple(
        entry
        for number in range(6)
        for entry in (
            user(f"u{number}"),
            Message(f"c{number}", "assistant", ("a",), tool_calls=(ToolCall(f"t{number}", "read", "{}"),)),
            Message(f"r{number}", "tool", ("found",), tool_call_id=f"t{number}"),
            *([assistant(f"a{number}")] if number % 2 else []),
        )
    )
    memory, before = BuildMemory(), History((), (), ())
    for end in range(len(whole) + 1):
        before = memory.history(whole[:end], (), partial(make, admission), partial(seam, admission))
        assert plain(before) == plain(make(admission, whole[:end]))
    grown = memory.history((*whole, user("next")), (), partial(make, admission), partial(seam, admission))
    assert grown.messages[0] is before.messages[0]
    for end in range(len(whole) + 1):
        known = memory.copy().history(whole[:end], (), partial(make, admission), partial(seam, admission))
        assert plain(known) == plain(make(admission, whole[:end]))


def test_the_beginning_of_a_history_is_known_and_one_apart_learns_for_itself():
    admission, work = Admission(FilterSettings()), Normalising()
    whole = tuple(one for number in range(3) for one in (user(f"u{number}"), assistant(f"a{number}")))
    memory, before = BuildMemory(), History((), (), ())
    memory.history(whole, (), partial(make, admission), partial(seam, admission))
    apart = memory.copy()
    for end in (0, 2, 4):
        before = apart.history(whole[:end], (), work, partial(seam, admission))
        assert plain(before) == plain(make(admission, whole[:end]))
    assert work.times == 0
    again = memory.history(whole, (), work, partial(seam, admission))
    assert again.messages[0] is before.messages[0]
    assert work.times == 0


def make(admission: Admission, entries: tuple[Entry, ...]) -> History:
    return normalise(entries, admission, Tuning(), RendererRegistry())


def seam(admission: Admission, before: Entry, after: Entry) -> bool:
    return is_seam(before, after, admission)


def plain(history: History) -> object:
    messages = [(one.id, one.role, one.segments, one.merged) for one in history.messages]
    return messages, history.said, history.repairs


class CountedGrowing(Growing):
    """Counts how often an item was worked out."""

    def __init__(self) -> None:
        super().__init__()
        self.made = 0

    def each(self, name: str, items: tuple[T, ...], make: Callable[[T], R], *about: object) -> tuple[R, ...]:
        """As it is, with a look at what is made."""

        def counted(one: T) -> R:
            self.made += 1
            return make(one)

        return super().each(name, items, counted, *about)


@pytest.mark.parametrize("when_full", ["exchanges", "placeholders"])
def test_a_turn_of_a_full_chat_costs_what_is_new_in_it(when_full: WhenFull):
    """Every turn looked at every message that had ever been said."""
    rules = HistorySettings(threshold=1.0, when_full=when_full, keep_last_n_assistant=2)
    chosen = ContextSettings(model="word-1", context_window=300, reserved_output_tokens=0, history=rules)
    memory = BuildMemory()
    memory.growing = growing = CountedGrowing()
    assembly = Assembly(word_counter(), RENDERERS, memory)
    said, trim, made = list[Message](), TrimState(), list[int]()
    for number in range(60):
        inputs = turn_inputs(chosen, history=tuple(said), question=user(f"u{number}", "well"), trim=trim)
        trim = assemble(inputs, assembly).cuts.trim
        said += [user(f"u{number}", "well"), assistant(f"a{number}", "said " * 20)]
        made.append(growing.made)
    early, late = made[30] - made[20], made[59] - made[49]
    assert late <= 1.5 * early
