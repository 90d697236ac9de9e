"""Experiments as they are kept."""

from __future__ import annotations

from dataclasses import replace

from tests.engine.experiment.test_trial import asked_once, ran, said
from tests.fakes.loop import in_calm_loop
from workbench.domain.experiment import Plan
from workbench.engine.experiment.keeping import keep_experiment, kept_experiments, last_experiment


@in_calm_loop
async def test_what_was_never_asked_is_not_kept_and_what_cannot_be_read_is_passed_by():
    bench, turn = await asked_once(said("Yes."))
    found = await ran(bench, turn, Plan())
    empty = replace(found, cells=tuple(replace(cell, state="waiting") for cell in found.cells))
    await keep_experiment(empty, turn, bench.world.store)
    assert await last_experiment(turn, bench.world.store) is None
    record = (await bench.world.store.path("talk"))[0]
    assert kept_experiments(replace(record, metadata={"experiments": [{"of": "tomorrow"}]})) == ()
