"""The moments of the script, played once for all tests that look at them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache

from workbench.showroom.player import moments
from workbench.showroom.scenes import SCENES
from workbench.showroom.script import Moment


@cache
def all_moments() -> Mapping[str, Moment]:
    """Every moment that a scene is made of; frozen values, so that sharing them is safe."""
    return asyncio.run(moments({scene.moment for scene in SCENES.values()}))


def moment_of(scene: str) -> Moment:
    """What a scene shows."""
    return all_moments()[SCENES[scene].moment]
