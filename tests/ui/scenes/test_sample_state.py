"""The state behind the pictures."""

from __future__ import annotations

from workbench.ui.scenes.sample_state import CHAT, sample_state, sample_trial, waiting_tool


def test_the_chat_is_whole():
    chat = sample_state().open[CHAT]
    assert sum(row.tokens for row in chat.attachments) == 25_695
    assert {row.key for row in chat.attachments} == {artifact.key for artifact in chat.conversation.attached}
    assert chat.versions["m16"][1] == "m16"


def test_the_trial_and_the_tool():
    assert sample_trial().lost_tokens == 2_370
    running = waiting_tool(sample_state().open[CHAT]).running
    assert running is not None
    assert running.tools[0].outcome is None
