"""Tools, rules and servers of the chat in view, over a real engine."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.engine import SETTINGS
from tests.fakes.given import TOOLS
from tests.fakes.qt_loop import in_qt_loop, until
from tests.ui.window.test_session import at_work
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ApprovalRule
from workbench.domain.workspace import Fact
from workbench.engine.intents import SendMessage
from workbench.engine.workspace_intents import ReviseWorkspace
from workbench.ui.window.chat_tools import ChatTools


def toolable(tools: bool) -> ContextSettings:
    if not tools:
        return SETTINGS
    return replace(SETTINGS, tools=TOOLS[:1], tool_guidelines="Look first.")


@in_qt_loop
async def test_tools_are_switched_on_in_a_chat_and_are_in_its_next_request_at_once(qapp):
    async with at_work() as working:
        session = working.session

        def has() -> tuple[int, int]:
            """How many tools the chat has, and what its next request costs."""
            chat = session.chat
            assert chat is not None
            assert chat.view is not None
            return len(chat.chat.settings.tools), chat.view.total_tokens

        await until(lambda: session.chat is not None and session.chat.view is not None)
        assert session.chat is not None
        before, plain = session.chat.chat.settings, has()[1]
        session.given = replace(session.given, new_chat_settings=toolable)
        working.actions.run("tools")
        dialog = working.actions._tools._tools
        assert dialog is not None
        assert dialog.folder.text() == "Built-in tools stay inside /home/ada/app"
        await until(lambda: bool(dialog.groups.tools["write"].figure.text()))
        assert dialog.sum.text() == "all off"
        dialog.groups.heads[""].switch.click()
        await until(lambda: has()[0] == len(TOOLS) and has()[1] > plain)
        await until(lambda: session.window.chat.head.tools.text() == "Tools: 3")
        dialog.groups.tools["write"].switch.click()
        await until(lambda: has()[0] == 2)
        assert session.chat.chat.settings.tool_guidelines == "Look first."
        working.actions.run("undo")
        await until(lambda: has()[0] == 3)
        await until(lambda: bool(dialog.groups.heads[""].switch.isChecked()))
        dialog.groups.heads[""].switch.click()
        await until(lambda: has() == (0, plain))
        assert session.chat.chat.settings == before
        dialog.close()


@in_qt_loop
async def test_rules_of_a_chat_are_kept_and_taken_back(qapp):
    async with at_work() as working:
        session = working.session
        await until(lambda: session.chat is not None and session.chat.view is not None)
        session.send(SendMessage(session.chat_id, "Well?"))
        await until(lambda: session.chat is not None and session.chat.ended is not None)

        def rules() -> tuple[ApprovalRule, ...]:
            assert session.chat is not None
            return session.chat.chat.filed.rules

        working.actions.run("approval")
        dialog = working.actions._tools._tools
        assert dialog is not None
        assert dialog.tabs.currentIndex() == 1
        never = ApprovalRule(("rm",), decision="never")
        dialog.lists["chat"].put_rule(-1, never)
        await until(lambda: rules() == (never,))
        assert dialog.said.text() == "Done: add a rule."
        dialog.undo.click()
        await until(lambda: rules() == () and dialog.lists["chat"].count() == 0)
        dialog.lists["everywhere"].put_rule(-1, never)
        await until(lambda: session.state.everywhere.rules == (never,))
        was = session.state.everywhere
        session.send(ReviseWorkspace(was, replace(was, facts=(Fact("f", "Said since."),))))
        await until(lambda: bool(session.state.everywhere.facts))
        dialog.undo.click()
        await until(lambda: session.state.everywhere.rules == ())
        assert session.state.everywhere.facts, "only the rule is taken back"
        dialog.close()


@in_qt_loop
async def test_another_folder_is_a_preference_and_servers_need_a_workspace(qapp):
    async with at_work() as working:
        tools = working.actions._tools
        assert isinstance(tools, ChatTools)
        tools._set_folder("/elsewhere")
        await until(lambda: working.session.state.preferences.workspace == "/elsewhere")
        tools.act("add")
        assert "belong to a workspace" in working.session.window.toast.text()
        tools.from_server()
        assert "has no servers" in working.session.window.toast.text()
