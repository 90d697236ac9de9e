"""What turns share."""

from __future__ import annotations

from tests.fakes.engine import fake_world
from tests.fakes.loop import in_calm_loop
from workbench.engine.world import Limits


@in_calm_loop
async def test_two_worlds_share_nothing_by_accident():
    one, other = fake_world(), fake_world()
    assert one.locks is not other.locks
    assert one.owed is not other.owed
    assert one.parameters is not other.parameters


def test_a_turn_may_use_tools_a_few_times():
    limits = Limits()
    assert (limits.tool_rounds, limits.tool_result_chars) == (8, 60_000)
