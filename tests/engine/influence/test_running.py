from __future__ import annotations

import pytest

from tests.fakes.influence_stage import InfluenceStage
from tests.fakes.loop import in_loop
from workbench.domain.answer import Failure
from workbench.domain.errors import WorkbenchError
from workbench.engine.influence.running import measure_influence


@in_loop
async def test_a_model_that_is_gone_is_said():
    stage = InfluenceStage()
    await stage.begin()
    stage.bench.model.unready = Failure("unavailable", "There is no file model.gguf.")
    with pytest.raises(WorkbenchError, match="There is no file"):
        await stage.measure()
    assert measure_influence.__doc__
