"""A request as it came beside what was sent of it: figures that add up, and rows that say what rules did."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.fakes.ruled import RULES, ruled_bench
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.watch.rules import ProgramRules, parse_rule
from workbench.ui.inspector.rows.row_words import reason_words


def opened(told: Sequence[int] = (), rules: ProgramRules = RULES) -> tuple[EnvelopeView, EnvelopeView]:
    """The last request as it was sent, and as it came."""

    async def shown() -> EnvelopeView | None:
        bench = await ruled_bench(told, rules)
        view = next(iter(bench.workbench.state.open.values())).opened
        await bench.workbench.close()
        return view

    view = asyncio.run(shown())
    assert view is not None
    assert view.came is not None
    return view, view.came


def test_rows_that_a_rule_took_out_say_so():
    rules = ProgramRules("Claude Code", (parse_rule("tools.without=*"), parse_rule("block.drop=system[0]")))
    for given, named in (
        (None, {"tools": ("compacted", "3 taken out by your rule tools.without")}),
        (rules, {
            "tools": ("compacted", "4 taken out by your rule tools.without"),
            "system[0].text": ("excluded", "taken out by your rule block.drop"),
        }),
    ):  # fmt: skip
        _, came = opened(rules=given or RULES)
        rows = [row for layer in came.layers for row in layer.rows]
        found = {row.key.id: (row.state, reason_words(row.reason)) for row in rows if row.state != "sent"}
        assert found == named


@pytest.mark.parametrize("told", [(), (620, 800), (20, 9000)])
def test_what_came_in_is_what_was_sent_and_what_rules_saved(told: tuple[int, ...]):
    sent, came = opened(told)
    saved = sum(one.tokens_saved for one in sent.rules)
    assert saved > 500
    assert came.total_tokens == sent.total_tokens + saved
    assert came.total_tokens == sum(layer.tokens for layer in came.layers)
    assert not told or sent.total_tokens == told[-1]
