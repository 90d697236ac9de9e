"""What is left out, as a list from which it is put back."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.message import Message
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.steps import Step
from workbench.ui.window.chat_actions import left_out_commands

SAMPLE = sample_state().open[CHAT]
MESSAGE = next(one.id for one in SAMPLE.records if isinstance(one.entry, Message))
FILE = SAMPLE.conversation.attached[0].key


def without(*keys: str) -> ChatState:
    tuning = replace(SAMPLE.conversation.tuning, excluded=frozenset(keys))
    return replace(SAMPLE, conversation=replace(SAMPLE.conversation, tuning=tuning))


def test_a_message_and_a_file_that_are_left_out_are_listed_and_put_back(qapp: object):
    done: list[Step | None] = []
    every, message, file = left_out_commands(without(MESSAGE, FILE), done.append)
    assert every.title == "Put back all 2"
    assert file.line == "attachment"
    for command in (message, file, every):
        command.run()
    assert [step.do for step in done if step is not None] == [
        (TuneMessages(CHAT, put_back=frozenset((MESSAGE,))),),
        (TuneMessages(CHAT, put_back=frozenset((FILE,))),),
        (
            TuneMessages(
                CHAT,
                put_back=frozenset(
                    (
                        MESSAGE,
                        FILE,
                    )
                ),
            ),
        ),
    ]


def test_nothing_is_listed_where_nothing_is_left_out_or_it_is_on_another_branch(qapp: object):
    assert left_out_commands(None, lambda step: None) == ()
    assert left_out_commands(without(), lambda step: None) == ()
    assert left_out_commands(without("of another branch"), lambda step: None) == ()
