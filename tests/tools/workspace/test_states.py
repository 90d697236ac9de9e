"""States: equal ones have equal digests, and JSON brings them back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.files.writing import FileState
from workbench.tools.workspace.paths import Refused
from workbench.tools.workspace.states import (
    ABSENT,
    FolderState,
    State,
    digest_of,
    state_from_json,
    state_to_json,
)

modes = st.none() | st.integers(0, 0o7777)
states = st.one_of(
    st.none(),
    st.builds(FolderState, modes),
    st.builds(FileState, st.binary(), modes, st.none() | st.integers(0, 2**62)),
)


@given(states)
def test_json_brings_a_state_back(state: State):
    assert state_from_json(json.loads(json.dumps(state_to_json(state)))) == state


@given(states, states)
def test_a_digest_tells_states_apart(one: State, other: State):
    assert (digest_of(one) == digest_of(other)) == (_timeless(one) == _timeless(other))


def _timeless(state: State) -> State:
    return FileState(state.content, state.mode) if isinstance(state, FileState) else state


def test_nothing_has_a_digest_that_says_so():
    assert digest_of(None) == ABSENT


@pytest.mark.parametrize(
    "written", ["x", 3, [], {"type": "file"}, {"base64": "!"}, {"base64": "", "mode": -1}, {"base64": "é"}]
)
def test_a_damaged_note_is_refused(written: Any):
    with pytest.raises(Refused, match="damaged"):
        state_from_json(written)
