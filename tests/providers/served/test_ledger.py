"""The books on a vLLM server: who else asks it, whether it was started anew, and what follows from reports alone."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.vllm_server import VllmDouble
from workbench.providers.served.ledger import BlockCache, CacheFigures, VllmLedger, digests
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


# A pool of blocks, against a simulator that knows no digests and no numbers: only beginnings, in the order of use.


few = st.lists(st.integers(0, 1), min_size=1, max_size=24)
requests = st.lists(st.tuples(few, st.lists(st.integers(0, 1), max_size=9)), max_size=25)


@given(requests, st.integers(1, 5), st.sampled_from([24, 30, 1000]))
def test_what_is_foretold_is_what_the_measured_rule_serves(
    asked: list[tuple[list[int], list[int]]], block: int, pool: int
):
    """Few different tokens, so that beginnings come again; a small pool, so that they are driven out."""
    pool = max(pool, 40 // block)
    cache, server = BlockCache(block, pool), VllmDouble(block=block, pool=pool)
    for prompt, answer in asked:
        assert cache.held_tokens(prompt) == server.served(prompt)
        cache.begin(prompt).end(answer)
        server.keep(prompt, answer)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 30)), max_size=40))
def test_chats_that_share_nothing_drive_each_other_out(asked: list[tuple[int, int]]):
    cache, server = BlockCache(3, 24), VllmDouble(block=3, pool=24)
    for chat, length in asked:
        prompt = [chat * 1000 + place for place in range(length)]
        assert cache.held_tokens(prompt) == server.served(prompt)
        cache.begin(prompt).end([9, 9])
        server.keep(prompt, [9, 9])


def test_the_last_token_of_a_prompt_is_always_read_again():
    cache = BlockCache(4)
    cache.begin([1, 2, 3, 4]).end([])
    assert (cache.held_tokens([1, 2, 3, 4]), cache.held_tokens([1, 2, 3, 4, 5])) == (0, 4)


def test_the_last_token_of_an_answer_is_not_held():
    cache = BlockCache(2)
    cache.begin([1]).end([2, 3, 4])
    assert cache.held_tokens([1, 2, 3, 4, 5]) == 2


def test_what_is_being_read_is_held_for_others_already():
    cache = BlockCache(2)
    running = cache.begin([1, 2, 3, 4, 5])
    assert cache.held_tokens([1, 2, 3, 4, 9]) == 4
    running.end([6])
    assert cache.held_tokens([1, 2, 3, 4, 5, 9]) == 4


def test_a_running_request_keeps_its_blocks_from_others():
    cache = BlockCache(2, 3)
    running = cache.begin([1, 2, 3, 4])
    cache.begin([7, 7, 8, 8, 9]).end([])
    assert cache.held_tokens([1, 2, 3, 4, 5]) == 4
    running.end([])


def test_a_block_that_never_was_full_is_used_again_before_any_other():
    """Seen at the real server: otherwise three blocks too many were thought to be gone after 17 requests."""
    cache = BlockCache(2, 3)
    cache.begin([1, 2, 3]).end([])
    cache.begin([7]).end([])
    cache.begin([8]).end([])
    assert cache.held_tokens([1, 2, 9]) == 2
    cache.begin([4, 4, 5, 5]).end([])
    assert cache.held_tokens([1, 2, 9]) == 2


def test_other_weights_on_the_same_model_share_nothing():
    cache = BlockCache(2)
    cache.begin([1, 2, 3], "tuned").end([])
    assert (cache.held_tokens([1, 2, 3]), cache.held_tokens([1, 2, 3], "tuned")) == (0, 2)


@pytest.mark.parametrize(("size", "known"), [(0, 0), (3, 0), (4, 1), (9, 2)])
def test_only_full_blocks_are_known(size: int, known: int):
    assert len(list(digests(range(size), 4, ""))) == known
