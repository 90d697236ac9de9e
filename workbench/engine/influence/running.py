"""Influence on demand: by log-probabilities where the model's server gives them, else by asking again."""

from __future__ import annotations

from workbench.domain.answer import ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.domain.influence import Influence, InfluenceWish
from workbench.engine.influence.measuring import Measuring
from workbench.engine.influence.subject import Moved
from workbench.engine.influence.target import Target
from workbench.engine.tasks import Stopper
from workbench.engine.world import World


async def measure_influence(
    target: Target, wish: InfluenceWish, world: World, stopper: Stopper, moved: Moved
) -> Influence:
    """Measure it; `WorkbenchError` says why it cannot be."""
    model = world.models.open(target.turn.built.inputs.settings.model)
    try:
        await model.ready(lambda what, part: None)
        meter = await model.meter()
    except ModelFailed as failed:
        raise WorkbenchError(failed.failure.message) from failed
    if meter is None or wish.asking:
        raise WorkbenchError("This model's server does not score given answers.")
    return await Measuring(target, wish, meter, world).run(stopper, moved)
