"""The inputs of a turn: frozen, hashable parts, nothing decided yet."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from tests.fakes.turns import artifact, shelved, turn_inputs
from workbench.domain.envelope import TrimState
from workbench.domain.turn import Tuning


def test_equal_inputs_are_equal():
    assert turn_inputs(attached=(artifact("a"),)) == turn_inputs(attached=(artifact("a"),))


def test_nothing_is_decided_until_someone_does():
    inputs = turn_inputs()
    assert (inputs.trim, inputs.tuning) == (TrimState(), Tuning(frozenset(), frozenset()))
    assert (inputs.question, inputs.now, inputs.history, inputs.attached, inputs.library) == (
        None,
        None,
        (),
        (),
        (),
    )


def test_inputs_cannot_change_under_a_build():
    with pytest.raises(FrozenInstanceError):
        turn_inputs().turn = 2  # type: ignore[misc]


def test_a_library_entry_goes_by_its_artifact_s_key():
    assert shelved(artifact("docs/api.md", "old"), artifact("docs/api.md", "new")).key == "docs/api.md"
