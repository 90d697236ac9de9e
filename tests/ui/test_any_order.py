"""Whatever a person does in whatever order, over a real store: a reload shows what was shown, undo leads back to where
it began, what is sent is what was shown, and nothing is left running."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Coroutine
from functools import cache
from itertools import count
from pathlib import Path
from random import Random  # noqa: TID251  (drawn by Hypothesis)
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.chaos.facts import Facts, chat_facts, differences, shown_facts
from tests.chaos.person import Person
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, Step, words
from tests.fakes.effort import tries
from tests.fakes.engine import Bench, FilesInMemory, TickingUtc, fake_world
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.stores import WHEN, open_store
from workbench.domain.answer import Failure, Finished, TextGrew
from workbench.domain.errors import WorkbenchError
from workbench.domain.shown.summary_view import SummaryView
from workbench.domain.summary import OUTLINE, SummaryWish
from workbench.engine.intents import CloseChat, EditDraft, ListChats, OpenChat, SendMessage
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.program_intents import EndSummary, MakeSummary
from workbench.engine.state import ChatState
from workbench.sources.clock import MachineClock
from workbench.storage.workspaces import StoreWorkspaces
from workbench.ui import steps

FILES = {f"note{number}.txt": f"note {number} " * 30 * (number + 1) for number in range(5)}
ANSWERS: tuple[list[Step], ...] = (
    words("A whole answer in a few words."),
    [TextGrew("Only the beginning"), Failure("network", "The connection was lost.")],
    words("Another answer, which is a good deal longer " * 12),
    [TextGrew("Cut"), Finished("length")],
)
choices = st.integers(0, 10**9).map(Random)  # randomness of its own draws the same few acts over and over


@cache
def empty_store() -> bytes:
    """A new store, made once: making one takes longer than everything that is done with it."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "history.db")
        asyncio.run(store.close())
        return (Path(folder) / "history.db").read_bytes()


class Visitor(Person):
    """A person whose files are in memory."""

    numbers = count(1)

    def new_id(self, kind: str) -> str:
        return f"{kind}-{next(self.numbers)}"

    def paths(self) -> list[str]:
        return sorted(FILES)


