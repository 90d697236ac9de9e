"""A turn for a model that cannot be shown pictures."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import assistant, turn_inputs, user
from workbench.context.clean.redact import without_pictures
from workbench.domain.message import Image

BLIND = replace(WORD_MODEL, images=False)
SHOWN = (Image("ab" * 32, 255),)


def test_pictures_are_left_out_and_whose_they_were_is_said():
    history = (replace(user("q1"), images=SHOWN), assistant("a1"))
    inputs = turn_inputs(model=BLIND, history=history, question=replace(user("q2"), images=SHOWN))
    found, whose = without_pictures(inputs)
    assert whose == ("q1", "q2")
    assert found.history == (user("q1"), assistant("a1"))
    assert found.history[1] is history[1]
    assert found.question == user("q2")


def test_nothing_changes_where_there_is_no_picture():
    plain = turn_inputs(model=BLIND, history=(user("q1"),), question=user("q2"))
    assert without_pictures(plain) == (plain, ())
