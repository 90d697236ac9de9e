"""The figures over the bar."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from tests.fakes.envelope_views import made_row, made_view
from tests.fakes.sample_envelope import over_view, sample_view
from workbench.ui.inspector.bar import FiguresRow


@pytest.fixture
def figures(qtbot: QtBot) -> FiguresRow:
    made = FiguresRow()
    qtbot.addWidget(made)
    made.resize(720, 30)
    made.show_view(sample_view())
    made.show()
    return made


def test_the_figures_of_the_picture(figures: FiguresRow):
    assert figures.total.accessibleName() == "11,686 of 16,000 tokens"
    assert figures.free.figure() == "4,314"
    assert figures.cached.word() == "36 % cached"
    assert figures.exact.word() == "exact"
    assert figures.price.figure() == "≈ $0.004"
    assert not figures.over.isVisible()


def test_over_the_limit_the_overshoot_takes_the_place_of_what_is_free(figures: FiguresRow):
    figures.show_view(over_view())
    assert figures.over.word() == "over by 14,486"
    assert figures.over.isVisible()
    assert not figures.free.isVisible()
    assert figures.total.figure() == "30,486"
    assert figures.cached.word() == "14 % cached"
    assert figures.price.figure() == "≈ $0.012"


def test_an_assumed_window_is_called_so_and_can_be_set(figures: FiguresRow):
    assert not figures.window_button.isVisible()
    figures.show_view(replace(sample_view(), window_from="default", largest_window_tokens=131_072))
    assert not figures.window_button.isHidden()
    assert "131,072" in figures.window_button.toolTip()
    figures.show_view(replace(sample_view(), window_assumed=True))
    assert figures.total.accessibleName() == "11,686 of 16,000 tokens, assumed"
    assert figures.window_button.isVisible()


def test_an_estimate_says_why(figures: FiguresRow):
    estimated = replace(made_row("L3_TURN", "photo.png"), state="estimated")
    figures.show_view(replace(made_view({"L3_TURN": (estimated,)}), exact=False))
    assert (figures.exact.tone(), figures.exact.word()) == ("warn", "estimated")
    assert "photo.png" in figures.exact.toolTip()
    figures.show_view(replace(sample_view(), exact=False))
    assert "tokeniser" in figures.exact.toolTip()


def test_nothing_is_said_about_a_cache_that_nobody_knows(figures: FiguresRow):
    figures.show_view(replace(sample_view(), cached_tokens=None))
    assert not figures.cached.isVisible()
    figures.show_view(replace(sample_view(), cached_tokens=0))
    assert (figures.cached.tone(), figures.cached.word()) == ("neutral", "0 % cached")


def test_a_model_that_runs_here_costs_nothing(figures: FiguresRow):
    figures.show_view(replace(sample_view(), cost_usd=0.0, local=True))
    assert figures.price.figure() == "no cost"
    figures.show_view(replace(sample_view(), cost_usd=None))
    assert not figures.price.isVisible()


def test_where_there_is_less_room_the_words_get_fewer_and_the_figure_stays(figures: FiguresRow):
    assert figures.total.words_in(500) == "of 16,000 tokens"
    assert figures.total.words_in(80) == "of 16,000"
    assert figures.total.words_in(20) == ""
    figures.resize(400, 30)
    figures.grab()


def test_an_estimate_that_was_corrected_says_how_far_it_may_be_off(figures: FiguresRow):
    figures.show_view(replace(made_view({}), exact=False, spread=0.001))
    assert figures.exact.word() == "estimated ± 1 %"
    assert "nine in ten" in figures.exact.toolTip()


def test_a_request_that_was_sent_may_be_as_its_provider_counted_it(figures: FiguresRow):
    figures.show_view(replace(made_view({}), exact=False, reported=True))
    assert (figures.exact.word(), figures.exact.tone()) == ("reported", "ok")
