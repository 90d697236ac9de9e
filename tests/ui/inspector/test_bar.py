"""Figures, bar and legend: one source."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QDateTime, Qt
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from tests.fakes.envelope_views import made_row, made_view
from tests.fakes.sample_envelope import over_view, sample_view
from tests.fakes.sample_state import sample_trial
from workbench.domain.shown.envelope_view import EnvelopeView, PriceTag, RowKey
from workbench.engine.state import EditedQuestion
from workbench.ui import formatting
from workbench.ui.inspector.bar import BarBlock, EditLine, FiguresRow, WarmChip
from workbench.ui.widgets.warm_clock import WarmClock, time_left

UNTIL = "2026-11-12T10:50:00Z"


@pytest.fixture
def block(qtbot: QtBot) -> BarBlock:
    made = BarBlock()
    qtbot.addWidget(made)
    made.resize(752, 160)
    made.show_request(sample_view(), None)
    made.show()
    return made


@pytest.mark.parametrize("view", [sample_view(), over_view()])
def test_all_parts_show_the_same_request(block: BarBlock, view):
    block.show_request(view, None)
    assert block.bar.bar().total_tokens == view.total_tokens
    assert block.figures.total.figure() == formatting.tokens(view.total_tokens)
    for layer in view.layers:
        assert formatting.tokens(layer.tokens) in block.legend.accessibleName()


def test_a_request_that_was_sent_says_what_was_served_and_where_the_forecast_failed(qtbot: QtBot):
    """“86 % cached” stood over a request of which the report said 0."""
    row = FiguresRow()
    qtbot.addWidget(row)
    row.resize(752, 30)
    view = replace(sample_view(), standing="sent", total_tokens=1000, cached_tokens=860)
    row.show_view(replace(view, served_tokens=0, verdict="elsewhere"))
    assert row.cached.word() == "0 % cached, not 86 %"
    assert "0 tokens from its cache. 860 were expected. The provider evicted" in row.cached.toolTip().replace(
        "\n", " "
    )
    row.show_view(replace(view, served_tokens=850, verdict="less"))
    assert row.cached.word() == "85 % cached"
    row.show_view(view)
    assert row.cached.word() == "86 % cached"


def test_a_trial_is_a_ghost_and_takes_room(block: BarBlock):
    before = block.sizeHint().height()
    block.show_request(sample_view(), sample_trial())
    assert block.sizeHint().height() > before
    block.show_request(sample_view(), None)
    assert block.sizeHint().height() == before


def test_the_line_of_an_edit_says_the_price_that_its_editor_says(qtbot: QtBot):
    """The request was counted anew while the one with the words was built: −13 stood here, and −20 in the editor."""
    now, line = sample_view(), EditLine()
    qtbot.addWidget(line)
    then = replace(now, total_tokens=now.total_tokens - 13)
    line.show_edit(now, EditedQuestion("a1", "Shorter.", then, PriceTag(tokens_delta=-20)))
    words = line.accessibleName()
    assert "(−20)" in words
    assert "−13" not in words


def test_its_height_is_that_of_the_picture(block: BarBlock):
    assert block.sizeHint().height() == 134
    block.show_request(sample_view(), sample_trial())
    assert block.sizeHint().height() == 159


def test_a_segment_that_is_chosen_elsewhere_has_the_cursor(block: BarBlock):
    key = RowKey("L3_TURN", "src/auth.py")
    block.select(key)
    assert block.bar.cursor_key() == key


class Moment:
    """A time that a test moves on."""

    def __init__(self, before_s: float) -> None:
        until = QDateTime.fromString(UNTIL, Qt.DateFormat.ISODateWithMs).toMSecsSinceEpoch()
        self.ms = until - round(before_s * 1_000)

    def __call__(self) -> int:
        return self.ms


def warm(**changes: object) -> EnvelopeView:
    return replace(sample_view(), **{"warm_until_utc": UNTIL, **changes})  # type: ignore[arg-type]


@pytest.fixture
def now() -> Moment:
    return Moment(220)


@pytest.fixture
def chip(qtbot, now: Moment) -> WarmChip:
    made = WarmChip(WarmClock(None, now))
    qtbot.addWidget(made)
    made.show_view(warm())
    return made


def test_it_counts_down_warns_and_turns_cold(chip: WarmChip, now: Moment, monkeypatch):
    told: list[str] = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: told.append(event.message()))
    assert (chip.word(), chip.tone()) == ("warm for 3:40", "ok")
    now.ms += 160_000
    chip.clock.ticked.emit()
    assert (chip.word(), chip.tone()) == ("warm for 1:00", "ok")
    now.ms += 500
    chip.clock.ticked.emit()
    assert chip.word() == "warm for 1:00", "not a second less before it is over"
    now.ms += 500
    chip.clock.ticked.emit()
    assert (chip.word(), chip.tone()) == ("warm for 0:59", "warn")
    assert told == []
    now.ms += 59_000
    chip.clock.ticked.emit()
    assert (chip.word(), chip.tone()) == ("cold", "neutral")
    chip.clock.ticked.emit()
    assert len(told) == 1, "said once, when it turns cold"
    assert told[0].startswith("The provider’s cache is cold")
    assert not chip.clock.runs()


def test_one_clock_for_all_runs_only_while_something_is_counted(qtbot, now: Moment):
    clock = WarmClock(None, now)
    chips = [WarmChip(clock), WarmChip(clock)]
    for chip in chips:
        qtbot.addWidget(chip)
        chip.show_view(warm())
        assert clock.runs()
    chips[0].hide()
    assert clock.runs()
    chips[1].show_view(warm(standing="sent"))
    assert not clock.runs()
    assert not chips[1].isVisible()
    chips[0].show()
    assert clock.runs()


def test_where_nobody_can_say_it_is_not_there(chip: WarmChip):
    chip.show_view(sample_view())
    assert not chip.isVisible()
    chip.show_view(replace(sample_view(), cold=True, cached_tokens=0))
    assert chip.isVisible()
    assert (chip.word(), chip.clock.runs()) == ("cold", False)
    chip.show_view(warm(warm_until_utc="some day"))
    assert chip.word() == "cold"


def test_a_view_that_is_warm_again_is_counted_again(chip: WarmChip, now: Moment):
    now.ms += 300_000
    chip.clock.ticked.emit()
    assert chip.word() == "cold"
    now.ms -= 250_000
    chip.show_view(warm())
    assert chip.word() == "warm for 2:50"
    assert chip.clock.runs()


def test_no_share_is_said_to_be_cached_beside_cold(qtbot, now: Moment):
    """The chip had counted to its end; the share beside it stayed until the request was built again."""
    row = FiguresRow()
    qtbot.addWidget(row)
    row.warm.clock.now_ms = now
    row.show()
    row.show_view(warm())
    assert (row.cached.word(), row.warm.word()) == ("36 % cached", "3:40")
    now.ms += 220_000
    row.warm.clock.ticked.emit()
    assert (row.cached.word(), row.warm.word()) == ("0 % cached", "cold")
    assert row.cached.toolTip().count("The first 0 tokens")
    row.show_view(warm(warm_until_utc=None))
    assert row.cached.word() == "36 % cached"


def test_a_server_that_still_serves_is_not_called_cold(chip: WarmChip):
    chip.show_view(warm(cold=True, warm_until_utc=None, cached_tokens=900))
    assert (chip.is_cold(), chip.isVisible()) == (False, False)
    chip.show_view(warm(cold=True, warm_until_utc=None, cached_tokens=0))
    assert chip.is_cold()


def test_in_a_narrow_row_the_time_alone_is_said(qtbot):
    row = FiguresRow()
    qtbot.addWidget(row)
    row.resize(720, 30)
    row.show()
    until = QDateTime.currentDateTimeUtc().addSecs(120).toString(Qt.DateFormat.ISODate)
    row.show_view(warm(warm_until_utc=until))
    assert row.warm.word().startswith("warm for ")
    row.resize(448, 30)
    assert row.warm.word().startswith(("1:", "2:"))
    row.show_view(sample_view())
    assert not row.warm.isVisible()


def test_times_as_they_are_read():
    assert [time_left(n) for n in (0, 9, 60, 220, 3_720)] == ["0:00", "0:09", "1:00", "3:40", "1:02:00"]


def test_a_cold_resume_is_told_with_how_long_nothing_was_asked_and_what_it_costs(chip: WarmChip, now: Moment):
    asked = datetime.fromtimestamp(now.ms / 1000 - 61 * 60, UTC).isoformat()
    view = warm(cold=True, warm_until_utc=None, cached_tokens=0, asked_utc=asked, cost_usd=0.84)
    chip.show_view(view)
    assert chip.word() == "cold, 61 min idle"
    told = "61 minutes idle: the cache is gone, so this request costs ≈ $0.840 and changes are free."
    assert chip.accessibleDescription() == told
    chip.set_short(True)
    assert chip.word() == "cold"


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
    assert figures.free.figure().startswith("≈ ")
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
