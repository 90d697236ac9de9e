"""What follows a turn: the next request of its chat is built once, however much became known by its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import Step, words
from tests.fakes.counted_builds import counted_builder
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from workbench.domain.answer import Finished, TextGrew, UsageReported
from workbench.domain.model import ModelCard
from workbench.domain.usage import Usage
from workbench.engine.events import AnswerGrew, ChatShown, Event
from workbench.engine.intents import SendMessage
from workbench.engine.state import WorkbenchState

ROOMY = replace(WORD_MODEL, context_window_tokens=20_000)
ESTIMATED = replace(ROOMY, exact=False)
LONG = " ".join(["word"] * 400)


def teaching(times: int) -> list[Sequence[Step]]:
    """Answers whose reported counts are a fifth above ours: that many of them teach another ratio."""
    return [
        [
            TextGrew("Yes."),
            UsageReported(Usage(round((412 + n * 409) * 1.2), None, None, 1)),
            Finished("stop"),
        ]
        for n in range(times)
    ]


async def after_the_last(bench: Bench, builds: Callable[[], int], *others: str) -> tuple[int, dict[str, int]]:
    """How many requests are built from the last answer's words on, and how often each chat's next one is told of."""
    for chat in (*others, "talk"):
        await bench.start(chat)
    for _ in bench.model.answers[1:]:
        await bench.do(SendMessage("talk", LONG))
    await bench.calm()
    bench.events.clear()
    before: list[int] = []

    def note(event: Event, _state: WorkbenchState) -> None:
        if isinstance(event, AnswerGrew):
            before.append(builds())
            bench.events.clear()

    bench.workbench.subscribe(note)
    await bench.do(SendMessage("talk", LONG))
    await bench.calm()
    told = [event.chat for event in bench.told(ChatShown) if "view" in event.fields]
    return builds() - before[0], {chat: told.count(chat) for chat in (*others, "talk")}


@pytest.mark.parametrize(
    ("card", "answers"),
    [
        pytest.param(ROOMY, [words("One."), words("Two.")], id="counted exactly"),
        pytest.param(ESTIMATED, [words("One."), words("Two.")], id="estimated"),
        pytest.param(ESTIMATED, teaching(3), id="the answer teaches another ratio"),
    ],
)
@in_calm_loop
async def test_after_an_answer_the_next_request_is_built_and_told_of_once(
    card: ModelCard, answers: list[Sequence[Step]]
):
    builder, builds = counted_builder(card)
    bench = fake_bench(*answers, builder=builder)
    assert await after_the_last(bench, builds) == (1, {"talk": 1})


@in_calm_loop
async def test_other_chats_of_the_model_are_shown_once_too():
    builder, builds = counted_builder(ESTIMATED)
    bench = fake_bench(*teaching(3), builder=builder)
    assert await after_the_last(bench, builds, "other") == (2, {"other": 1, "talk": 1})
