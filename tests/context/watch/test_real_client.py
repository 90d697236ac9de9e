"""Claude Code 2.1.197, `claude -p` and then `claude -p --continue`: its requests with our own words, of the same sizes.

The answer said another model than was asked for, so the second request took that one, and with it other instructions.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.passing import Watch, answered, said, text, tool
from workbench.domain.watch.request import WatchedTurn

FIRST = {
    "Agent": 1227, "Bash": 1218, "CronCreate": 2924, "CronDelete": 167, "CronList": 106, "Edit": 360,
    "EnterWorktree": 3031, "ExitWorktree": 1923, "NotebookEdit": 619, "Read": 838, "ReportFindings": 574,
    "ScheduleWakeup": 2802, "SendMessage": 655, "Skill": 1713, "TaskCreate": 2146, "TaskGet": 732, "TaskList": 998,
    "TaskOutput": 1049, "TaskStop": 203, "TaskUpdate": 2243, "WebFetch": 374, "WebSearch": 311, "Workflow": 18780,
    "Write": 240,
}  # fmt: skip
LONGER = {
    "Agent": 5454,
    "Bash": 10397,
    "Edit": 1094,
    "Read": 1830,
    "WebFetch": 1479,
    "WebSearch": 1321,
    "Write": 618,
}
SESSION = (("user-agent", "claude-cli/2.1.197 (external, sdk-cli)"), ("x-claude-code-session-id", "s1"))
ASKED = "What does a.py do?"


def words(size: int, about: str) -> str:
    """A text of so many characters."""
    return (f"{about} does what it says and no more. " * (size // 20 + 1))[:size]


def system(size: int, suffix: str) -> list[dict[str, Any]]:
    head = text(f"x-anthropic-billing-header: cc_version=2.1.197.{suffix}; cc_entrypoint=sdk-cli;")
    return [head, text("You are an agent of a kit.", mark=True), text(words(size, "The agent"), mark=True)]


def tools(sizes: dict[str, int]) -> list[dict[str, Any]]:
    return [tool(name, words(size, name)) for name, size in sizes.items()]


def reminder(size: int, about: str) -> dict[str, Any]:
    return text(f"<system-reminder>\n{words(size - 37, about)}\n</system-reminder>")


@pytest.fixture
def turns() -> list[WatchedTurn]:
    watch = Watch()
    date = reminder(306, "A date")
    first = watch.take(
        said("user", date, text(ASKED, mark=True)),
        {"role": "system", "content": words(6062, "An agent")},
        model="claude-opus-4-8",
        system=system(5682, "8a5"),
        tools=tools(FIRST),
        thinking={"type": "adaptive"},
        headers=SESSION,
        answer=answered("It adds two numbers."),
    )
    second = watch.take(
        said("user", reminder(1579, "An agent"), reminder(4556, "A skill"), date, ASKED),
        said("assistant", "It adds two numbers."),
        said("user", text("And what does it print?", mark=True)),
        model="claude-sonnet-4-5-20250929",
        system=system(26425, "f9d"),
        tools=tools({**FIRST, **LONGER}),
        thinking={"type": "enabled", "budget_tokens": 31999},
        headers=SESSION,
    )
    return [first, second]


def test_the_second_request_is_of_the_same_conversation(turns: list[WatchedTurn]):
    assert len({one.conversation for one in turns}) == 1
    assert {one.client for one in turns} == {"claude-cli/2.1.197"}
    assert {one.session for one in turns} == {"s1"}


def test_model_tools_and_system_prompt_are_named_and_the_whole_prefix_is_lost(turns: list[WatchedTurn]):
    against = turns[1].against

    assert against.relation == "changed"
    assert against.causes[:3] == ("model", "tools", "system")
    assert against.words[:3] == (
        "The model changed from claude-opus-4-8 to claude-sonnet-4-5-20250929.",
        "The descriptions of 7 tools changed: Agent, Bash, Edit, Read, WebFetch and 2 more.",
        "system[2].text has 26,425 characters in place of 5,682.",
    )
    assert against.lost_tokens == turns[0].request.tokens
    assert turns[1].forecast is not None
    assert turns[1].forecast.predicted_read_tokens == 0


def test_it_is_the_first_finding(turns: list[WatchedTurn]):
    found = turns[1].findings[0]

    assert found.kind == "prefix_lost"
    assert found.advice == "Keep one model for a conversation: caches are kept by model."
    assert found.usd is not None


def test_most_of_the_request_is_tools(turns: list[WatchedTurn]):
    tokens = {
        kind: sum(one.tokens for one in turns[0].request.pieces if one.kind == kind)
        for kind in ("tool", "system")
    }

    assert tokens["tool"] > 3 * tokens["system"]


def test_the_line_that_anthropic_takes_out_is_no_cause_of_its_own():
    """Its version changes from run to run, and the cache still hits."""
    watch = Watch()
    turns = [
        watch.take(*talk, system=system(5682, suffix), tools=tools(FIRST), headers=SESSION)
        for talk, suffix in [
            ((said("user", ASKED),), "8a5"),
            ((said("user", ASKED), said("assistant", "So."), said("user", "And?")), "f9d"),
        ]
    ]

    assert turns[1].against.relation == "extended"
    assert turns[1].forecast is not None
    assert turns[1].forecast.predicted_read_tokens > 0
