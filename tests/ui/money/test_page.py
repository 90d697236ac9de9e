"""The page of money: what it shows, by keyboard, in a narrow window, and where nothing was spent."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.spending import PRICE, spent
from tests.fakes.widgets import all_of, button_with
from workbench.domain.shown.spend_view import SpendView
from workbench.domain.spending import OWN, Limit, SpendCaps, Spent
from workbench.domain.usage import Usage
from workbench.engine.metering import limits_at
from workbench.ui.inspector.turns.shares_card import ShareChart
from workbench.ui.money.chart import SpendChart, scale_of
from workbench.ui.money.page import MoneyPage
from workbench.ui.money.table import PREDICTED, REQUESTS, REREAD, head_text
from workbench.ui.money.words import Period, cap_lines, group_lines, local, period_at
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.stepped_chart import SteppedChart
from workbench.ui.wishes import OpenSettings, Wishes

NOW = "2026-11-17T16:00:00Z"
SMALL = Usage(100_000, 40_000, None, 2_000)


def one(day: int, model: str = "openai:gpt-4o", **more: object) -> Spent:
    made = spent(
        None, f"2026-11-{day:02}T09:30:00Z", model, price=PRICE if model.startswith("openai") else None
    )
    made = replace(made, chat="c", **more).with_usage(SMALL, "reported")  # type: ignore[arg-type]
    return replace(made, predicted_usd=made.usd)


SPENT = (
    replace(one(2, workspace="w"), reread_tokens=9_000, reread_usd=0.25, cause="cold"),
    one(2, "gguf:/models/oss-20b.gguf"),
    one(17, program="claude-cli"),
    one(17, "server:http://lab#qwen"),
)
VIEW = SpendView(SPENT, NOW, SpendCaps(5.0, 60.0, 0.25), {"w": "Thesis"}, {"c": "Token refresh"})


@pytest.fixture
def page(qtbot: QtBot) -> MoneyPage:
    made = MoneyPage(Wishes())
    qtbot.addWidget(made)
    made.resize(1_152, 756)
    made.show_view(VIEW)
    made.show()
    return made


def told(page: MoneyPage) -> list[str]:
    """The lines of the table as they are read out."""
    lines = page.table.lines
    return [lines.spoken_of(line) or "" for line in lines.items]


def test_every_group_has_the_same_sum(page: MoneyPage):
    assert told(page) == [
        "Model",
        "gpt-4o, Requests 2, Sent 200k, Cached 40 %, Price $0.44, Predicted $0.44, Saved $0.10, Re-read $0.25",
        "oss-20b.gguf, Requests 1, Sent 100k, Cached 40 %, Price no cost, Predicted —, Saved —, Re-read —",
        "qwen, Requests 1, Sent 100k, Cached 40 %, Price —, Predicted —, Saved —, Re-read —",
        "Workspace",
        "No workspace, Requests 3, Sent 300k, Cached 40 %, Price $0.22, Predicted $0.22, Saved $0.05, Re-read —",
        "Thesis, Requests 1, Sent 100k, Cached 40 %, Price $0.22, Predicted $0.22, Saved $0.05, Re-read $0.25",
        "Program",
        "Your chats, Requests 3, Sent 300k, Cached 40 %, Price $0.22, Predicted $0.22, Saved $0.05, Re-read $0.25",
        "Claude Code watched, Requests 1, Sent 100k, Cached 40 %, Price $0.22, Predicted $0.22, Saved $0.05, Re-read —",
        "Sum of each group, Requests 4, Sent 400k, Cached 40 %, Price $0.44, Predicted $0.44, Saved $0.10, "
        "Re-read $0.25",
    ]  # fmt: skip


def test_the_figures_say_what_they_are(page: MoneyPage):
    assert [cell.accessibleName() for cell in page.figures.cells] == [
        "Spent: $0.44", "Saved by the cache: $0.10", "Read from the cache: 40 %", "Re-read: $0.25", "Requests: 4",
    ]  # fmt: skip
    assert page.figures.cells[-1].line.text() == "1 without a price"
    assert page.causes.shown[0].accessibleName() == "Pauses: the cache went cold: 1×, $0.25"


def test_by_keyboard_a_day_is_chosen_its_requests_are_listed_and_left_again(page: MoneyPage, qtbot: QtBot):
    closed: list[bool] = []
    page.closed.connect(lambda: closed.append(True))
    chart = page.chart
    assert (chart.selected(), page.chosen_name.text()) == (16, "Today, Tuesday 17")
    assert page.chosen_words.text() == (
        "$0.22: cached $0.05, fresh $0.15, output $0.02 · predicted $0.22 · 2 requests"
    )
    assert chart.accessibleDescription().startswith("Today, Tuesday 17. $0.22")
    for _ in range(15):
        QTest.keyClick(chart, Qt.Key.Key_Left)
    assert (chart.selected(), page.chosen_name.text()) == (1, "Monday 2")
    QTest.keyClick(chart, Qt.Key.Key_Return)
    head, *lines, total = told(page)
    assert head == "Monday 2: 2 requests"
    assert [line.partition(",")[0] for line in lines] == [
        "09:30  oss-20b.gguf Token refresh",
        "09:30  gpt-4o Token refresh",
    ]
    assert total.startswith("Sum, Requests 2, Sent 200k")
    assert page.table.isColumnHidden(REQUESTS)
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert (told(page)[0], closed) == ("Model", [])
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert closed == [True]


def test_a_day_without_requests_has_none_to_list(page: MoneyPage):
    QTest.keyClick(page.chart, Qt.Key.Key_Home)
    assert page.chosen_words.text() == "no requests"
    QTest.keyClick(page.chart, Qt.Key.Key_Return)
    assert told(page)[0] == "Model"


def test_weeks_and_months_of_a_year(page: MoneyPage):
    page.unit.chosen.emit("week")
    assert (page.when.text(), page.chart_title.text(), page.chosen_name.text()) == (
        "2026",
        "Price per week",
        "Week 47",
    )
    page.unit.chosen.emit("month")
    assert (page.chosen_name.text(), page.chosen_words.text().partition(" · ")[0]) == (
        "November", "$0.44: cached $0.10, fresh $0.30, output $0.04",
    )  # fmt: skip
    page.before.click()
    assert (page.when.text(), told(page)[-1].partition(", Sent")[0]) == (
        "2025",
        "Sum of each group, Requests 0",
    )


def test_caps_tell_how_full_they_are_and_lead_to_the_settings(page: MoneyPage):
    assert [row.accessibleName() for row in page.caps.shown] == [
        "Today: $0.22 of $5.00, $4.78 left, 4 %",
        "November: $0.44 of $60.00, $59.56 left, 1 %",
        "Chat “Token refresh”: $0.44 of $0.25, $0.00 left, 176 %",
    ]
    wishes: list[object] = []
    page.wishes.wish.connect(wishes.append)
    page.caps.add.click()
    assert wishes == [OpenSettings("spending")]


def test_a_cap_is_marked_from_four_fifths_on():
    limits = [replace(limit, usd=usd) for usd in (1.0, 0.5, 0.2) for limit in limits_of()]
    assert [line.tone for line in cap_lines(replace(VIEW, caps=SpendCaps()), limits, local(NOW))] == [
        "",
        "",
        "err",
    ]
    (near,) = cap_lines(replace(VIEW, caps=SpendCaps()), [replace(limits_of()[0], usd=0.25)], local(NOW))
    assert (near.tone, near.left) == ("warn", "$0.03 left")


@pytest.mark.parametrize(
    ("usd", "day", "left"),
    [
        (0.88, 11, "$0.44 left; at this pace reached on 21 November"),
        (0.50, 11, "$0.06 left; at this pace reached on 12 November"),
        (20.0, 11, "$19.56 left"),  # not in this month
        (0.88, 3, "$0.44 left"),  # too early to say
        (0.44, 11, "$0.00 left"),
    ],
)
def test_the_cap_of_a_month_says_when_it_is_reached_at_this_pace(usd: float, day: int, left: str):
    limit = replace(limits_of()[0], cap="month", usd=usd, since_utc="2026-11-01T00:00:00.000Z")
    now = local(NOW).replace(day=day, hour=0)
    (line,) = cap_lines(replace(VIEW, caps=SpendCaps()), [limit], now)
    assert line.left == left


def limits_of() -> tuple[Limit, ...]:
    """A cap of a dollar a day."""
    return limits_at(SpendCaps(day_usd=1.0), NOW)


def test_where_nothing_was_spent_there_is_no_chart(qtbot: QtBot):
    page = MoneyPage(Wishes())
    qtbot.addWidget(page)
    page.show_view(SpendView(now_utc=NOW))
    page.show()
    assert page.nothing.isVisible()
    assert not any(card.isVisible() for card in (page.chart_card, page.table_card, page.figures, page.causes))
    assert (page.caps.shown, page.caps.add.text()) == ([], "Add cap…")
    page.show_view(VIEW)
    assert (page.nothing.isVisible(), page.chart_card.isVisible()) == (False, True)


def test_a_narrow_page_is_one_column_with_two_weeks_and_fewer_figures(page: MoneyPage, qapp):
    page.resize(952, 656)
    qapp.processEvents()
    assert page.caps.y() < page.chart_card.y() < page.table_card.y() < page.causes.y()
    assert list(page.chart.numbers()) == list(range(3, 17))
    assert [head_text(at) for at in (PREDICTED, REREAD) if page.table.isColumnHidden(at)] == [
        "Predicted",
        "Re-read",
    ]
    cells = page.figures.cells
    assert cells[0].y() == cells[2].y() < cells[3].y()
    page.resize(1_152, 756)
    qapp.processEvents()
    assert len(page.chart.numbers()) == 30
    assert page.caps.isVisible()
    names = all_of(ElidedLabel, page)
    assert [name.text() for name in names if name.text() != name.shown_text()] == []


def test_what_is_spent_meanwhile_is_shown_without_losing_the_place(page: MoneyPage):
    QTest.keyClick(page.chart, Qt.Key.Key_Left)
    page.show_view(replace(VIEW, spent=(*SPENT, one(16))))
    assert (page.chart.selected(), page.chosen_words.text().endswith("1 request")) == (15, True)


@pytest.mark.parametrize(
    ("largest", "steps"), [(0.0, 5), (0.52, 3), (5.0, 6), (4.99, 5), (60.0, 4), (1234.5, 3), (0.0007, 4)]
)
def test_the_axis_has_few_lines_at_round_amounts(largest: float, steps: int):
    scale = scale_of(largest)
    assert 3 <= len(scale.steps) <= 6
    assert scale.steps[0] == 0
    assert scale.steps[-1] <= scale.top
    assert len(scale.steps) == steps or largest == 0


def test_periods_go_on_over_the_end_of_a_year():
    december = period_at(local("2026-12-31T12:00:00Z"), "day")
    assert (december, december.shifted(1)) == (Period("day", 2026, 12), Period("day", 2027, 1))
    assert december.shifted(-12) == Period("day", 2025, 12)
    assert period_at(local("2027-01-01T12:00:00Z"), "week") == Period("week", 2026, 1)
    assert len(Period("week", 2026).keys) == 53


def test_an_own_program_is_told_from_a_watched_one():
    lines = group_lines([one(1), one(1, program="weird<b>tool")], VIEW)
    assert [(line.cells[0], line.quiet) for line in lines if line.key[0] == "program"] == [
        ("Program", ""), ("weird<b>tool", "watched"), ("Your chats", ""),
    ]  # fmt: skip
    assert OWN == "workbench"


def test_the_chart_without_a_cap_is_as_high_as_its_highest_bar(qtbot: QtBot):
    chart = SpendChart()
    qtbot.addWidget(chart)
    chart.resize(600, 176)
    chart.show_period(Period("day", 2026, 11), (), None, local(NOW))
    assert not chart.grab().isNull()
    assert chart.nearest_place(100.0) is None


def test_it_is_walked_along_like_the_chart_of_cached_shares():
    assert issubclass(SpendChart, SteppedChart)
    assert issubclass(ShareChart, SteppedChart)


def test_the_settings_are_near(page: MoneyPage):
    assert button_with("Add cap…", page) is page.caps.add
