"""`workbench watch rules`, and what one watch makes of the rules that are kept and those that are named."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.history_access import MemoryAccess, history_parts
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.cli.main import run
from workbench.cli.services import Services
from workbench.cli.watch.rules import watch_rules
from workbench.domain.errors import InvalidInput
from workbench.domain.watch.rules import RULE_NAMES, Rule, merged, parse_rule, without
from workbench.engine.watch.stored_requests import Keeper


class Kept:
    """One store with its workspaces, as the command line sees it."""

    def __init__(self) -> None:
        self.access = MemoryAccess()
        self.places = MemoryWorkspaces(self.access.store)

    def parts(self) -> Services:
        made = history_parts(self.access)
        return replace(made, workspaces=lambda _store: self.places, new_id=lambda: "salt")

    def run(self, *argv: str) -> int:
        return run(["watch", "rules", *argv], lambda _: self.parts())

    def listed(self, capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
        capsys.readouterr()
        assert self.run("list", *argv, "--json") == 0
        return json.loads(capsys.readouterr().out)


def test_rules_are_kept_for_a_program_listed_and_removed(capsys: pytest.CaptureFixture[str]):
    kept = Kept()
    assert kept.run("add", "claude", "tools.without=CronCreate,CronDelete", "secrets.redact") == 0
    assert kept.run("add", "claude-cli", "tools.without=Workflow") == 0
    assert kept.run("add", "codex", "cache.mark") == 0
    assert [(one["program"], one["rule"]) for one in kept.listed(capsys)] == [
        ("Claude Code", "tools.without=CronCreate,CronDelete,Workflow"),
        ("Claude Code", "secrets.redact"),
        ("Codex", "cache.mark"),
    ]
    assert kept.run("remove", "claude", "tools.without=CronCreate", "secrets.redact") == 0
    assert [one["rule"] for one in kept.listed(capsys, "Claude Code")] == [
        "tools.without=CronDelete,Workflow"
    ]
    assert kept.run("remove", "claude", "tools.without") == 0
    assert kept.run("remove", "codex") == 0
    assert kept.listed(capsys) == []
    kept.run("list")
    assert "No rules. Requests pass unchanged." in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [("add",), ("add", "claude"), ("add", "claude", "tools.with=A"), ("add", "claude", "text.freeze=a b[")],
)
def test_what_is_no_rule_is_refused_and_nothing_is_kept(
    argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]
):
    kept = Kept()
    assert kept.run(*argv) == 2
    assert kept.listed(capsys) == []


def test_how_rules_are_written():
    assert parse_rule("tools.without=A, B,mcp__*") == Rule("tools.without", ("A", "B", "mcp__*"))
    assert parse_rule("tools.without A B") == Rule("tools.without", ("A", "B"))
    assert parse_rule("results.shorten tokens=300 after=2") == Rule("results.shorten", tokens=300, after=2)
    assert parse_rule("block.drop=system[0]~x-an anthropic header") == Rule(
        "block.drop", ("system[0]~x-an anthropic header",)
    )
    for name in RULE_NAMES:
        written = {"tools.without": "=A", "text.freeze": "=system", "block.drop": "=system[0]"}.get(name, "")
        assert parse_rule(parse_rule(name + written).text) == parse_rule(name + written)
    for wrong in (
        "",
        "tools",
        "tools.without",
        "secrets.redact=x",
        "results.shorten=tokens=1",
        "results.shorten=x=9",
    ):
        with pytest.raises(InvalidInput):
            parse_rule(wrong)


def test_values_of_one_rule_come_together_and_leave_one_by_one():
    rules = merged(merged((), Rule("cache.mark")), Rule("tools.without", ("A",)))
    rules = merged(rules, Rule("tools.without", ("B", "A")))
    assert [one.text for one in rules] == ["tools.without=A,B", "cache.mark"]
    assert [one.text for one in without(rules, Rule("tools.without", ("A",)))] == [
        "tools.without=B",
        "cache.mark",
    ]
    assert [one.text for one in without(rules, Rule("tools.without", ("A", "B")))] == ["cache.mark"]
    assert [one.text for one in without(rules, Rule("cache.mark"))] == ["tools.without=A,B"]


def test_one_watch_has_the_rules_that_are_kept_and_those_of_its_command_line():
    kept = Kept()
    kept.run("add", "claude", "tools.without=CronCreate")
    parts = kept.parts()
    keeper = Keeper(kept.access.store, parts.builder.catalogue)

    def rules(keeper: Keeper | None, *named: str) -> Any:
        return asyncio.run(watch_rules(argparse.Namespace(rule=[*named]), parts, keeper))

    both = rules(keeper, "tools.without=Bash", "cache.mark")
    assert [one.text for one in both.rules("Claude Code")] == ["tools.without=CronCreate,Bash", "cache.mark"]
    assert [one.text for one in both.rules("Codex")] == ["tools.without=Bash", "cache.mark"]
    assert rules(None) is None
    assert rules(None, "secrets.redact").rules("x") == (Rule("secrets.redact"),)
