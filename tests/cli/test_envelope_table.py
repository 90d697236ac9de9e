"""A stored request as a table: every layer and segment with its tokens, and foreign names neutralised."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.archives import WHEN, full_archive
from workbench.cli.envelope_table import print_turn, turn_document
from workbench.domain.envelope import PICTURE_LEFT_OUT, Pruned, Repair

TURN = full_archive().turns[1]


def test_layers_and_segments_stand_in_columns(capsys: pytest.CaptureFixture[str]):
    print_turn(TURN)
    lines = capsys.readouterr().out.splitlines()
    total = TURN.built.envelope.total_tokens
    assert lines[0] == f"turn 2  complete  word-1  {WHEN}"
    assert lines[1] == f"{total} of {TURN.built.envelope.budget.window_tokens} tokens (estimated)"
    assert lines[3].split() == ["layer", "tokens", "form", "kind", "segment"]
    names = [line.split()[0] for line in lines[4:] if line.startswith("L")]
    assert names == ["L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L3_TURN", "L5_USER"]


def test_what_was_dropped_is_said(capsys: pytest.CaptureFixture[str]):
    cuts = replace(TURN.built.envelope.cuts, pruned=(Pruned("a\x1b.md", 9, 5, "over budget"),))
    envelope = replace(TURN.built.envelope, cuts=cuts)
    print_turn(replace(TURN, built=replace(TURN.built, envelope=envelope)))
    assert capsys.readouterr().out.endswith("dropped: a\\u001b.md (over budget)\n")


def test_machines_get_the_text_as_it_was_sent():
    document = turn_document(replace(TURN, usage={"prompt_tokens": 3}))
    segments = [one for layer in document["layers"] for one in layer["segments"]]
    sent = [one.text for layer in TURN.built.envelope.layers for one in layer.segments]
    assert [one["text"] for one in segments] == sent
    assert document["usage"] == {"prompt_tokens": 3}


def test_a_picture_that_was_left_out_is_said(capsys: pytest.CaptureFixture[str]):
    cuts = replace(TURN.built.envelope.cuts, repairs=(Repair("q2", PICTURE_LEFT_OUT),))
    turn = replace(TURN, built=replace(TURN.built, envelope=replace(TURN.built.envelope, cuts=cuts)))
    print_turn(turn)
    assert f"changed before sending: q2 ({PICTURE_LEFT_OUT})\n" in capsys.readouterr().out
    assert turn_document(turn)["repaired"] == [{"id": "q2", "reason": PICTURE_LEFT_OUT}]
