"""What a watched request was worth."""

from __future__ import annotations

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.watched import agent_turns
from workbench.domain.usage import Price
from workbench.engine.watch.understanding import Priced, judged, writes


def test_a_request_is_priced_by_what_was_reported_and_without_rules_nothing_is_foretold():
    turn, _ = agent_turns()[0]
    priced = Priced(WORD_MODEL, None, Price("m", input=3.0, cached=0.3, output=15.0, as_of="2026-10-01"))
    found = judged(turn, None, priced)
    assert (found.forecast, found.verdict, writes(priced)) == (None, None, False)
    assert found.cost is not None
