"""A stored turn as a case: what cannot be one is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.open_chat.test_layouts import talk
from tests.fakes.loop import in_calm_loop
from workbench.cli.inspect import case_document, write_case
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.message import Image, Message
from workbench.engine.comparing import Branch, read_branch
from workbench.engine.replay import replay_turns


@in_calm_loop
async def test_every_request_of_a_case_has_the_bytes_that_were_sent():
    """Files come, change and go; nothing of that is lost on the way."""
    bench = await talk("layered", 8)
    turns = await bench.world.store.turns("talk")
    branch = await read_branch(bench.world.store, "talk", turns[-1])
    document = case_document(branch, bench.world.builder)
    reports = list(replay_turns(parse_trajectory(document), bench.world.builder))
    for report, turn in zip(reports, turns, strict=True):
        sent = [(one.role, one.content) for one in turn.built.envelope.messages]
        assert [(one["role"], one["content"]) for one in report["messages"]] == sent
    assert [one["name"] for one in document["expected"]["cases"]] == [f"turn {n}" for n in range(1, 9)]


@in_calm_loop
async def test_a_question_with_a_picture_is_no_case():
    bench = await talk("layered", 1)
    (turn,) = await bench.world.store.turns("talk")
    branch = await read_branch(bench.world.store, "talk", turn)
    picture = Message("q", "user", ("See?",), (Image("d", 10),))
    (inputs,) = branch.turns
    seen = Branch((replace(inputs, question=picture),), branch.times, branch.sent)
    with pytest.raises(NotKept, match="pictures"):
        case_document(seen, bench.world.builder)


@in_calm_loop
async def test_a_case_takes_the_place_of_a_case_alone(tmp_path: Path):
    """A wrong name after --case was the end of that file."""
    bench = await talk("layered", 1)
    (turn,) = await bench.world.store.turns("talk")
    branch = await read_branch(bench.world.store, "talk", turn)
    file = tmp_path / "case.json"
    for _ in range(2):
        assert write_case(str(file), branch, bench.world.builder) == 1
    for kept in ("# Notes", '{"format": "workbench-trajectory/1", "turns": []}'):
        file.write_text(kept)
        with pytest.raises(InvalidInput, match="holds something else than a case; it stays as it is"):
            write_case(str(file), branch, bench.world.builder)
        assert file.read_text() == kept
    for name, why in (("", "--case: names no file"), (str(tmp_path), "Is a directory")):
        with pytest.raises(InvalidInput, match=why):
            write_case(name, branch, bench.world.builder)
