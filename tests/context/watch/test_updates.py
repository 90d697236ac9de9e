"""What did the update change? Planted changes are each named with their tokens; two equal runs have no finding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.passing import MINUTE, STARTED, Watch, answered, said, shipped, text, tool
from workbench.context.watch.findings import Paid
from workbench.context.watch.lines import summary
from workbench.context.watch.updates import compare_runs, failed_limits, run_of
from workbench.domain.usage import Price
from workbench.domain.watch.exchange import OWN_WORDS
from workbench.domain.watch.request import WatchedAnswer, WatchedTurn
from workbench.domain.watch.update import UpdateReport

CARD = shipped()[0].find("anthropic:claude-opus-4-8")
PAID = Paid(CARD, Price("claude-opus-4-8", 5.0, 25.0, "2026-11-01", cached=0.5, cache_write=6.25))
TOOLS = [tool(name, f"{name} something in the folder. " * 30) for name in ("Read", "Grep", "Write")]
PROMPT = (
    "You are an agent.\nWork in {folder}, session {session}.\nToday's date is {date}.\n" + "Be brief. " * 400
)
RUN_A = {"folder": "/tmp/a1b2/w", "session": "0b7ad0ba-58b4-4a9e-9c64-1f2d3c4b5a69", "date": "2026-11-18"}
RUN_B = {"folder": "/tmp/zz9/w", "session": "7d1f0c9e-0000-4a9e-9c64-aaaabbbbcccc", "date": "2026-11-19"}


def run(
    about: dict[str, str] = RUN_A,
    tools: list[dict[str, Any]] = TOOLS,
    more: str = "",
    blocks: tuple[dict[str, Any], ...] = (),
    second: dict[str, Any] | None = None,
    **fields: Any,
) -> list[WatchedTurn]:
    """Two requests of one conversation; `second` are fields that only the second one has."""
    watch, first = Watch(), said("user", text("What does a.py do?", mark=True))
    billing = text(f"x-anthropic-billing-header: cc_version=2.1.1.{about['session'][:3]};")
    system = [billing, text(PROMPT.format(**about) + more, mark=True), *blocks]
    headers = (("user-agent", "claude-cli/2.1.1"), ("x-claude-code-session-id", about["session"]))
    common: dict[str, Any] = {"system": system, "tools": tools, "headers": headers, **fields}
    go_on = said("user", text("And then?", mark=True))
    return [
        watch.take(first, at=STARTED, answer=answered(input_tokens=900), **common),
        watch.take(
            first, said("assistant", "It is so."), go_on, at=STARTED + MINUTE, **{**common, **(second or {})}
        ),
    ]


def compared(before: list[WatchedTurn], after: list[WatchedTurn], paid: Paid = PAID) -> UpdateReport:
    return compare_runs((run_of("a", "A", before), before), (run_of("b", "B", after), after), paid)


def words(before: list[WatchedTurn], after: list[WatchedTurn]) -> list[tuple[str, str]]:
    return [(one.kind, one.words) for one in compared(before, after).changes]


def test_ids_dates_and_session_headers_are_no_change():
    assert compared(run(RUN_A), run(RUN_B)).changes == ()


def test_a_tool_more_has_its_tokens_and_price():
    (change,) = compared(run(), run(tools=[*TOOLS, tool("Cron", "Runs it later. " * 50)])).changes

    assert (change.kind, change.words, change.path) == ("tools", "The tool Cron was added.", "tools[3]")
    assert change.tokens > 50
    assert change.usd is not None
    assert change.usd > 0


def test_a_request_that_no_server_got_counts_as_no_tokens_sent():
    sent = run()
    kept_back = [sent[0], replace(sent[1], answer=WatchedAnswer(error=f"{OWN_WORDS} Nothing was sent."))]

    figures = run_of("a", "A", kept_back)

    assert (figures.tokens, figures.request) == (sent[0].request.tokens, sent[0].request.tokens)
    assert summary(kept_back)[1] == "≈ 900 tokens sent, 1 answered"


def test_a_tool_less_saves():
    (change,) = compared(run(), run(tools=TOOLS[:2])).changes

    assert change.words == "The tool Write was removed."
    assert change.tokens < 0
    assert (change.usd or 0) < 0


def test_tools_in_another_order():
    assert words(run(), run(tools=TOOLS[::-1])) == [
        ("tools", "The tools are in another order, from Write on.")
    ]


def test_a_longer_description():
    longer = [tool("Read", "Read something in the folder. " * 60), *TOOLS[1:]]
    (change,) = compared(run(), run(tools=longer)).changes

    assert change.words == "The description of the tool Read changed."
    assert change.tokens > 50


def test_a_clock_in_the_prompt_is_named_with_its_line():
    with_clock = run(RUN_B, more="\nThe time is 14:02:33.")

    assert words(run(), with_clock) == [
        ("system", "A clock was added to system[1].text, line 5: 14:02:33. The prefix changes with it.")
    ]


def test_a_block_more_and_a_block_less():
    extra = text("Never say please, and never apologise.")

    assert words(run(), run(blocks=(extra,))) == [
        ("system", "A block was added: system[2].text, “Never say please, and never apologise.”.")
    ]
    assert words(run(blocks=(extra,)), run())[0][1].startswith(
        "A block was removed: system[2].text, “Never say"
    )


def test_an_edited_block_is_told_apart_from_the_noise_in_it():
    (change,) = compared(
        run(RUN_A), run(RUN_B, more="\nAlways write tests, and say which of them failed before.")
    ).changes

    assert change.kind == "system"
    assert change.words.startswith("system[1].text changed from “” to “Always write tests")


def test_a_new_break_of_the_prefix_is_a_finding_and_a_mended_one_saves():
    broken = run(RUN_B, second={"tools": TOOLS[:1]})
    (change,) = compared(run(), broken).changes
    (mended,) = compared(broken, run()).changes

    assert change.kind == "breaks"
    assert change.words.startswith("Request 2 lost ")
    assert "2 tools were removed" in change.words
    assert (mended.kind, mended.tokens, mended.usd) == ("breaks", -change.tokens, -(change.usd or 0))
    assert compared(broken, broken).changes == ()


def test_a_break_costs_what_is_read_again_not_what_is_sent_no_longer():
    """Tools that had left the request were counted as read again."""
    large = [*TOOLS, tool("Large", "Does much. " * 3_000)]
    broken = run(RUN_B, tools=large, second={"tools": TOOLS})
    (change,) = (one for one in compared(run(tools=large), broken).changes if one.kind == "breaks")

    assert broken[1].against.lost_tokens > broken[1].request.tokens
    assert 0 < change.tokens <= broken[1].request.tokens


def test_model_parameters_and_the_number_of_requests():
    assert ("model", "The model is claude-sonnet-5 in place of claude-opus-4-8.") in words(
        run(), run(model="claude-sonnet-5")
    )
    assert [kind for kind, _ in words(run(), run(thinking={"type": "adaptive"}))] == ["parameters"]
    fewer = compared(run(), run()[:1])
    assert [(one.kind, one.words) for one in fewer.changes] == [("requests", "1 request in place of 2.")]


def test_the_dearest_comes_first_whatever_its_kind():
    tools = [*TOOLS, tool("Small", "Does little."), tool("Large", "Does much. " * 300)]
    changes = compared(run(), run(tools=tools, more="\nSay what you do before you do it.")).changes

    assert changes[0].words == "The tool Large was added."
    assert [abs(one.usd or 0) for one in changes] == sorted(
        (abs(one.usd or 0) for one in changes), reverse=True
    )


def test_without_a_price_tokens_decide():
    changes = compared(
        run(), run(tools=[tool("A", "a " * 9), *TOOLS, tool("B", "b " * 99)]), Paid(CARD)
    ).changes

    assert [one.words for one in changes] == ["The tool B was added.", "The tool A was added."]
    assert {one.usd for one in changes} == {None}


@pytest.mark.parametrize(
    ("at_most", "no_new", "failing"),
    [
        ({}, [], ["no change of tools"]),
        ({"tokens": 1e6}, [], []),
        ({"tools": 10}, [], ["at most tools=10"]),
        ({"usd": 0.0001}, ["breaks"], ["at most usd=0.0001"]),
        ({}, ["tools"], ["no new tools"]),
        ({}, ["breaks", "system"], []),
    ],
)
def test_limits(at_most: dict[str, float], no_new: list[Any], failing: list[str]):
    report = compared(run(), run(tools=[*TOOLS, tool("Cron", "Runs it later. " * 50)]))
    found = failed_limits(report, at_most, no_new)

    assert [name for name, lines in found.items() if lines] == failing
    assert set(found) >= {f"no new {kind}" for kind in no_new}


def test_what_was_taken_away_is_nothing_new():
    report = compared(run(), run(tools=TOOLS[:2]))

    assert failed_limits(report, {}, ["tools"]) == {"no new tools": []}
    assert failed_limits(compared(run(), run()), {}, []) == {"no change": []}
