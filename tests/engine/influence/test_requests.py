from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.influence_stage import NOTES, SETTINGS, InfluenceStage
from tests.fakes.loop import in_loop
from workbench.context.influence.pieces import pieces_of
from workbench.domain.change import Built
from workbench.engine.influence.subject import SentRequest


def said(built: Built) -> list[tuple[str, str]]:
    return [(one.role, one.content) for one in built.envelope.messages]


async def long_talk(layout: str) -> InfluenceStage:
    stage = InfluenceStage(answers=("One.", "Two.", "Three."), settings=replace(SETTINGS, layout=layout))  # type: ignore[arg-type]
    await stage.begin("First?")
    await stage.ask("Second?")
    await stage.ask("Third?")
    return stage


@in_loop
@pytest.mark.parametrize("layout", ["layered", "append_only"])
async def test_a_request_without_a_piece_differs_by_that_piece_alone(layout: str):
    """In a log that is rebuilt everything would move: then the figure would be about the move."""
    stage = await long_talk(layout)
    target = await stage.target()
    sent = SentRequest(target.turn, target.before, stage.bench.world.builder)
    whole = said(await sent.without([]))
    assert whole == said(target.turn.built)
    for piece in pieces_of(sent.built):
        if piece.kind != "artifact":
            continue
        without = said(await sent.without([piece]))
        assert NOTES[piece.id] not in "".join(text for _, text in without)
        assert [role for role, _ in without] == [role for role, _ in whole]
        kept = [line for _, text in whole for line in text.splitlines()]
        left = [line for _, text in without for line in text.splitlines()]
        assert [line for line in kept if line in left] == left


@in_loop
@pytest.mark.parametrize("layout", ["layered", "append_only"])
async def test_a_turn_that_is_left_out_takes_its_question_and_its_answer(layout: str):
    stage = await long_talk(layout)
    target = await stage.target()
    sent = SentRequest(target.turn, target.before, stage.bench.world.builder)
    second = next(one for one in pieces_of(sent.built) if one.name == "turn 2")
    text = "".join(text for _, text in said(await sent.without([second])))
    assert "Second?" not in text
    assert "Two." not in text
    assert all(word in text for word in ("First?", "One.", "Third?", *NOTES.values()))


@in_loop
@pytest.mark.parametrize("layout", ["layered", "append_only"])
async def test_instructions_are_left_out_of_a_log_too(layout: str):
    stage = await long_talk(layout)
    target = await stage.target()
    sent = SentRequest(target.turn, target.before, stage.bench.world.builder)
    system = next(one for one in pieces_of(sent.built) if one.kind == "instruction")
    whole, without = said(sent.built), said(await sent.without([system]))
    assert "Answer briefly." not in "".join(text for _, text in without)
    assert without[-1] == whole[-1]


@in_loop
async def test_a_request_that_cannot_be_built_again_is_cut_as_it_is():
    """The settings of a stored turn may name what the builder does otherwise by now."""
    stage = await long_talk("layered")
    target = await stage.target()
    built = target.turn.built
    other = replace(built.inputs, settings=replace(built.inputs.settings, system_prompt="Something else."))
    turn = replace(target.turn, built=Built(other, built.envelope))
    sent = SentRequest(turn, target.before, stage.bench.world.builder)
    pilot = next(one for one in pieces_of(built) if one.id == "pilot.md")
    assert said(await sent.without([])) == said(built)
    text = "".join(text for _, text in said(await sent.without([pilot])))
    assert NOTES["pilot.md"] not in text
    assert "Answer briefly." in text
