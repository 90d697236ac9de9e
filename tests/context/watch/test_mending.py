"""A finding names the line by which its program mends it; what the next run saved is measured in what it sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.fakes.passing import (
    MINUTE,
    STARTED,
    Watch,
    answered,
    call,
    events,
    message_events,
    messages,
    passed,
    said,
    text,
    tool,
    understanding,
)  # fmt: skip
from workbench.context.watch.lines import json_line
from workbench.context.watch.mending import promise_of, with_saving
from workbench.domain.watch.request import Finding, FindingKind, Mend, WatchedTurn
from workbench.domain.watch.rules import RuleOutcome
from workbench.domain.watch.switch import between
from workbench.providers.clients import load_clients
from workbench.sources.resources import resource_path

CLIENTS = load_clients(resource_path("clients.toml"))
NAMES = ("Read", "Workflow", "mcp__notes__find", "mcp__notes__add")
CLAUDE, OLD, CODEX = "claude-cli/2.1.327", "claude-cli/2.1.197", "codex_exec/0.169.0"


def tools(names: Iterable[str]) -> list[dict[str, Any]]:
    return [tool(name, f"{name} something in the folder. " * 150) for name in names]


def talk(
    watch: Watch,
    client: str = CLAUDE,
    names: Iterable[str] = NAMES,
    asked: str = "One?",
    many: int = 6,
    **fields: Any,
) -> WatchedTurn:
    """The last of so many requests of a conversation; the first one reads a file."""
    headers = (("user-agent", f"{client} (external)"), ("x-claude-code-session-id", asked))
    said_so, turn = [said("user", asked)], None
    for n in range(many):
        blocks = (call("Read", "t1", file_path="a.py"),) if not n else (text("So."),)
        answer = events(message_events(*blocks)) if not n else answered()
        turn = watch.take(*said_so, headers=headers, tools=tools(names), answer=answer, **fields)
        back = {"type": "tool_result", "tool_use_id": "t1", "content": "pass"}
        said_so += [said("assistant", *blocks), said("user", back if not n else "Go on.")]
    assert turn is not None
    return turn


def of_kind(turn: WatchedTurn, kind: FindingKind) -> Finding:
    return next(one for one in turn.findings if one.kind == kind)


def lines(turn: WatchedTurn, kind: FindingKind = "unused_tools") -> list[str]:
    return [one.line for one in of_kind(turn, kind).mends]


def test_claude_code_is_told_which_tools_to_leave_out():
    turn = talk(Watch(clients=CLIENTS))
    found = of_kind(turn, "unused_tools")
    first, second = found.mends

    assert first == Mend(
        "Claude Code", "claude --disallowedTools Workflow,mcp__notes__find,mcp__notes__add", found.tokens
    )
    assert second.line == "claude --strict-mcp-config"
    assert 0 < second.tokens < first.tokens


def test_a_switch_is_only_for_the_versions_that_have_it():
    watch = Watch(clients=CLIENTS)

    assert "ENABLE_TOOL_SEARCH=true claude" in lines(talk(watch, OLD))
    assert lines(talk(watch, "claude-cli/1.0.9", asked="Two?")) == []
    assert lines(talk(watch, "aider/0.86", asked="Three?")) == []


def test_a_server_of_which_one_tool_was_called_stays():
    """Switching the whole server off would take a tool away that the work needs."""
    turn = talk(Watch(clients=CLIENTS), names=("Read", "mcp__a__x", "mcp__b__y"))
    assert "claude --strict-mcp-config" in lines(turn)
    watch = Watch(clients=CLIENTS)
    headers = (("user-agent", CODEX),)
    answer = events(message_events(call("mcp__a__x", "t1")))
    own = tools(("mcp__a__x", "mcp__a__z", "mcp__b__y"))
    for n in range(6):
        turn = watch.take(
            *[said("user", f"{n}?") for n in range(n + 1)],
            headers=headers,
            tools=own,
            answer=b"" if n else answer,
        )

    assert lines(turn) == ["codex -c mcp_servers.b.enabled=false"]


def test_a_changed_model_is_mended_by_the_first_one():
    system = [text("word " * 3000, mark=True)]
    first = said("user", "One?")
    headers = (("user-agent", CLAUDE), ("x-claude-code-session-id", "m"))
    watch = Watch(clients=CLIENTS)
    watch.take(first, system=system, headers=headers)
    turn = watch.take(
        first,
        said("assistant", "So."),
        said("user", "Two?"),
        system=system,
        headers=headers,
        model="claude-sonnet-5",
    )
    assert lines(turn, "prefix_lost") == ["claude --model claude-opus-4-8"]


def test_a_cold_resume_is_mended_by_a_longer_lifetime():
    watch = Watch(clients=CLIENTS)
    system, headers = [text("word " * 6000, mark=True)], (("user-agent", CLAUDE),)
    watch.take(said("user", "One?"), system=system, headers=headers, at=STARTED)
    turn = watch.take(
        said("user", "One?"), said("assistant", "It is so."), said("user", "Two?"),
        system=system, headers=headers, at=STARTED + 61 * MINUTE,
    )  # fmt: skip

    assert lines(turn, "cold_resume") == ["ENABLE_PROMPT_CACHING_1H=1 claude"]


def test_the_next_run_says_what_was_really_saved():
    watch = Watch(clients=CLIENTS)
    promised = of_kind(talk(watch), "unused_tools")
    turn = talk(watch, names=("Read", "mcp__notes__find"), asked="Again?", many=1)

    saved = of_kind(turn, "saved")
    assert saved.words.startswith(
        f"Saved {saved.tokens:,} of {promised.tokens:,} tokens a request: 2 tools fewer"
    )
    assert 0 < saved.tokens < promised.tokens
    document = json_line(turn)["findings"]
    assert isinstance(document, list)
    assert document[0]["words"] == saved.words


@pytest.mark.parametrize(
    "fields",
    [
        {"client": "aider/0.86"},
        {"model": "claude-sonnet-5"},
        {"names": NAMES},
        {"names": ()},
    ],
    ids=["another program", "another model", "the same tools", "a request on the side"],
)
def test_what_is_no_saving(fields: dict[str, Any]):
    watch = Watch(clients=CLIENTS)
    talk(watch)
    turn = talk(watch, **{"names": ("Read",), "asked": "Again?", "many": 1, **fields})

    assert [one for one in turn.findings if one.kind == "saved"] == []


def test_what_a_rule_takes_out_on_the_way_is_no_saving_of_the_programs_own():
    watch = understanding(clients=CLIENTS)

    def last(n: int, names: Iterable[str], *rules: RuleOutcome) -> WatchedTurn:
        headers = (("user-agent", CLAUDE), ("x-claude-code-session-id", f"s{n // 10}"))
        said_so = [said("user", f"{one}?") for one in range(n // 10 * 10, n + 1)]
        body = messages(*said_so, tools=tools(names))
        turn = watch.take(passed(n, "anthropic", body, answered(), headers=headers, rules=rules))
        assert turn is not None
        return turn

    turns = [last(n, NAMES) for n in range(10, 16)]
    assert of_kind(turns[-1], "unused_tools").tokens
    ruled = last(20, ("Read",), RuleOutcome("tools.without", "applied"))
    own = last(30, ("Read",))

    assert "saved" not in [one.kind for one in ruled.findings]
    assert "saved" in [one.kind for one in own.findings]


def test_the_first_conversation_of_a_program_has_nothing_to_be_measured_by():
    turn = talk(Watch(clients=CLIENTS))

    assert with_saving(turn, None) is turn
    assert promise_of(turn) is not None
    assert promise_of(talk(Watch(), many=1)) is None


def test_every_line_says_with_which_versions_it_was_tried():
    for one in CLIENTS.switches:
        assert one.tried, one.line
        assert all(between(version, one.since, one.until) for version in one.tried), one.line
    assert {one.kind for one in CLIENTS.sessions} == {"claude", "codex"}


@pytest.mark.parametrize(
    ("version", "known"),
    [("2.1.327", True), ("2.1.196", False), ("2.1.197", True), ("2.10.0", True), ("3.0", True), ("", False)],
)
def test_versions_are_compared_by_their_numbers(version: str, known: bool):
    assert between(version, "2.1.197", "") is known
