"""What a chat's own settings become in its workspace."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.codec import decode, encode
from workbench.domain.mcp_server import McpServer, McpTool
from workbench.domain.settings.context_settings import ContextSettings, Joining, PersonaSources
from workbench.domain.tool import ApprovalRule
from workbench.domain.workspace import (
    EVERYWHERE,
    RATES,
    Accepted,
    Fact,
    Filed,
    Surroundings,
    Workspace,
    filled,
    is_template,
    memory_text,
    moment_values,
    revised,
    template_of,
    used,
    workspace_of_template,
)

OWN = ContextSettings(persona=PersonaSources("Be kind.", user="Be brief."), persona_mode="add")
AUTH = Workspace(
    "w1",
    "Auth",
    instructions="Python 3.11 in {{workspace}}.",
    project="Run the tests.",
    facts=(Fact("f1", "Tokens live 900 s."), Fact("f2", "SKEW is 30 s.", suggested=True)),
)
EVERYONE = Workspace(EVERYWHERE, facts=(Fact("f0", "I write British English.\nAlways."),))
AROUND = Surroundings(EVERYONE, AUTH, {"workspace": "Auth"})


def test_without_a_workspace_the_settings_are_the_chats_own():
    assert Surroundings().around(OWN) is OWN


def test_a_workspace_adds_its_instructions_between_the_default_ones_and_the_chats():
    assert AROUND.around(OWN).persona_text == "Be kind.\n\nPython 3.11 in Auth.\n\nBe brief."


def test_a_workspace_may_replace_the_default_instructions():
    place = replace(AUTH, joining="replace")
    assert Surroundings(EVERYONE, place).around(OWN).persona_text == (
        "Python 3.11 in {{workspace}}.\n\nBe brief."
    )


def test_a_chat_may_replace_all_instructions():
    chat = replace(OWN, persona=replace(OWN.persona, user_joining="replace"))
    assert AROUND.around(chat).persona_text == "Be brief."


def test_facts_for_all_come_first_and_suggestions_not_at_all():
    made = AROUND.around(replace(OWN, user_memory="- Only here."))
    assert made.user_memory == ("- I write British English.\n  Always.\n- Tokens live 900 s.\n- Only here.")
    assert made.project_instructions == "Run the tests."


def test_facts_without_words_are_no_lines():
    assert memory_text(["", "  ", "a"]) == "- a"


@given(
    st.sampled_from(["", "own", "{{workspace}}"]),
    st.sampled_from(["", "place {{workspace}}"]),
    st.sampled_from(["replace", "add"]),
    st.lists(st.text(alphabet="ab \n", max_size=6), max_size=3),
)
def test_completed_twice_is_completed_once(own: str, place: str, joining: Joining, facts: list[str]):
    there = Workspace(
        "w",
        "W",
        instructions=place,
        joining=joining,
        facts=tuple(Fact(str(n), f) for n, f in enumerate(facts)),
    )
    around = Surroundings(EVERYONE, there, {"workspace": "W"})
    once = around.around(ContextSettings(persona=PersonaSources(user=own), user_memory=own))
    assert around.around(once) == once


def test_a_template_is_told_by_its_id():
    assert is_template(template_of("w1"))
    assert workspace_of_template(template_of("w1")) == "w1"
    assert not is_template("w1")


def test_what_is_kept_comes_back_as_it_was():
    kept = replace(AUTH, accepted=(Accepted("AGENTS.md", "ab"),), offered="/old", deleted_utc="2026-01-01")
    assert decode(Workspace, encode(kept)) == kept
    filed = Filed("w1", pinned=True, archived_utc="2026-01-01", tags=("a", "b"))
    assert decode(Filed, encode(filed)) == filed
    assert decode(Filed, {}) == Filed()


def rule(tool: str) -> ApprovalRule:
    return ApprovalRule((tool,), decision="never")


def test_taking_back_one_rule_or_one_tool_leaves_what_came_meanwhile():
    """Were whole lists put back, a rule, a server and an approval that came since would be gone."""
    tool = McpTool("add", "sums__add")
    before = Workspace(
        "w", rules=(rule("read"),), servers=(McpServer("sums", "sums"), McpServer("old", "old"))
    )
    barred = replace(before.servers[0], tools_off=frozenset({"add"}))
    after = replace(before, rules=(rule("write"), rule("read")), servers=(barred, before.servers[1]))
    now = replace(
        after,
        instructions="Written since",
        rules=(rule("ls"), *after.rules),
        servers=(replace(barred, approved=(tool,)), McpServer("new", "new")),
    )
    back = revised(now, after, before)
    assert back.instructions == "Written since"
    assert back.rules == (rule("ls"), rule("read"))
    assert back.servers == (McpServer("sums", "sums", approved=(tool,)), McpServer("new", "new"))
    assert revised(back, before, after).rules == (rule("write"), rule("ls"), rule("read"))


def test_rules_that_were_moved_are_moved_back_around_one_that_came_meanwhile():
    before = Workspace("w", rules=(rule("a"), rule("b"), rule("c")))
    after = replace(before, rules=(rule("c"), rule("a"), rule("b")))
    now = replace(after, rules=(rule("new"), *after.rules))
    assert revised(now, after, before).rules == (rule("new"), rule("a"), rule("b"), rule("c"))
    assert revised(before, before, after) == after


# Variables: what they become, and which of them make a cached beginning change.


NOW = {
    "workspace": "Auth",
    "files": "api.md, spec.md",
    **moment_values(datetime(2026, 11, 16, 14, 5, tzinfo=UTC)),
}


def test_variables_become_what_they_stand_for():
    text = "It is {{weekday}}, {{ date }}, {{TIME}}. In {{workspace}}: {{files}}."
    assert filled(text, NOW) == "It is Monday, 2026-11-16, 14:05. In Auth: api.md, spec.md."


def test_what_nobody_knows_stays_as_it_is_written():
    text = "{{topic}} {date} {{}} {{ two\nlines }} {{date"
    assert filled(text, NOW) == text


def test_each_one_is_found_where_it_stands_with_its_rate():
    text = "a {{date}} b {{topic}} {{time}}"
    found = used(text, NOW)
    assert [(one.name, one.value, one.rate) for one in found] == [
        ("date", "2026-11-16", "day"),
        ("topic", None, "never"),
        ("time", "14:05", "turn"),
    ]
    assert [text[one.start : one.end] for one in found] == ["{{date}}", "{{topic}}", "{{time}}"]


@given(st.text(alphabet="{} datefils\n", max_size=60))
def test_filling_again_changes_nothing(text: str):
    once = filled(text, NOW)
    assert filled(once, NOW) == once


def test_everything_the_program_fills_has_a_rate():
    assert set(NOW) <= set(RATES)
