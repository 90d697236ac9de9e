from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.engine import fake_world
from tests.fakes.influence_stage import InfluenceStage
from tests.fakes.loop import in_loop
from workbench.domain.change import Built
from workbench.domain.influence import InfluenceWish
from workbench.domain.message import Image
from workbench.engine.influence.subject import Progress, Subject, row_of
from workbench.engine.influence.target import NothingToMeasure


@in_loop
async def test_what_is_left_takes_as_long_as_what_is_done_did():
    told: list[tuple[int, int, float | None]] = []
    progress = Progress(fake_world(), 4, lambda *moved: told.append(moved))
    for _ in range(4):
        progress.step()
    assert [one[:2] for one in told] == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert told[0][2] is None
    assert told[1][2] is not None
    assert told[1][2] > 0
    assert told[-1][2] == 0


@in_loop
async def test_what_stands_after_a_piece_is_read_again():
    stage = InfluenceStage()
    await stage.begin()
    subject = Subject(await stage.target(), InfluenceWish(), stage.bench.world)
    first, *_, last = subject.units
    assert subject.tokens_after(row_of(last)) == 0
    assert subject.tokens_after(row_of(first)) == sum(unit.tokens for unit in subject.units[1:])


@in_loop
async def test_a_request_with_pictures_cannot_be_measured():
    stage = InfluenceStage()
    await stage.begin()
    target = await stage.target()
    built = target.turn.built
    message = built.envelope.messages[-1]
    seen = replace(message.segments[-1], images=(Image("00"),))
    shown = replace(message, segments=(*message.segments[:-1], seen))
    envelope = replace(built.envelope, messages=(*built.envelope.messages[:-1], shown))
    looked = replace(target, turn=replace(target.turn, built=Built(built.inputs, envelope)))
    with pytest.raises(NothingToMeasure, match="holds pictures"):
        Subject(looked, InfluenceWish(), stage.bench.world)
