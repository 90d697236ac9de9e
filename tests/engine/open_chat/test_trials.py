"""Settings that are tried out: what would fall, what would come back, what it would cost."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.turns import artifact, assistant, fake_builder, user
from tests.fakes.views import OnePrice
from workbench.domain.caching import CacheForecast
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.open_chat.prices import trial_of
from workbench.engine.shown.request_view import RequestViewer, Scene

SETTINGS = ContextSettings(model="word-1", reserved_output_tokens=0)
TALK = Conversation(
    "talk",
    turn=3,
    history=tuple(m for n in range(1, 4) for m in (user(f"u{n}"), assistant(f"m{n}"))),
    attached=(artifact("a", "word " * 30),),
)


def view(settings: ContextSettings = SETTINGS, cached: int | None = None) -> EnvelopeView:
    """The request, the beginning of which a cache would serve."""
    request = prepare_turn(TALK, Ask(settings, user("q")), fake_builder())
    if cached is not None:
        total = request.built.envelope.total_tokens
        request = replace(request, forecast=CacheForecast("openai", cached, total - cached))
    return RequestViewer(fake_builder(), OnePrice()).view(request, Scene())


def test_turns_that_would_no_longer_be_sent_fall_one_by_one():
    last = replace(SETTINGS, history=HistorySettings(last_n_messages=2))
    trial = trial_of(last, view(), view(last))
    assert trial.falls == (RowKey("L4_STRIP", "u1"), RowKey("L4_STRIP", "u2"))
    assert (trial.returns, trial.settings) == ((), last)
    assert trial.view.total_tokens < view().total_tokens


def test_what_would_be_sent_again_comes_back():
    small = replace(SETTINGS, attachment_budget_tokens=5)
    trial = trial_of(SETTINGS, view(small), view())
    assert (trial.falls, trial.returns) == ((), (RowKey("L3_TURN", "a"),))


def test_what_is_not_sent_now_cannot_fall():
    small = replace(SETTINGS, attachment_budget_tokens=5)
    smaller = replace(SETTINGS, attachment_budget_tokens=4)
    trial = trial_of(smaller, view(small), view(smaller))
    assert (trial.falls, trial.returns) == ((), ())


def test_cached_tokens_that_would_be_read_again_are_lost():
    assert trial_of(SETTINGS, view(cached=40), view(cached=15)).lost_tokens == 25
    assert trial_of(SETTINGS, view(cached=15), view(cached=40)).lost_tokens == 0
    assert trial_of(SETTINGS, view(), view()).lost_tokens == 0
    assert trial_of(SETTINGS, view(cached=40), view()).lost_tokens == 0, "nobody can say"


def test_what_goes_away_is_not_read_again():
    """Two turns that fall were counted as if they were read once more."""
    last = replace(SETTINGS, history=HistorySettings(last_n_messages=2))
    now = view(cached=view().total_tokens - 1)
    gone = trial_of(last, now, view(last, cached=view(last).total_tokens - 1))
    assert (gone.falls, gone.lost_tokens) == ((RowKey("L4_STRIP", "u1"), RowKey("L4_STRIP", "u2")), 0)
    cold = view(last, cached=0)
    assert trial_of(last, now, cold).lost_tokens == cold.total_tokens - 1


def test_the_difference_in_cost_may_be_less_and_may_be_unknown():
    small = replace(SETTINGS, attachment_budget_tokens=5)
    trial = trial_of(small, view(), view(small))
    assert trial.extra_cost_usd == view(small).total_tokens - view().total_tokens < 0
    assert trial_of(small, view(), replace(view(small), cost_usd=None)).extra_cost_usd is None