class AnyOrder(RuleBasedStateMachine):
    """A workbench over a store in a file, and somebody who does anything."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / "history.db").write_bytes(empty_store())
        self.model = FakeModel(ANSWERS * 40)
        self.ids, self.utc, self.preferences = count(1), TickingUtc(), MemoryPreferences()
        self.purged: set[str] = set()
        self.before = threading.active_count()
        self.open()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        async def in_time() -> Any:
            async with asyncio.timeout(60):
                return await work

        return self.loop.run_until_complete(in_time())

    def open(self) -> None:
        store = open_store(self.folder / "history.db", synchronous="OFF")
        world = fake_world(
            store=store,
            workspaces=Workspaces(StoreWorkspaces(store), MachineClock()),
            models=FakeModels(self.model),
            attachments=FilesInMemory(**FILES),
            new_id=lambda: f"id{next(self.ids)}",
            utc=self.utc,
            preferences=self.preferences,
        )
        self.bench = Bench(world)
        to = os.open(os.devnull, os.O_WRONLY)
        self.person = Visitor(self.bench.workbench, Random(0), self.folder, (WORD_MODEL.name,), to)
        self.to = to
        self.run(self.bench.workbench.begin())
        self.run(self.bench.workbench.dispatch(ListChats()))

    def close(self) -> None:
        self.run(self.bench.workbench.close())
        os.close(self.to)
        running = [task.get_name() for task in self.bench.world.tasks._running if not task.done()]
        assert running == []

    async def end_turns(self) -> None:
        for chat in list(self.bench.workbench.state.open):
            self.bench.workbench.stop(chat)
            await self.bench.workbench.until_ended(chat)
        await self.bench.calm()

    def some_chat(self, choice: Random) -> ChatState | None:
        there = self.bench.workbench.state.open
        return choice.choice(list(there.values())) if there else None

    def request_of(self, chat: str) -> str | None:
        """The digest of the next request as it would go on the wire."""
        view = self.bench.workbench.state.open[chat].view
        wire = None if view is None else view.wire()
        return None if wire is None else wire.digest

    @rule(choice=choices)
    def act(self, choice: Random) -> None:
        self.person.choice = choice
        for _ in range(5):
            self.run(self.person.act())

    @rule(choice=choices)
    def ask_what_is_shown(self, choice: Random) -> None:
        """Words are typed, the request is looked at, and sent: the same bytes arrive."""
        self.run(self.end_turns())
        chat = self.some_chat(choice)
        if chat is None:
            return
        key, text = chat.chat.id, "What is this about?"
        self.run(self.bench.workbench.dispatch(EditDraft(key, text)))
        self.run(self.bench.calm())
        shown, asked = self.request_of(key), len(self.model.requests)
        self.run(self.bench.workbench.dispatch(SendMessage(key, text, drafted=True)))
        self.run(self.end_turns())
        sent = self.model.requests[asked:]
        if sent:
            assert self.model.wire(sent[0]).digest == shown
            assert not any("[purged]" in message.text for message in sent[0].messages)

    @rule(choice=choices)
    def tune_and_take_back(self, choice: Random) -> None:
        """Steps of tuning, one after the other; undone in turn, everything is as it was."""
        self.run(self.end_turns())
        chat = self.some_chat(choice)
        if chat is None:
            return
        key = chat.chat.id
        before = self.kept_of(key)
        done: list[steps.Step] = []
        for _ in range(choice.randint(1, 6)):
            step = _some_step(self.bench.workbench.state.open[key], choice)
            if step is not None:
                self.run(self.bench.workbench.dispatch(*step.do))
                done.append(step)
        for step in reversed(done):
            self.run(self.bench.workbench.dispatch(*step.undo))
        assert differences(before, self.kept_of(key)) == {}, [step.title for step in done]

    def kept_of(self, key: str) -> Facts:
        chat = self.bench.workbench.state.open[key]
        order = ",".join(one.key for one in chat.conversation.attached)
        return {**chat_facts(key, chat), "order": order}

    @rule(choice=choices)
    def summarise(self, choice: Random) -> None:
        """Talk on until there is something to put shorter, and do so, by an outline or by the model."""
        self.run(self.end_turns())
        chat = self.some_chat(choice)
        if chat is None:
            return
        key = chat.chat.id
        for _ in range(3):
            self.run(self.bench.workbench.dispatch(SendMessage(key, "Tell me all about rivers. " * 30)))
            self.run(self.end_turns())
        asked = len(self.person.questions(self.bench.workbench.state.open[key]))
        wish = SummaryWish(choice.choice((OUTLINE, WORD_MODEL.name)), 1, max(1, asked - 1))
        try:
            self.run(self.bench.workbench.dispatch(MakeSummary(key, wish)))
            made = self.run(self.summarised())
            if made is not None and made.summary is not None:
                step = steps.apply_summary(self.bench.workbench.state.open[key], made.summary)
                self.run(self.bench.workbench.dispatch(*step.do))
        except WorkbenchError:
            pass
        self.run(self.bench.workbench.dispatch(EndSummary()))

    async def summarised(self) -> SummaryView | None:
        made = self.bench.workbench.state.summary
        while made is not None and made.stage in ("offered", "working"):
            await asyncio.sleep(0)
            made = self.bench.workbench.state.summary
        return made

    @rule(choice=choices, purges=st.booleans())
    def reload(self, choice: Random, purges: bool) -> None:
        """Closed and opened again, all that was shown is shown; what is purged in between is gone, and only that."""
        self.run(self.end_turns())
        shown = shown_facts(self.bench.workbench.state)
        opened = list(self.bench.workbench.state.open)
        requests = {key: self.request_of(key) for key in opened}
        gone = self.run(self.delete_some(choice)) if purges and opened else None
        self.close()
        self.open()
        for key in opened:
            self.run(self.bench.workbench.dispatch(OpenChat(key)))
        self.run(self.bench.calm())
        again = shown_facts(self.bench.workbench.state)
        if gone is None:
            assert differences(shown, again) == {}
            assert {key: self.request_of(key) for key in opened} == requests
        else:
            lost = {key for key in shown if key not in again and key != f"message {gone[0]} {gone[1]}"}
            assert lost <= {key for key in shown if key.startswith(f"message {gone[0]} ")}

    async def delete_some(self, choice: Random) -> tuple[str, str] | None:
        """Delete a message for good, as a command does while no window is open."""
        chat = self.some_chat(choice)
        if chat is None or not chat.records:
            return None
        message = choice.choice(chat.records).id
        await self.bench.workbench.dispatch(CloseChat(chat.chat.id))
        await self.bench.world.store.delete_message(chat.chat.id, message, WHEN)
        await self.bench.world.store.purge()
        return chat.chat.id, message

    def teardown(self) -> None:
        try:
            self.run(self.end_turns())
            self.close()
            assert threading.active_count() <= self.before + 2
        finally:
            self.loop.close()
            shutil.rmtree(self.folder)


def _some_step(chat: ChatState, choice: Random) -> steps.Step | None:
    """One of the steps that a person takes by hand."""
    keys = [one.key for one in chat.conversation.attached]
    ids = [one.id for one in chat.records]
    wanted: list[steps.Step | None] = [steps.rename(chat, f"Title {choice.randint(1, 99)}")]
    new = [path for path in sorted(FILES) if path not in keys]
    if new:
        wanted.append(steps.attach_files(chat, (choice.choice(new),)))
    if keys:
        some = (choice.choice(keys),)
        wanted += [
            steps.set_priority(chat, some, choice.randint(1, 9)),
            steps.pin(chat, some, choice.random() < 0.5),
            steps.shorten(chat, some, choice.randint(20, 200)),
            steps.detach(chat, some),
            steps.refresh(chat, some),
            steps.reorder(chat, some[0], choice.choice([*keys, None])),
        ]
    if ids:
        some = (choice.choice(ids),)
        wanted += [
            steps.leave_out_members(chat, some, choice.random() < 0.7),
            steps.pin_members(chat, some, choice.random() < 0.7),
        ]
    return choice.choice(wanted)


# Made smaller, a failing run would take minutes; printed as it is, it is short enough to follow.
AnyOrder.TestCase.settings = settings(
    max_examples=tries(25), stateful_step_count=25, deadline=None, phases=(Phase.explicit, Phase.generate)
)
TestAnyOrder = AnyOrder.TestCase
