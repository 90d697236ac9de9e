"""What is left out, as a list from which it is put back."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.sample_state import CHAT, sample_state
from tests.ui.window.test_session import at_work
from workbench.domain.message import Message
from workbench.domain.variant import Variant
from workbench.engine.intents import SendMessage
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.inspector.compare.page import ComparePage
from workbench.ui.steps import Step
from workbench.ui.window.actions import left_out_commands
from workbench.ui.window.session import Session
from workbench.ui.wishes import CompareRequest

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


@in_qt_loop
async def test_a_turn_is_compared_with_other_settings_and_one_of_them_applied_in_one_step(qapp):
    async with at_work() as working:
        session, inspector = working.session, working.session.window.inspector
        session.send(SendMessage(session.chat_id, "What is this?"))
        await until(
            lambda: session.chat is not None and bool(session.chat.turns) and session.chat.running is None
        )
        log = Variant("Log", {"layout": "append_only"})
        working.actions.run(CompareRequest(1, log))
        await until(lambda: compared(session) == ["As sent", "Log"])
        assert inspector.page() == "compare"
        working.actions.run(CompareRequest(variant=log))
        await until(lambda: compared(session) == ["As sent", "Log", "Log 2"])
        page = inspector.pages.page("compare")
        assert isinstance(page, ComparePage)
        await until(page.apply.isEnabled)
        page.apply.click()
        await until(lambda: layout(session) == "append_only")
        session.undo.undo()
        await until(lambda: layout(session) != "append_only")
        page.diff.click()
        await until(lambda: session.chat is not None and session.chat.compared is not None)
        assert inspector.page() == "diff"
        working.actions.run("compare")
        assert inspector.page() == "compare"


def compared(session: Session) -> list[str]:
    chat = session.chat
    return [] if chat is None or chat.comparison is None else [one.name for one in chat.comparison.columns]


def layout(session: Session) -> str:
    return "" if session.chat is None else session.chat.chat.settings.layout
