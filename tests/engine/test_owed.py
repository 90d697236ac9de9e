"""Ends of turns that a full disk refused are kept when there is room again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop
from workbench.domain.errors import StoreFull
from workbench.engine.intents import RegenerateAnswer, SendMessage
from workbench.engine.world import Owed


async def refused() -> tuple[Bench, FragileHistory]:
    """A chat whose last answer was shown and not kept."""
    store = FragileHistory()
    bench = fake_bench(words("Precious."), words("Another."), store=store)
    await bench.start()
    store.refusing = {"finish_turn", "append"}
    end = await bench.do(SendMessage("talk", "?"))
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind) == ("failed", "store")
    assert [role for role, _, _ in await bench.texts()] == ["user"]
    return bench, store


@in_calm_loop
async def test_the_next_turn_keeps_the_last_one_first():
    bench, store = await refused()
    store.refusing = set()
    await bench.do(SendMessage("talk", "And?"))
    assert await bench.texts() == [
        ("user", "?", "complete"), ("assistant", "Precious.", "complete"),
        ("user", "And?", "complete"), ("assistant", "Another.", "complete"),
    ]  # fmt: skip


@in_calm_loop
async def test_the_same_question_can_be_asked_again():
    """A turn that stays running in the store would refuse every other answer to its question."""
    bench, store = await refused()
    store.refusing = set()
    question = (await bench.world.store.path("talk"))[0].id
    end = await bench.do(RegenerateAnswer("talk", question))
    assert end.outcome.state == "complete"
    assert [turn.state for turn in await store.turns("talk")] == ["complete", "complete"]


@in_calm_loop
async def test_as_long_as_the_disk_is_full_no_turn_begins():
    bench, _ = await refused()
    with pytest.raises(StoreFull):
        await bench.workbench.dispatch(SendMessage("talk", "And?"))
    assert await bench.workbench.until_ended("talk") is not None
    assert len(bench.model.requests) == 1


@in_calm_loop
async def test_closing_is_the_last_chance():
    bench, store = await refused()
    store.refusing = set()
    await bench.workbench.close()
    assert (await bench.texts())[-1] == ("assistant", "Precious.", "complete")


@in_calm_loop
async def test_closing_with_a_full_disk_says_so_and_closes_all_the_same():
    bench, store = await refused()
    with pytest.raises(StoreFull):
        await bench.workbench.close()
    assert (store.closed, bench.world.models.closed) == (True, True)  # type: ignore[attr-defined]


@in_calm_loop
async def test_what_will_never_fit_does_not_block_its_chat():
    _, store = await refused()
    (turn,) = await store.turns("talk")
    store.refusing = set()
    owed = Owed()
    owed.note(replace(turn, question="gone"), [])
    await owed.settle("talk", store)
    await owed.settle_all(store)
    assert [kept.state for kept in await store.turns("talk")] == ["running"]
