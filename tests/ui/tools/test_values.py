"""The tools that a chat may have, as values."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.given import TOOLS
from tests.fakes.tools_shown import DELETE, GITHUB, ISSUE, MERGE, SEARCH, WORK, tools_chat, tools_state
from workbench.domain.workspace import template_of
from workbench.ui.tools.values import definitions, tool_groups, tools_after, unbarred, workspace_of


def test_groups_are_the_programs_own_and_one_for_each_server():
    own, github, postgres, sentry = tool_groups(tools_state(), tools_chat(), TOOLS)
    assert [group.key for group in (own, github, postgres, sentry)] == ["", "github", "postgres", "sentry"]
    assert ([tool.name for tool in own.on], own.tokens) == (["ls", "read"], 30)
    assert [tool.state for tool in github.tools] == ["changed", "approved", "approved", "new"]
    assert ([tool.title for tool in github.on], github.tokens) == (["create_issue"], 50)
    assert [tool.name for tool in github.waiting] == ["search_code", "delete_repo"]
    assert (postgres.state, postgres.problem.splitlines()[-1]) == ("failed", "FATAL: no such host")
    assert (sentry.usable, sentry.tokens, sentry.tokens_when_on) == ((), 0, 80)
    assert len(definitions((own, github))) == 7


def test_what_is_switched_changes_and_the_rest_stays():
    chat = tools_chat()
    groups = tool_groups(tools_state(), chat, TOOLS)
    # A tool of another program, which came with an imported chat.
    held = (*chat.chat.settings.tools, replace(TOOLS[0], name="foreign"))
    on = tools_after(groups, held, [MERGE.called, "write"], True)
    assert [tool.name for tool in on] == ["ls", "read", "write", ISSUE.called, MERGE.called, "foreign"]
    off = tools_after(groups, held, ["ls", "read", "write"], False)
    assert [tool.name for tool in off] == [ISSUE.called, "foreign"]


def test_a_tool_that_is_another_one_now_is_not_on_though_the_chat_has_it():
    chat = tools_chat()
    tools = (SEARCH.definition, DELETE.definition)
    chat = replace(chat, chat=replace(chat.chat, settings=replace(chat.chat.settings, tools=tools)))
    _, github, *_ = tool_groups(tools_state(chat), chat, ())
    assert github.on == ()


def test_a_template_is_of_its_workspace():
    chat = tools_chat().chat
    template = replace(chat, id=template_of("w"), filed=replace(chat.filed, workspace=""))
    assert workspace_of(tools_state(), template) == WORK
    assert workspace_of(tools_state(), replace(chat, filed=replace(chat.filed, workspace=""))) is None


def test_a_tool_that_is_off_for_all_chats_can_be_switched_on():
    """A switch must not only write down what the workspace then takes away."""
    barred = replace(WORK, servers=(replace(GITHUB, tools_off=frozenset({"merge"})),))
    chat = tools_chat()
    held = (ISSUE.definition, MERGE.definition)
    chat = replace(chat, chat=replace(chat.chat, settings=replace(chat.chat.settings, tools=held)))
    groups = tool_groups(replace(tools_state(chat), workspaces={"w": barred}), chat, ())
    assert [tool.name for tool in groups[1].on] == [ISSUE.called]
    assert tools_after(groups, held, [ISSUE.called], False) == ()
    wanted = tools_after(groups, held, [MERGE.called], True)
    assert [tool.name for tool in wanted] == [ISSUE.called, MERGE.called]
    free = unbarred(barred, wanted)
    assert free is not None
    assert free.servers[0].tools_off == frozenset()
    assert unbarred(barred, (ISSUE.definition,)) is None
