"""What a step costs at the cache: one function for controls, trials and differences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.turns import artifact, assistant, fake_builder, user
from tests.fakes.views import OnePrice
from workbench.context.explain.differences import Piece, price_tag, read_again
from workbench.context.explain.row_facts import CachedRun
from workbench.domain.caching import CacheForecast
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.shown.request_view import RequestViewer, Scene

SETTINGS = ContextSettings(model="word-1", reserved_output_tokens=0)
SHORTER = replace(SETTINGS, history=HistorySettings(last_n_messages=2))
TALK = Conversation(
    "talk",
    turn=3,
    history=tuple(m for n in range(1, 4) for m in (user(f"u{n}"), assistant(f"m{n}"))),
    attached=(artifact("a", "word " * 30),),
)
WARM = CacheForecast("openai", 40, 20, warm_s=220.0)


def view(settings: ContextSettings = SETTINGS, cached: int | None = None) -> EnvelopeView:
    """The request at a dollar a token, the beginning of which a cache would serve for a quarter."""
    request = prepare_turn(TALK, Ask(settings, user("q")), fake_builder())
    if cached is not None:
        rest = request.built.envelope.total_tokens - cached
        request = replace(request, forecast=CacheForecast("openai", cached, rest))
    return RequestViewer(fake_builder(), OnePrice()).view(request, Scene())


def test_what_is_read_again_is_paid_now_and_what_is_more_in_every_turn_after():
    now, then = view(SHORTER, cached=20), view(cached=5)
    tag = price_tag(now, then, WARM)
    more = then.total_tokens - now.total_tokens
    assert (tag.tokens_delta, tag.cached_tokens, tag.warm_s) == (more, 20, 220.0)
    assert tag.reread_tokens == 20, "turns come back before all that was cached"
    assert tag.now_usd == pytest.approx((then.total_tokens - 5 * 0.75) - (now.total_tokens - 20 * 0.75))
    assert tag.after_usd == pytest.approx(more * 0.25), "what is more is cached by then"
    assert not tag.free
    assert not tag.cold


def test_of_a_cold_cache_nothing_is_lost():
    tag = price_tag(view(cached=0), view(SHORTER, cached=0), replace(WARM, limit="cold", warm_s=None))
    assert (tag.reread_tokens, tag.free, tag.cold) == (0, True, True)


def test_where_nobody_can_say_what_is_cached_only_tokens_and_dollars_are_told():
    tag = price_tag(view(), view(SHORTER))
    assert (tag.reread_tokens, tag.cached_tokens, tag.warm_s, tag.cold) == (None, None, None, False)
    assert tag.tokens_delta < 0
    assert price_tag(view(cached=20), view(SHORTER)).reread_tokens is None
    assert price_tag(replace(view(), cost_usd=None), view()).now_usd is None


def test_another_model_reads_everything_anew():
    other = replace(view(), model="other", cached_tokens=None)
    assert price_tag(view(cached=20), other).reread_tokens == 20


def test_a_step_that_makes_the_request_too_long_is_told():
    assert not price_tag(view(), replace(view(), limit_tokens=3)).fits


def _run(parts: list[tuple[str, int]], share: float) -> list[Piece]:
    """Pieces, the beginning of which a cache serves."""
    run = CachedRun(int(sum(tokens for _, tokens in parts) * share))
    return [Piece((key,), tokens, run.take(tokens)[1]) for key, tokens in parts]


PIECES = st.builds(
    _run, st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 50)), max_size=6), st.floats(0, 1)
)


@given(PIECES, PIECES)
def test_never_more_is_read_again_than_was_cached_or_than_there_is(now: list[Piece], then: list[Piece]):
    again = read_again(now, then)
    assert 0 <= again <= sum(piece.cached_tokens for piece in now)
    assert again <= sum(piece.tokens - piece.cached_tokens for piece in then)
    assert read_again(now, now) == read_again([], then) == read_again(now, []) == 0
