"""Every reason for which a log is begun anew: named, promoting and purging, the same after the chat was closed; and
never one that does not hold."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.stores import open_store
from tests.trajectories.strategies import trajectories
from tests.trajectories.support import Json, builder, causes, file, forms, layer, run, said, trajectory
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.domain.envelope import RebuildReason
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.replay import replay_kept
from workbench.ports.history import HistoryStore

LOG: Json = {"model": "gpt-4o", "layout": "append_only", "system_prompt": "Be kind."}
ALPHA, BETA = "Alpha stands in this line.\n" * 300, "Beta stands in that line.\n" * 300
LONG_ANSWER = "A long answer. " * 120


def ask(text: str, reply: str = "Done.", **more: Any) -> Json:
    return {"user": text, "reply": [{"role": "assistant", "content": reply}], **more}


def with_files(last: Json, reply: str = "Done.") -> list[Json]:
    """Two files of which one is detached, a message that is pinned, and then the turn in question."""
    return [
        ask("One?", attach=[file("a", ALPHA), file("b", BETA)]),
        ask("Two?", reply, pin_messages=["m2"], detach=["b"]),
        last,
    ]


@dataclass(frozen=True)
class Case:
    """A reason, what brings it about in the third turn, and what is set from the start."""

    reason: str
    last: Json
    more: Json
    reply: str = "Done."

    @property
    def document(self) -> Json:
        return trajectory(*with_files(ask("Three?", **self.last), self.reply), **{**LOG, **self.more})


CASES = [
    Case("asked", {"rebuild": True}, {}),
    Case("cold", {"cold": True}, {}),
    Case("model", {"settings": {"model": "gpt-4"}}, {}),
    Case("tools", {"settings": {"tools": [{"name": "read"}]}}, {}),
    Case("instructions", {"settings": {"system_prompt": "Be brief."}}, {}),
    Case("instructions", {"settings": {"project_instructions": "Use tabs."}}, {}),
    Case("instructions", {"settings": {"user_memory": "Likes tea."}}, {}),
    Case("settings", {"settings": {"attachment_budget_tokens": 50_000}}, {}),
    Case("settings", {"settings": {"context_window": 60_000}}, {}),
    Case("settings", {"settings": {"edits": "changes"}}, {}),
    Case("settings", {"settings": {"history": {"last_n_messages": 50}}}, {}),
    Case("excluded", {"exclude_messages": ["m3"]}, {}),
    Case("history_edited", {"unpin_messages": ["m2"]}, {}),
    # Two files are 3,600 tokens, one of them 1,800: what was detached makes it too long.
    Case(
        "over_threshold",
        {"attach": [file("a", ALPHA + "newer")]},
        {"context_window": 5_000, "reserved_output_tokens": 0, "history": {"threshold": 0.8}},
    ),
    Case("over_budget", {"attach": [file("a", ALPHA + "newer")]}, {"attachment_budget_tokens": 5_000}),
    Case("over_budget", {}, {"history": {"max_tokens": 300}}, LONG_ANSWER),
    Case("over_budget", {}, {"history": {"last_n_messages": 3}}),
]


def kept(document: Json) -> list[Json]:
    """The reports of the same talk, kept in a store and read from it before every turn but the first."""
    read = parse_trajectory(document)
    again = replace(read, turns=tuple(replace(turn, reload=n > 0) for n, turn in enumerate(read.turns)))
    with tempfile.TemporaryDirectory() as folder:

        async def open_it() -> HistoryStore:
            return open_store(Path(folder) / "history.db", synchronous="OFF")

        turns: list[Json] = asyncio.run(replay_kept(again, builder(), open_it))["turns"]
    return turns


@pytest.mark.parametrize("way", [run, kept], ids=["replayed", "kept and read again"])
@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.reason} {next(iter(case.last or case.more))}"
)
def test_a_log_that_is_begun_anew_says_why_and_holds_what_counts(case: Case, way: Any):
    first, second, last = way(case.document)
    assert [one["violations"] for one in (first, second, last)] == [[], [], []]
    assert [one["rebuilt"] for one in (first, second, last)] == ["first", None, case.reason]
    assert (first["prefix"]["change"], first["prefix"]["causes"]) == ("first", [])
    assert second["prefix"]["change"] == "extended"
    assert last["prefix"]["change"] == "diverged"
    assert causes(last)[0] == ("rebuilt", case.reason)
    # Purged: what was detached is gone, and nothing of an older copy is left.
    texts = [text for _, text in said(last)]
    assert "Beta stands" in "".join(text for _, text in said(second))
    assert not any("Beta stands" in text or "No longer attached" in text for text in texts)
    # Promoted: what is attached opens the log, once, in its newest form.
    assert (forms(last, "L2"), forms(last, "L3")) == ([("a", "full")], [])
    assert sum(text.count("Alpha stands") for text in texts) == 300
    opened = next(text for role, text in said(last) if role == "user")
    assert opened.startswith("Context library")
    assert ("newer" in opened) == ("attach" in case.last)
    assert not any(one["superseded"] for one in layer(last, "L2")["segments"])


@pytest.mark.parametrize("way", [run, kept], ids=["replayed", "kept and read again"])
def test_a_cold_cache_serves_nothing_and_says_so(way: Any):
    _, second, last = way(trajectory(*with_files(ask("Three?", cold=True)), **LOG))
    assert second["cache"]["predicted_read_tokens"] > 1_024
    assert (last["cache"]["predicted_read_tokens"], last["cache"]["warm_s"]) == (0, 0.0)
    spent = ("predicted_read_tokens", "predicted_write_tokens", "fresh_tokens")
    assert sum(last["cache"][name] for name in spent) == last["total_tokens"]


@pytest.mark.parametrize("way", [run, kept], ids=["replayed", "kept and read again"])
def test_its_lifetime_makes_a_cache_cold_by_itself(way: Any):
    minutes = (0, 3, 50)
    turns = with_files(ask("Three?"))
    for turn, minute in zip(turns, minutes, strict=True):
        turn["now"] = f"2026-01-01T12:{minute:02}:00Z"
    first, second, last = way(trajectory(*turns, **LOG))
    assert [one["rebuilt"] for one in (first, second, last)] == ["first", None, "cold"]
    assert (first["cache"]["warm_s"], last["cache"]["warm_s"]) == (None, 0.0)
    assert second["cache"]["warm_s"] > 0
    assert last["cache"]["predicted_read_tokens"] == 0


@pytest.mark.parametrize("way", [run, kept], ids=["replayed", "kept and read again"])
def test_what_no_log_was_sent_before_is_a_first_one(way: Any):
    """At the start, after another layout, and after a request that was never sent."""
    turns = [
        ask("One?", attach=[file("a", ALPHA), file("b", BETA)]),
        ask("Two?", detach=["b"], settings={"layout": "append_only"}),
        ask("Three?"),
        {"attach": [file("c", "Gamma.")]},
        ask("Five?"),
    ]
    reports = way(trajectory(*turns, **{**LOG, "layout": "layered"}))
    assert [one["layout"] for one in reports] == ["layered"] + ["append_only"] * 4
    assert [one["rebuilt"] for one in reports] == [None, "first", None, None, "first"]
    assert causes(reports[1])[0] == ("rebuilt", "first")
    assert forms(reports[1], "L2") == [("a", "full")]
    assert not any("Beta stands" in text for _, text in said(reports[1]))


def test_every_reason_has_its_case():
    # Keys are looked for by the engine only; its own test is in tests/engine/assembly/test_log_before.py.
    assert {case.reason for case in CASES} | {"first", "secret"} == set(get_args(RebuildReason))


# And over random talks: a log goes on byte for byte, or one of the listed conditions really holds. They are written
# here from what the contract says, and share nothing with the code that decides.

_FRAMED, _WRAPPED = 16, 60
"""More tokens than the frame and the label of something said, and the tags around an artifact, ever are."""


@dataclass(frozen=True)
class Step:
    """A turn and the one before it, each with its settings, its decisions by hand and its report."""

    turn: Json
    report: Json
    settings: ContextSettings
    tuned: tuple[frozenset[str], frozenset[str]]
    attached: dict[str, str]
    before: Step | None = None


def steps(document: Json, reports: list[Json]) -> Iterator[Step]:
    before, pinned, excluded = None, frozenset[str](), frozenset[str]()
    attached: dict[str, str] = {}
    for turn, read, report in zip(document["turns"], parse_trajectory(document).turns, reports, strict=True):
        pinned = (pinned | set(turn.get("pin_messages", ()))) - set(turn.get("unpin_messages", ()))
        excluded = (excluded | set(turn.get("exclude_messages", ()))) - set(turn.get("include_messages", ()))
        attached = {key: text for key, text in attached.items() if key not in turn.get("detach", ())}
        attached |= {one["id"]: one["text"] for one in turn["attach"]}
        before = Step(turn, report, read.settings, (pinned, excluded), dict(attached), before)
        yield before


def instructions(report: Json) -> str:
    return "".join(one["content"] for one in report["messages"] if one["role"] == "system")


def upper_bound(texts: Iterable[str], around: int) -> int:
    """More tokens than texts can be, each with what stands around it."""
    return sum(len(text.encode("utf-8", "replace")) // 2 + 1 + around for text in texts)


def spoken_since(before: Step) -> list[str]:
    """What was said since the request before, its question included: that is history now."""
    replied = before.turn.get("reply", ())
    calls = [call["arguments"] for one in replied for call in one.get("tool_calls", ())]
    return [*(one["content"] for one in replied), *calls, before.turn["user"]]


def brought_along(step: Step, before: Step) -> list[str]:
    """What is attached anew or in another form."""
    return [text for key, text in step.attached.items() if before.attached.get(key) != text]


def tokens_of(report: Json, *names: str) -> int:
    return sum(layer(report, name)["tokens"] for name in names)


def conditions(step: Step) -> set[str]:
    """Every listed reason that holds, as far as it can be told from the outside."""
    before = step.before
    if before is None or "user" not in before.turn or before.report["layout"] != "append_only":
        return {"first"}
    old, new = before.settings, step.settings
    ruled = replace(
        old, model=new.model, tools=new.tools, freshness=new.freshness, system_prompt=new.system_prompt,
        project_instructions=new.project_instructions, user_memory=new.user_memory,
    )  # fmt: skip
    holds = {
        "asked": step.turn.get("rebuild", False),
        "cold": step.turn.get("cold", False),
        "model": old.model != new.model,
        "tools": old.tools != new.tools,
        "instructions": instructions(before.report) != instructions(step.report),
        "settings": ruled != new,
        "excluded": before.tuned[1] != step.tuned[1],
        "history_edited": bool(before.tuned[0] - step.tuned[0]),
    }
    return {name for name, held in holds.items() if held}


def may_be_over(step: Step) -> set[str]:
    """Which limits a longer log could be over."""
    before, found, caps = step.before, set(), step.settings.history
    assert before is not None
    window, limit = step.report["window_tokens"], step.report["threshold_tokens"]
    limit = window if limit is None else min(limit, window)
    spoken, brought = spoken_since(before), brought_along(step, before)
    longer = upper_bound([*spoken, step.turn.get("user", "")], _FRAMED)
    longer += upper_bound(brought, _WRAPPED)
    if before.report["total_tokens"] + longer > limit:
        found.add("over_threshold")
    most = step.settings.attachment_budget_tokens
    shelf = tokens_of(before.report, "L2", "L3") + upper_bound(brought, _WRAPPED)
    talk = tokens_of(before.report, "L4") + upper_bound(spoken, _FRAMED)
    lines = sum(one["form"] != "excluded" for one in layer(before.report, "L4")["segments"])
    lines += 1 + len(before.turn.get("reply", ())) + len(layer(before.report, "L3")["segments"])
    over = (
        (shelf, most),
        (talk, caps.max_tokens),
        (lines, caps.last_n_messages),
    )
    if any(limit is not None and there > limit for there, limit in over):
        found.add("over_budget")
    return found


@st.composite
def restless(draw: st.DrawFn) -> Json:
    """A talk in which a log is also found cold, and begun anew by hand."""
    document: Json = draw(trajectories(layout="append_only"))
    document["settings"]["edits"] = draw(st.sampled_from(("full", "changes")))
    for turn in document["turns"]:
        flag = draw(st.sampled_from((None,) * 6 + ("cold", "rebuild")))
        if flag is not None:
            turn[flag] = True
    return document


@settings(max_examples=tries(150))
@given(restless())
def test_a_log_goes_on_byte_for_byte_or_a_listed_condition_really_holds(document: Json):
    for step in steps(document, run(document)):
        reason, before = step.report["rebuilt"], step.before
        certain = conditions(step)
        if reason is None:
            assert certain == set()
            assert before is not None
            sent = before.report["messages"]
            assert step.report["messages"][: len(sent)] == sent
            limit = step.report["threshold_tokens"]
            assert limit is None or step.report["total_tokens"] <= limit
            continue
        assert reason in (certain or may_be_over(step))
