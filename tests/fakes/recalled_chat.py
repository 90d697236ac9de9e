"""A chat in which a question brings back what was cut, held through the real engine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import until
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.shown.influence_view import WhyView
from workbench.engine.intents import EditDraft, SendMessage
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import LookAtQuote

CHAT = "talk"
FACT = "Our spare key lies under the blue stone, says Mara."
SAID: tuple[tuple[str, str], ...] = (
    (
        "Which tea is left?",
        "Green tea, and black tea in three of the five tins on the shelf behind the kitchen door.",
    ),
    (FACT, "I will remember the key."),
    ("Which rivers are long?", "The Nile is."),
    ("And which are deep?", "The Congo is."),
)
ASKED = "Where is the spare key?"
CUT = HistorySettings(last_n_messages=2, recall=True, recall_tokens=60)
LOG = replace(SETTINGS, history=replace(CUT, last_n_messages=12), layout="append_only")
LONG = (*SAID, *((f"What is tree {n}?", f"It is number {n}.") for n in range(5)))
"""So much that a log was begun anew without the first turns, and has room to grow."""


async def recalled_bench(
    settings: ContextSettings | None = None, said: Sequence[tuple[str, str]] = SAID
) -> Bench:
    """A bench whose chat has said that, with a question written that fits the second turn."""
    bench = fake_bench(*(words(answer) for _, answer in said))
    await bench.start(CHAT, settings or replace(SETTINGS, history=CUT))
    for question, _ in said:
        await bench.do(SendMessage(CHAT, question))
    await bench.workbench.dispatch(EditDraft(CHAT, ASKED))
    await bench.calm()
    return bench


def chat_of(bench: Bench) -> ChatState:
    """The chat as it is now."""
    return bench.workbench.state.open[CHAT]


def quoted(bench: Bench) -> list[str]:
    """The ids of what comes back."""
    view = chat_of(bench).view
    return [] if view is None else [row.key.id for row in view.quotes]


def fact_id(chat: ChatState) -> str:
    """The message that answers the question."""
    return chat.records[2].id


async def looked(bench: Bench, key: str) -> WhyView:
    """Why something is there, with its place among all."""
    await bench.workbench.dispatch(LookAtQuote(CHAT, key))
    await until(lambda: bool((why := chat_of(bench).why) and why.id == key and why.messages))
    why = chat_of(bench).why
    assert why is not None
    return why


@cache
def recalled_state() -> WorkbenchState:
    """The state with the answering message looked at; frozen, so that sharing it is safe."""

    async def hold() -> WorkbenchState:
        bench = await recalled_bench()
        await looked(bench, fact_id(chat_of(bench)))
        state = bench.workbench.state
        await bench.workbench.close()
        return state

    return asyncio.run(hold())
