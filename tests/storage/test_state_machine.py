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

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.fakes.kept_turns import asked, built_turn, bytes_of
from tests.fakes.stores import WHEN, chat, open_store, said
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


class Kept(RuleBasedStateMachine):
    """The chat `c` in a store, and the same in dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.made = self.crashes = 0
        self.messages: dict[str, Said] = {}
        self.turns: dict[str, TurnRecord] = {}
        self.leaf: str | None = None
        (self.folder / "history.db").write_bytes(empty_store())
        self.store = open_store(self.folder / "history.db", synchronous="OFF")

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(work)

    def place(self, number: int) -> str | None:
        """Some message, or none."""
        keys: list[str | None] = [None, *self.messages]
        return keys[number % len(keys)]

    def path(self, leaf: str | None) -> list[str]:
        found: list[str] = []
        while leaf is not None:
            if not self.messages[leaf].deleted:
                found.append(leaf)
            leaf = self.messages[leaf].parent
        return found[::-1]

    def new_id(self) -> str:
        self.made += 1
        return f"m{self.made}"

    def add(self, key: str, text: str, parent: str | None) -> None:
        self.messages[key] = Said(text, parent)
        self.leaf = key

    @rule(text=texts, number=places)
    def append(self, text: str, number: int) -> None:
        key, parent = self.new_id(), self.place(number)
        self.run(self.store.append([said(key, text, parent)]))
        self.add(key, text, parent)

    @precondition(lambda self: self.messages)
    @rule(text=texts, number=places)
    def edit(self, text: str, number: int) -> None:
        of, key = list(self.messages)[number % len(self.messages)], self.new_id()
        parent = self.messages[of].parent
        self.run(self.store.append([said(key, text, parent)]))
        self.add(key, text, parent)
        shown = [one for one, known in self.messages.items() if known.parent == parent and not known.deleted]
        assert [one.id for one in self.run(self.store.siblings("c", of))] == shown

    @precondition(lambda self: self.messages)
    @rule(number=places)
    def switch(self, number: int) -> None:
        self.leaf = list(self.messages)[number % len(self.messages)]
        self.run(self.store.save_chat(replace(self.run(self.store.chat("c")), leaf=self.leaf)))

    @precondition(lambda self: self.messages)
    @rule(number=places, newest=st.booleans(), at_once=st.booleans())
    def delete(self, number: int, newest: bool, at_once: bool) -> None:
        key = self.leaf if newest and self.leaf else list(self.messages)[number % len(self.messages)]
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
            self.turns.pop(key, None)
        assert self.run(self.store.purge()) == len(gone)

    @rule(text=texts)
    def begin(self, text: str) -> None:
        history = [record.entry for record in self.run(self.store.path("c"))]
        question = Message(self.new_id(), "user", (text,))
        turn = built_turn(question, history, number=self.made)
        self.run(self.store.begin_turn(turn, asked(question, turn.parent)))
        self.add(question.id, text, turn.parent)
        self.turns[question.id] = turn

    @precondition(lambda self: any(turn.state == "running" for turn in self.turns.values()))
    @rule(text=texts)
    def finish(self, text: str) -> None:
        question = next(key for key, turn in self.turns.items() if turn.state == "running")
        ended = replace(self.turns[question], state="complete", finished_utc=WHEN)
        key = self.new_id()
        answer = Record("c", Message(key, "assistant", (text,)), WHEN, question)
        self.run(self.store.finish_turn(ended, [answer]))
        self.turns[question] = ended
        self.add(key, text, question)

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
        on_branch = set(self.path(self.leaf))
        last = next((key for key in reversed(list(self.turns)) if key in on_branch), None)
        found = self.run(self.store.last_turn("c"))
        assert (found and (found.question, found.state)) == (last and (last, self.turns[last].state))

    def teardown(self) -> None:
        archive = self.run(self.store.archive("c"))
        assert {record.id: bool(record.deleted_utc) for record in archive.records} == {
            key: known.deleted for key, known in self.messages.items()
        }
        for turn in archive.turns:
            kept = self.turns[turn.question]
            # What was purged since is marked; everything else is as it was sent.
            if "[purged]" not in bytes_of(turn.built.envelope):
                assert bytes_of(turn.built.envelope) == bytes_of(kept.built.envelope)
        assert self.run(self.store.verify()).problems == ()
        self.run(self.store.close())
        self.loop.close()
        while self.folder.name.startswith("crash-"):
            self.folder = self.folder.parent
        shutil.rmtree(self.folder)


Kept.TestCase.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
TestKept = Kept.TestCase
