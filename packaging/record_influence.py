"""Measures influence on the sample's answer with the real built-in model and records it for the picture.

Run it when the sample or how requests are built has changed: the scene shows what was measured, and is stale else.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.fakes.builtin_stage import model_file  # noqa: E402
from workbench.domain.codec import encode  # noqa: E402
from workbench.domain.influence import InfluenceWish  # noqa: E402
from workbench.engine.influence.measuring import Measuring  # noqa: E402
from workbench.engine.influence.target import find_target  # noqa: E402
from workbench.engine.tasks import Stopper  # noqa: E402
from workbench.providers.builtin.model import BuiltinModel, BuiltinSource  # noqa: E402
from workbench.showroom.player import CARRIED_TURN, CARRIED_WORDS, SAMPLE, Player  # noqa: E402
from workbench.showroom.setup import set_up  # noqa: E402


async def record() -> None:
    """Play the sample, measure its turn, write what was found."""
    source = BuiltinSource("builtin", model_file, "not there", "server:builtin")
    model = BuiltinModel(replace(source, tune=lambda setup: replace(setup, threads=os.cpu_count())))
    await model.ready(lambda what, part: None)
    async with set_up() as setup:
        player = Player(setup, "measured")
        await player.adopt_sample()
        store = setup.world.store
        turn = next(one for one in await store.turns(SAMPLE) if one.number == CARRIED_TURN)
        meter = await model.meter()
        assert meter is not None
        measuring = Measuring(await find_target(turn, store), InfluenceWish(masks=48), meter, setup.world)
        found = await measuring.run(
            Stopper(setup.world.tasks), lambda done, planned, left_s: print(done, planned)
        )
        await player.close()
    await model.close()
    place = ROOT.joinpath("resources", *CARRIED_WORDS)
    place.write_text(json.dumps(encode(found), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{place.relative_to(ROOT)}: {found.requests} requests, {len(found.pieces)} pieces")


if __name__ == "__main__":
    asyncio.run(record())
