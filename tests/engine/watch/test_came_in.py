"""A request as it came beside what was sent of it: figures that add up, and rows that say what rules did."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.fakes.ruled import ruled_bench
from workbench.domain.shown.envelope_view import EnvelopeView


def opened(told: Sequence[int] = ()) -> tuple[EnvelopeView, EnvelopeView]:
    """The last request as it was sent, and as it came."""

    async def shown() -> EnvelopeView | None:
        bench = await ruled_bench(told)
        view = next(iter(bench.workbench.state.open.values())).opened
        await bench.workbench.close()
        return view

    view = asyncio.run(shown())
    assert view is not None
    assert view.came is not None
    return view, view.came


@pytest.mark.parametrize("told", [(), (620, 800), (20, 9000)])
def test_what_came_in_is_what_was_sent_and_what_rules_saved(told: tuple[int, ...]):
    sent, came = opened(told)
    saved = sum(one.tokens_saved for one in sent.rules)
    assert saved > 500
    assert came.total_tokens == sent.total_tokens + saved
    assert came.total_tokens == sum(layer.tokens for layer in came.layers)
    assert not told or sent.total_tokens == told[-1]
