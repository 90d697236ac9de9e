"""Actions on messages: each is exactly one intent, or one step that can be taken back."""

from __future__ import annotations

import pytest

from tests.fakes.sample_state import CHAT
from tests.ui.chat.chat_samples import chat_of, sample
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import (
    AcceptRebuild,
    AnswerToolRequest,
    ContinueAnswer,
    DetachArtifacts,
    Intent,
    RegenerateAnswer,
    ShowBranch,
    StopTurn,
    UndoToolCall,
)
from workbench.engine.state import Fix
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.chat.messages.message_menu import intent_of, members_of, row_of, step_of


@pytest.mark.parametrize(
    ("action", "intent"),
    [
        ("regenerate", RegenerateAnswer(CHAT, "x")),
        ("retry", RegenerateAnswer(CHAT, "x")),
        ("continue", ContinueAnswer(CHAT, "x")),
        ("branch", ShowBranch(CHAT, "x")),
        ("undo", UndoToolCall(CHAT, "x")),
        ("allow", AnswerToolRequest(CHAT, "x", allowed=True)),
        ("allow_always", AnswerToolRequest(CHAT, "x", allowed=True, always=True)),
        ("allow_in_workspace", AnswerToolRequest(CHAT, "x", allowed=True, scope="workspace")),
        ("never", AnswerToolRequest(CHAT, "x", allowed=False, scope="chat")),
        ("deny", AnswerToolRequest(CHAT, "x", allowed=False)),
        ("rebuild", AcceptRebuild(CHAT)),
        ("stop", StopTurn(CHAT)),
    ],
)
def test_an_action_is_an_intent(action: str, intent: Intent):
    assert intent_of(action, "x", sample()) == intent


def test_without_a_question_nothing_can_be_answered_again():
    assert intent_of("regenerate", "", sample()) is None
    assert intent_of("nonsense", "x", sample()) is None


def test_leaving_out_and_pinning_are_steps():
    out = step_of("leave_out", "m13", sample())
    assert out is not None
    assert out.do == (TuneMessages(CHAT, leave_out=frozenset({"m13"})),)
    assert step_of("put_back", "m13", sample()) is None
    pinned = step_of("pin", "m13", sample())
    assert pinned is not None
    assert pinned.do == (TuneMessages(CHAT, pin=frozenset({"m13"})),)


def test_untrimming_pins_from_there_to_the_last_trimmed_one():
    step = step_of("untrim", "b", sample(), ("a", "b", "c"))
    assert step is not None
    assert step.do == (TuneMessages(CHAT, pin=frozenset({"b", "c"})),)
    assert step_of("untrim", "z", sample(), ("a",)) is None


def test_a_fix_is_applied_by_its_place(qapp: object):
    fix = Fix("detach", "a.py", 10, True, do=(DetachArtifacts(CHAT, ("a.py",)),))
    step = step_of("fix", "0", chat_of(fixes=(fix,)))
    assert step is not None
    assert step.do == fix.do
    assert step.title == "Detach a.py"
    assert step_of("fix", "1", chat_of(fixes=(fix,))) is None


def test_messages_and_rows_know_one_another():
    assert row_of("m13", sample()) == RowKey("L4_STRIP", "turn 7")
    assert members_of(RowKey("L4_STRIP", "turn 7"), sample()) == {"m13", "m14"}
    assert row_of("nowhere", sample()) is None
    assert members_of(None, sample()) == frozenset()
    assert row_of("m13", chat_of()) is None
