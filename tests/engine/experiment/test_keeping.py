"""Experiments as they are kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from tests.engine.experiment.test_trial import asked_once, ran, said
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_calm_loop, in_loop
from tests.fakes.stores import open_store
from workbench.domain.experiment import Cell, Experiment, Plan
from workbench.engine.experiment.taking import keep_experiment, kept_experiments, last_experiment
from workbench.engine.intents import SendMessage


@in_calm_loop
async def test_what_was_never_asked_is_not_kept_and_what_cannot_be_read_is_passed_by():
    bench, turn = await asked_once(said("Yes."))
    found = await ran(bench, turn, Plan())
    empty = replace(found, cells=tuple(replace(cell, state="waiting") for cell in found.cells))
    await keep_experiment(empty, turn, bench.world.store)
    assert await last_experiment(turn, bench.world.store) is None
    record = (await bench.world.store.path("talk"))[0]
    assert kept_experiments(replace(record, metadata={"experiments": [{"of": "tomorrow"}]})) == ()


@in_loop
async def test_two_that_end_at_the_same_time_are_both_kept(tmp_path: Path):
    """Notes were read, changed and written in three steps: of two programs or tasks one lost what it had paid for."""
    bench = fake_bench(store=open_store(tmp_path / "store"))
    await bench.start()
    await bench.do(SendMessage("talk", "Why?"))
    store = bench.world.store
    turn = await store.last_turn("talk")
    assert turn is not None
    tried = [Experiment("talk", 1, (Cell(name, "m", 1, state="complete", answer="x"),)) for name in "AB"]
    await asyncio.gather(*(keep_experiment(one, turn, store) for one in tried))
    (record,) = await store.tail("talk", 1, turn.question)
    assert list(kept_experiments(record)) == tried
    await bench.workbench.close()
