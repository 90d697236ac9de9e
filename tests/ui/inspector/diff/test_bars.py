"""Two requests as bars on one scale."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.sample_state import sample_diff
from workbench.ui.inspector.diff.body import FLAG_HEIGHT, NAME_WIDTH, DiffBars, side_bar
from workbench.ui.look.theme import LIGHT, colour


@pytest.fixture
def bars(qtbot) -> DiffBars:
    made = DiffBars()
    qtbot.addWidget(made)
    made.resize(720, made.sizeHint().height())
    made.show_diff(sample_diff())
    return made


def test_both_bars_are_on_the_scale_of_the_longer(bars: DiffBars):
    diff = sample_diff()
    before, after = bars.layout_of(diff.before), bars.layout_of(diff.after)
    assert after.width == 720 - NAME_WIDTH
    assert before.width / after.width == pytest.approx(4_275 / 11_709)


def test_one_line_goes_through_both_where_they_begin_to_differ(bars: DiffBars):
    x = bars.difference_x()
    assert x is not None
    seen = bars.grab().toImage()
    for y in (FLAG_HEIGHT + 9, FLAG_HEIGHT + 35):
        near = {seen.pixelColor(round(NAME_WIDTH + x) + by, y).name() for by in (-1, 0, 1)}
        assert colour(LIGHT.errline).name() in near


def test_where_nothing_breaks_there_is_no_line(bars: DiffBars):
    bars.show_diff(replace(sample_diff(), change="extended", first_difference_token=None))
    assert bars.difference_x() is None
    assert bars._same_tokens() == 4_275
    bars.grab()


def test_what_both_have_in_common_is_what_a_cache_may_serve():
    diff = sample_diff()
    assert side_bar(diff.before, 1_482).cached_tokens == 1_482
    assert side_bar(diff.before, 9_999).cached_tokens == 4_275
    assert side_bar(diff.before, None).cached_tokens is None


def test_it_describes_itself(bars: DiffBars):
    assert bars.accessibleDescription().startswith("Turn 8, 4,275 tokens, against Next")


def test_a_longer_name_has_room_for_its_figure(bars: DiffBars):
    """“Request 1” took the last digits of its tokens."""
    diff = sample_diff()
    watched = replace(
        diff,
        before=diff.before._replace(watched=True, sent_utc="2026-11-12T09:00:00Z", total_tokens=19_259),
        after=diff.after._replace(watched=True, sent_utc="2026-11-12T09:07:00Z", total_tokens=129_071),
    )
    bars.show_diff(watched)
    assert bars.name_width > NAME_WIDTH
    assert bars.layout_of(watched.after).width == 720 - bars.name_width
