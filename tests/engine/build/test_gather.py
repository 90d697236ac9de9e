"""What a turn starts from is asked of the world: providers in order, each thing once."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat, said
from tests.fakes.turns import assistant, user
from workbench.domain.message import Entry
from workbench.domain.prompt import Prompt
from workbench.engine.build.gather import LastMessages, PromptBuilder

NOW = "2026-01-01T12:00:00Z"


class Rules:
    """A fixed system text → PromptSource."""

    async def system_prompt(self) -> str:
        """The text."""
        return "Be brief."


class Noon:
    """Always the same moment → UtcClock."""

    def utc_now(self) -> str:
        """The moment."""
        return NOW


class Found:
    """Brings what it was given, and remembers what it was asked → ContextProvider."""

    def __init__(self, *entries: Entry) -> None:
        self.entries, self.asked = entries, [("", 0)][:0]

    async def context(self, question: str, number: int) -> Sequence[Entry]:
        """At most that many."""
        self.asked.append((question, number))
        return self.entries[:number]


@in_loop
async def test_the_newest_messages_of_a_chat():
    store = MemoryHistory()
    await store.create_chat(chat())
    await store.append([said(f"m{i}", str(i), f"m{i - 1}" if i else None) for i in range(5)])
    found = await LastMessages(store, "c").context("whatever", 2)
    assert [entry.id for entry in found] == ["m3", "m4"]
    assert await LastMessages(store, "c").context("whatever", 0) == ()


@in_loop
async def test_providers_are_asked_in_order_and_nothing_comes_twice():
    one, other = Found(user("u1"), assistant("a1")), Found(assistant("a1", "another"), user("u0"))
    prompt = await PromptBuilder(Rules(), (one, other), Noon()).build("Why?", 5, {"tone": "dry"})
    assert prompt == Prompt(
        "Be brief.", (user("u1"), assistant("a1"), user("u0")), "Why?", NOW, {"tone": "dry"}
    )
    assert one.asked == other.asked == [("Why?", 5)]


@in_loop
async def test_without_providers_there_is_only_the_question():
    assert await PromptBuilder(Rules(), (), Noon()).build("Why?", 5) == Prompt("Be brief.", (), "Why?", NOW)
