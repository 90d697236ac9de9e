"""Whatever is done in whatever order, closed and crashed in between, the store holds what a simple model holds."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.fakes.effort import tries
from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.stores import WHEN, chat, open_store, said
from workbench.domain.errors import NotKept
from workbench.domain.message import Message
from workbench.domain.record import Record, TurnRecord

WORDS = ("apple", "pear", "plum", "fig")
texts = st.lists(st.sampled_from((*WORDS, "filler " * 15)), max_size=4).map(" ".join)
places = st.integers(0, 10**6)


@dataclass
class Said:
    """A message as the model knows it."""

    text: str
    parent: str | None
    deleted: bool = False


@cache
def empty_store() -> bytes:
    """A new store, made once: making one takes longer than everything that is done with it."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "history.db")
        asyncio.run(store.create_chat(chat()))
        asyncio.run(store.close())
        return (Path(folder) / "history.db").read_bytes()


def facts(turn: TurnRecord) -> tuple[object, ...]:
    """What a turn is about."""
    return turn.parent, turn.question, turn.state, turn.reply


class Kept(RuleBasedStateMachine):
    """The chat `c` in a store, and the same in dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = self.whole = Path(tempfile.mkdtemp())
        self.made = self.crashes = 0
        self.messages: dict[str, Said] = {}
        self.turns: list[TurnRecord] = []
        self.leaf: str | None = None
        (self.folder / "history.db").write_bytes(empty_store())
        self.store = open_store(self.folder / "history.db", synchronous="OFF")

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(work)

    def place(self, number: int) -> str | None:
        """Some message, or none."""
        keys: list[str | None] = [None, *self.messages]
        return keys[number % len(keys)]

    def way(self, leaf: str | None) -> list[str]:
        found: list[str] = []
        while leaf is not None:
            found.append(leaf)
            leaf = self.messages[leaf].parent
        return found[::-1]

    def path(self, leaf: str | None) -> list[str]:
        return [key for key in self.way(leaf) if not self.messages[key].deleted]

    def new_id(self) -> str:
        self.made += 1
        return f"m{self.made}"

    def add(self, key: str, text: str, parent: str | None) -> None:
        self.messages[key] = Said(text, parent)
        self.leaf = key

    @initialize(said_before=st.lists(texts, min_size=4, max_size=8))
    def fill(self, said_before: list[str]) -> None:
        for text in said_before:
            self.append_to(self.leaf, text)

    def append_to(self, parent: str | None, text: str) -> None:
        key = self.new_id()
        self.run(self.store.append([said(key, text, parent)]))
        self.add(key, text, parent)

    @rule(text=texts, number=places)
    def append(self, text: str, number: int) -> None:
        self.append_to(self.place(number), text)

    @precondition(lambda self: self.messages)
    @rule(text=texts, number=places)
    def edit(self, text: str, number: int) -> None:
        of = list(self.messages)[number % len(self.messages)]
        parent = self.messages[of].parent
        self.append_to(parent, text)
        shown = [one for one, known in self.messages.items() if known.parent == parent and not known.deleted]
        assert [one.id for one in self.run(self.store.siblings("c", of))] == shown

    @precondition(lambda self: self.messages)
    @rule(number=places)
    def switch(self, number: int) -> None:
        self.leaf = list(self.messages)[number % len(self.messages)]
        self.run(self.store.save_chat(replace(self.run(self.store.chat("c")), leaf=self.leaf)))

    @precondition(lambda self: self.messages)
    @rule(
        number=places,
        which=st.sampled_from(("any", "leaf", "inner")),
        at_once=st.sampled_from((True, True, False)),
    )
    def delete(self, number: int, which: str, at_once: bool) -> None:
        answered = {known.parent for known in self.messages.values()}
        inner = [key for key, known in self.messages.items() if known.parent and key in answered]
        some = {"leaf": [self.leaf] if self.leaf else [], "inner": inner}.get(which) or list(self.messages)
        key = some[number % len(some)]
        self.run(self.store.delete_message("c", key, WHEN))
        self.messages[key].deleted = True
        if at_once:
            self.purge()

    def purge(self) -> None:
        gone = [key for key, known in self.messages.items() if known.deleted]
        for key in reversed(gone):
            parent = self.messages.pop(key).parent
            for known in self.messages.values():
                known.parent = parent if known.parent == key else known.parent
            self.leaf = parent if self.leaf == key else self.leaf
            left = [turn for turn in self.turns if turn.question != key]
            self.turns = [replace(turn, parent=parent) if turn.parent == key else turn for turn in left]
            self.forget_answer(key)
        assert self.run(self.store.purge()) == len(gone)
        for key, known in self.messages.items():
            assert [one.id for one in self.run(self.store.tail("c", 2, key))] == self.path(key)[-2:]
            assert known.parent in (None, *self.messages)

    def forget_answer(self, gone: str) -> None:
        """What is left of an answer; a turn that has none left goes if its question has another."""
        for turn in [turn for turn in self.turns if turn.reply == gone]:
            others = [one for one in self.turns if one.question == turn.question and one is not turn]
            place = self.turns.index(turn)
            if others:
                del self.turns[place]
            else:
                self.turns[place] = replace(turn, reply=None)

    @rule(text=texts)
    def begin(self, text: str) -> None:
        history = [record.entry for record in self.run(self.store.path("c"))]
        question = Message(self.new_id(), "user", (text,))
        turn = built_turn(question, history, number=self.made)
        self.run(self.store.begin_turn(turn, asked(question, turn.parent)))
        self.add(question.id, text, turn.parent)
        self.turns.append(turn)

    @precondition(lambda self: self.turns)
    @rule(number=places)
    def begin_again(self, number: int) -> None:
        turn = replace(self.turns[number % len(self.turns)], state="running", finished_utc=None, reply=None)
        if any(one.question == turn.question and one.state == "running" for one in self.turns):
            with pytest.raises(NotKept):
                self.run(self.store.begin_turn(turn, None))
        else:
            self.run(self.store.begin_turn(turn, None))
            self.turns.append(turn)

    @precondition(lambda self: any(turn.state == "running" for turn in self.turns))
    @rule(text=texts, number=places, begun=st.booleans(), after_all=st.sampled_from((True, True, False)))
    def finish(self, text: str, number: int, begun: bool, after_all: bool) -> None:
        running = [place for place, turn in enumerate(self.turns) if turn.state == "running"]
        place = running[number % len(running)]
        turn = self.turns[place]
        answers = []
        if after_all:
            answers.append(Record("c", Message(self.new_id(), "assistant", (text,)), WHEN, turn.question))
        if begun and answers:
            self.run(self.store.append([replace(answers[0], state="running")]))
        ended = replace(turn, state="complete", finished_utc=WHEN)
        self.run(self.store.finish_turn(ended, answers))
        self.turns[place] = replace(ended, reply=answers[0].id if answers else None)
        for answer in answers:
            self.add(answer.id, text, answer.parent)

    @rule(word=st.sampled_from(WORDS))
    def search(self, word: str) -> None:
        found = self.run(self.store.search(word, newest_first=True, limit=1000))
        expected = {
            key for key, known in self.messages.items() if word in known.text.split() and not known.deleted
        }
        assert {hit.subject for hit in found} == expected

    @rule()
    def reopen(self) -> None:
        self.run(self.store.close())
        self.store = open_store(self.folder / "history.db", synchronous="OFF")

    @rule()
    def crash(self) -> None:
        """What lies on the disk while the store is open, opened elsewhere: the process is gone, its log is there."""
        self.crashes += 1
        copy = self.folder / f"crash-{self.crashes}"
        copy.mkdir()
        for name in ("history.db", "history.db-wal"):
            if (self.folder / name).exists():
                shutil.copyfile(self.folder / name, copy / name)
        self.run(self.store.close())
        self.folder = copy
        self.store = open_store(copy / "history.db", synchronous="OFF")

    @invariant()
    def the_branch_in_view_is_the_same(self) -> None:
        records = self.run(self.store.path("c"))
        expected = self.path(self.leaf)
        assert [record.id for record in records] == expected
        assert [record.entry.text for record in records] == [self.messages[key].text for key in expected]

    @invariant()
    def the_last_turn_is_the_same(self) -> None:
        shown, way = set(self.path(self.leaf)), set(self.way(self.leaf))
        on_branch = [turn for turn in self.turns if turn.question in shown and {turn.reply} <= {None, *way}]
        last = on_branch[-1] if on_branch else None
        found = self.run(self.store.last_turn("c"))
        assert (found and facts(found)) == (last and facts(last))

    def check_everything(self) -> None:
        archive = self.run(self.store.archive("c"))
        assert {record.id: (record.parent, bool(record.deleted_utc)) for record in archive.records} == {
            key: (known.parent, known.deleted) for key, known in self.messages.items()
        }
        assert [facts(turn) for turn in archive.turns] == [facts(turn) for turn in self.turns]
        for turn, expected in zip(archive.turns, self.turns, strict=True):
            # What was purged since is marked; everything else is as it was sent.
            sent = turn.built.envelope
            shown = {one.id for name in ("L4_STRIP", "L5_USER") for one in sent.layer(name).segments}
            if shown <= self.messages.keys():
                assert bytes_of(sent) == bytes_of(expected.built.envelope)
        assert self.run(self.store.verify()).problems == ()

    def teardown(self) -> None:
        try:
            self.check_everything()
        finally:
            self.run(self.store.close())
            self.loop.close()
            shutil.rmtree(self.whole)


# Made smaller, a failing run would take minutes; printed as it is, it is short enough to follow.
Kept.TestCase.settings = settings(
    max_examples=tries(20), stateful_step_count=40, deadline=None, phases=(Phase.explicit, Phase.generate)
)
TestKept = Kept.TestCase
