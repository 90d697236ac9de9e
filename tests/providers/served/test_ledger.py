"""The books on a vLLM server: who else asks it, whether it was started anew, and what follows from reports alone."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

from workbench.providers.served.ledger import CacheFigures, VllmLedger
from workbench.providers.served.meter import Held

FRESH = CacheFigures(block_tokens=4, pool_blocks=100, caching=True, queried_tokens=0, started_s=1.0)
PROMPT = list(range(10))


def held(tokens: int, sure: bool) -> Held:
    return Held(tokens, sure, step=4)


def ask(ledger: VllmLedger, prompt: list[int], *answer: int, served: int | None = None) -> None:
    running = ledger.begin(prompt)
    running.generated.extend(answer)
    running.reported_tokens = served
    running.end(stopped=False)


def test_a_fresh_server_is_known_from_its_first_request_on():
    ledger = VllmLedger()
    ledger.look(FRESH)
    assert ledger.held(PROMPT) == held(0, sure=True)
    ask(ledger, PROMPT, 10, 11, 12, served=0)
    ledger.look(replace(FRESH, queried_tokens=10))
    assert ledger.held([*PROMPT, 10, 11, 12, 13]) == held(12, sure=True)


def test_a_server_that_others_ask_is_estimated_until_a_forecast_comes_true():
    ledger = VllmLedger()
    ledger.look(FRESH)
    ask(ledger, PROMPT, 1, served=0)
    ledger.look(replace(FRESH, queried_tokens=17))
    assert ledger.held(PROMPT) == held(8, sure=False)
    ask(ledger, PROMPT, 1, served=8)
    ledger.look(replace(FRESH, queried_tokens=27))
    assert ledger.held(PROMPT) == held(8, sure=True)


def test_a_server_that_was_used_before_is_estimated_at_first():
    ledger = VllmLedger()
    ledger.look(replace(FRESH, queried_tokens=500))
    assert ledger.held(PROMPT) == held(0, sure=False)


def test_a_server_that_was_started_anew_holds_nothing():
    for anew in (replace(FRESH, started_s=2.0), FRESH):
        ledger = VllmLedger()
        ledger.look(FRESH)
        ask(ledger, PROMPT, 1, served=0)
        ledger.look(replace(FRESH, queried_tokens=10))
        ledger.look(anew)
        assert ledger.held(PROMPT) == held(0, sure=True)


def test_a_server_that_caches_nothing_serves_nothing():
    ledger = VllmLedger()
    ledger.look(replace(FRESH, caching=False))
    ask(ledger, PROMPT, 1)
    assert ledger.held(PROMPT) == Held(0, sure=True)


def test_several_caches_behind_one_address_are_an_estimate():
    ledger = VllmLedger()
    ledger.look(replace(FRESH, engines=2))
    assert not ledger.held(PROMPT).sure


def test_without_figures_the_size_of_blocks_follows_from_what_was_served():
    """Before that there is no forecast; and the first common measure may turn out to be several blocks."""
    ledger = VllmLedger()
    ledger.look(None)
    ask(ledger, PROMPT, served=0)
    assert ledger.held(PROMPT) == Held(None, sure=False)
    ask(ledger, PROMPT, served=8)
    assert ledger.held(PROMPT) == Held(8, sure=False, step=8)
    ask(ledger, PROMPT[:6], served=4)
    assert ledger.held(PROMPT[:7]) == held(4, sure=False)


def test_one_that_does_not_report_has_no_forecast_without_figures():
    ledger = VllmLedger()
    ledger.look(None)
    for _ in range(3):
        ask(ledger, PROMPT)
    assert ledger.held(PROMPT).tokens is None


def test_our_own_request_that_is_still_being_read_is_nobody_else():
    """Its tokens are among the server's figures before its first word comes."""
    ledger = VllmLedger()
    ledger.look(FRESH)
    ledger.awaited = 1
    ledger.look(replace(FRESH, queried_tokens=10))
    running = ledger.begin(PROMPT)
    ledger.awaited = 0
    running.reported_tokens = 0
    running.end(stopped=False)
    ledger.look(replace(FRESH, queried_tokens=10))
    assert ledger.held(PROMPT) == held(8, sure=True)


def test_of_an_answer_that_was_left_all_that_came_is_held():
    ledger = VllmLedger()
    ledger.look(FRESH)
    running = ledger.begin(PROMPT)
    running.generated.extend([10, 11])
    running.end(stopped=True)
    assert ledger.held([*PROMPT, 10, 11, 99]).tokens == 12


def test_what_is_remembered_of_many_long_requests_is_small():
    """Without figures whole prompts are kept until the size of blocks is known: 64 of them are many objects."""
    ledger = VllmLedger()
    ledger.look(None)
    tracemalloc.start()
    for number in range(4):
        ask(ledger, [1_000 + number + place for place in range(50_000)], 5, 6)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 4 * 50_000 * 5
