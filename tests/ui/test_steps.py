"""Tuning steps: each does what its name says, and its undo puts back exactly what was there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.engine.intents import ChangeSettings, ChangeTuning, RefreshArtifacts, ReplaceAttached
from workbench.engine.state import ChatState
from workbench.ui import steps
from workbench.ui.scenes.sample_state import CHAT, sample_state


@pytest.fixture
def chat() -> ChatState:
    return sample_state().open[CHAT]


def attached_after(step: steps.Step | None) -> dict[str, tuple[int, bool]]:
    assert step is not None
    (change,) = step.do
    assert isinstance(change, ReplaceAttached)
    return {artifact.key: (artifact.priority, artifact.essential) for artifact in change.artifacts}


def test_a_priority_is_set_for_the_named_ones_only(chat: ChatState):
    after = attached_after(steps.set_priority(chat, ("src/auth.py",), 7))
    assert after["src/auth.py"] == (7, False)
    assert after["docs/api.md"] == (5, False)


def test_every_step_on_attachments_is_undone_by_exactly_what_was_attached(chat: ChatState):
    for step in (
        steps.set_priority(chat, ("src/auth.py",), 7),
        steps.nudge_priority(chat, ("docs/api.md",), 1),
        steps.pin(chat, ("logs/big.log",), True),
        steps.detach(chat, ("logs/big.log", "src/auth.py")),
        steps.reorder(chat, "project-spec.md", "logs/big.log"),
    ):
        assert step is not None
        assert step.undo == (ReplaceAttached(CHAT, chat.conversation.attached),)


def test_priorities_stay_between_zero_and_ten(chat: ChatState):
    assert attached_after(steps.set_priority(chat, ("src/auth.py",), 99))["src/auth.py"] == (10, False)
    assert steps.nudge_priority(chat, ("logs/big.log",), 1) is None


def test_a_turn_is_pinned_by_its_messages_and_unpinned_again(chat: ChatState):
    assert chat.view is not None
    row = chat.view.layers[2].rows[1]
    step = steps.toggle_pin(chat, row)
    assert step is not None
    (change,) = step.do
    assert isinstance(change, ChangeTuning)
    assert change.tuning.pinned == {"m13", "m14"}
    pinned = replace(chat, conversation=replace(chat.conversation, tuning=change.tuning))
    back = steps.toggle_pin(pinned, replace(row, pinned=True))
    assert back is not None
    assert back.do == (ChangeTuning(CHAT, chat.conversation.tuning),)


def test_what_is_left_out_can_be_put_back(chat: ChatState):
    assert chat.view is not None
    row = chat.view.layers[2].rows[1]
    out = steps.leave_out(chat, row)
    assert out is not None
    (change,) = out.do
    assert isinstance(change, ChangeTuning)
    without = replace(chat, conversation=replace(chat.conversation, tuning=change.tuning))
    back = steps.leave_out(without, replace(row, state="excluded"))
    assert back is not None
    assert back.do == (ChangeTuning(CHAT, chat.conversation.tuning),)


def test_nothing_to_change_is_no_step(chat: ChatState):
    assert steps.set_priority(chat, ("src/auth.py",), 5) is None
    assert steps.apply_settings(chat, chat.chat.settings) is None


def test_settings_are_undone_by_the_old_ones(chat: ChatState):
    other = replace(chat.chat.settings, context_window=9_000)
    step = steps.apply_settings(chat, other)
    assert step is not None
    assert (step.do, step.undo) == (
        (ChangeSettings(CHAT, other),),
        (ChangeSettings(CHAT, chat.chat.settings),),
    )


def test_a_refresh_is_undone_by_the_old_copies(chat: ChatState):
    step = steps.refresh(chat, ("docs/api.md",))
    assert step.do == (RefreshArtifacts(CHAT, ("docs/api.md",)),)
    assert step.undo == (ReplaceAttached(CHAT, chat.conversation.attached),)


def test_a_card_dragged_to_the_front_falls_first(chat: ChatState):
    after = attached_after(steps.reorder(chat, "project-spec.md", "logs/big.log"))
    assert after["project-spec.md"][0] >= after["logs/big.log"][0]
    ranked = sorted(after, key=lambda key: -after[key][0])
    assert ranked[0] == "project-spec.md"


KEYS = tuple("abcdef")


@given(
    st.permutations(KEYS),
    st.lists(st.integers(0, 10), min_size=6, max_size=6),
    st.lists(st.integers(1, 50), min_size=6, max_size=6, unique=True),
    st.sampled_from(KEYS),
)
def test_priorities_make_things_fall_in_the_order_of_the_rail(order, priorities, sizes, moved):
    """Of two with one priority the larger falls first; where ten steps are too few, the order is only kept weakly."""
    held = dict(zip(KEYS, priorities, strict=True))
    tokens = dict(zip(KEYS, sizes, strict=True))
    found = steps.priorities_for(list(order), held, tokens, moved)
    assert all(0 <= found[key] <= 10 for key in KEYS)
    falling = [found[key] for key in order]
    assert falling == sorted(falling, reverse=True)


def test_single_messages_are_pinned_and_unpinned(chat: ChatState):
    step = steps.pin_members(chat, ("m13",), True)
    assert step is not None
    (change,) = step.do
    assert isinstance(change, ChangeTuning)
    assert change.tuning.pinned == {"m13"}
    assert steps.pin_members(chat, ("m13",), False) is None
