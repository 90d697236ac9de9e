"""What programs read of each command is what its schema says: a new name in it is a new version."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.cli.test_inspect import access, inspect
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import calls, words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.history_access import MemoryAccess
from tests.fakes.loop import in_loop
from tests.fakes.schemas import NAMES, problems, schema
from tests.fakes.secret_texts import GITHUB
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import fake_builder
from tests.trajectories.cases import case_names, load_case
from tests.trajectories.support import builder, run
from workbench.cli.ask.asking import Asking, Text
from workbench.cli.ask.json_lines import turn_line
from workbench.cli.replay.command import compact_reports
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.context.report import REPORT_FORMAT
from workbench.domain.answer import Failure, FailureKind, Finished, FinishReason, TextGrew, UsageReported
from workbench.domain.caching import CacheForecast, Limit, ProviderSays, Verdict
from workbench.domain.change import CauseName, Change
from workbench.domain.envelope import WireLayout
from workbench.domain.mcp_server import ServerState, ToolState
from workbench.domain.model import Truncation
from workbench.domain.outcome import CacheResult, EndState, Timings, TurnOutcome
from workbench.domain.recall import WordKind
from workbench.domain.secrets import SecretKind
from workbench.domain.segment import Form, LayerName
from workbench.domain.usage import Cost, Usage
from workbench.engine.replay import Extract, replay_turns

__all__ = ["access"]

Json = dict[str, Any]
Capture = pytest.CaptureFixture[str]


def owned(part: object) -> list[Json]:
    """Every object with names of ours in a schema."""
    if isinstance(part, list):
        return [found for one in part for found in owned(one)]
    if not isinstance(part, dict):
        return []
    own = [part] if "properties" in part and part.get("type") == "object" else []
    return own + [found for one in part.values() for found in owned(one)]


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one_and_leaves_nothing_open(name: str):
    Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$id"] == f"urn:context-workbench:schema:{name}:1"
    assert owned(schema(name))
    assert all(part["additionalProperties"] is False for part in owned(schema(name)))


def test_words_to_choose_from_are_the_program_s():
    defs, line, told = schema("replay")["$defs"], schema("ask")["properties"], schema("ask")["$defs"]
    pairs = [
        (defs["layer_name"], LayerName), (defs["segment"]["properties"]["form"], Form),
        (defs["matched_word"]["properties"]["kind"], WordKind), (defs["cause"]["properties"]["cause"], CauseName),
        (defs["prefix"]["properties"]["change"], Change), (defs["turn"]["properties"]["layout"], WireLayout),
        (line["state"], EndState), (told["cache"]["properties"]["limit"], Limit),
        (told["error"]["properties"]["kind"], FailureKind), (told["secret"]["properties"]["kind"], SecretKind),
    ]  # fmt: skip
    for part, literal in pairs:
        assert part["enum"] == list(get_args(literal))
    assert line["finish_reason"]["enum"] == [*get_args(FinishReason), None]
    assert told["cache"]["properties"]["verdict"]["enum"] == [*get_args(Verdict), None]
    assert schema("replay")["properties"]["format"] == {"const": REPORT_FORMAT}
    tools = schema("tools")["$defs"]
    assert tools["look"]["properties"]["state"]["enum"] == list(get_args(ServerState))
    assert tools["tool"]["properties"]["state"]["enum"] == list(get_args(ToolState))


@pytest.mark.parametrize("name", case_names())
def test_reports_of_trajectories_fit(name: str):
    turns = run(load_case(name))
    assert problems("replay", {"format": REPORT_FORMAT, "turns": turns}) == []
    assert problems("replay", {"format": REPORT_FORMAT, "turns": list(compact_reports(turns))}) == []


@pytest.mark.parametrize("name", case_names()[::8])
def test_reports_in_figures_fit(name: str):
    turns = list(replay_turns(parse_trajectory(load_case(name)), builder(), Extract(brief=True)))
    assert problems("replay", {"format": REPORT_FORMAT, "turns": turns}) == []


def test_a_new_name_does_not_fit():
    turns = deepcopy(run(load_case(case_names()[0])))
    turns[0]["layers"][0]["new"] = 1
    assert problems("replay", {"format": REPORT_FORMAT, "turns": turns})
    assert problems("ask", {**turn_line("talk", TurnOutcome("complete"), None), "new": 1})


@pytest.mark.parametrize(
    "more", [(), ("--turn", "1"), ("--turn", "2", "--diff", "1"), ("--diff", "2"), ("--facts",)]
)
def test_inspected_requests_fit(access: MemoryAccess, more: tuple[str, ...], capsys: Capture):
    assert inspect(access, "talk", *more, "--json") == 0
    assert problems("inspect", json.loads(capsys.readouterr().out)) == []


CACHE = CacheResult(
    CacheForecast("p", 10, 5, 2, 0.1, 30.0, "cold", exact=True), 8, "less", ProviderSays("tools_changed", 3)
)
OUTCOMES = (
    TurnOutcome("complete", "Yes.", "stop", usage=Usage(9, 1, 2, 3, 4, 5), cache=CACHE, cost=Cost(0.1, "2026-11")),
    TurnOutcome("complete", "Yes.", "length", truncated=Truncation(9_000, 4_000), removed_marks=("<|im_end|>",)),
    TurnOutcome("complete", "Yes.", cache=replace(CACHE, says=None, forecast=CacheForecast("p", 0, 0))),
    TurnOutcome("stopped", "Ye", timings=Timings(1.0, 2.0, 3.0), asked=1),
    TurnOutcome("interrupted", "Ye", failure=Failure("network", "Cut.")),
    TurnOutcome("failed", failure=Failure("rate", "Wait.", retry_after_s=2.5)),
    TurnOutcome("failed", failure=Failure("context", "Too long.", limit_tokens=8, asked_tokens=9)),
    TurnOutcome("failed", failure=Failure("auth", "No key.", keyless=True)),
)  # fmt: skip


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_end_of_a_turn_fits(outcome: TurnOutcome):
    assert problems("ask", turn_line("talk", outcome, None, 0.1)) == []


def test_lines_of_asked_turns_fit(capsys: Capture):
    """With tools, with a secret, with more cached than was sent, and failed."""

    @in_loop
    async def ask() -> None:
        box = FakeToolbox()
        made = fake_builder(WORD_MODEL)
        made.guard.prefer("replace")
        bench = fake_bench(
            calls(("read", '{"path": "a.txt"}')),
            words("Done."),
            [TextGrew("Yes."), UsageReported(Usage(100, 180, completion_tokens=1)), Finished("stop")],
            [Failure("server", "No.")],
            toolbox=box,
            builder=made,
        )
        await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
        questions = [Text("Read it."), Text(f"And {GITHUB}?"), Text("Well?")]
        await Asking(json=True, allow=False).all(questions, "talk", bench.workbench)

    ask()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["state"] for line in lines] == ["complete", "complete", "failed"]
    assert lines[1]["secrets"]
    for line in lines:
        assert problems("ask", line) == []
        assert line["report"] is None or problems("inspect", line["report"]) == []
