"""The chats in groups by the day they were last used."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QDate, QDateTime, QLocale, Qt, QTime

from tests.fakes.sample_state import NOW, sample_state
from workbench.domain.record import Chat
from workbench.ui.chats.lines import ActionLine, Calendar, ChatLine, GroupHead, local_day, title_of
from workbench.ui.chats.places import Listed, place_lines

TODAY = QDate(2026, 11, 12)  # a Thursday


def utc(day: QDate, hour: int = 12) -> str:
    """An hour of a day where the test runs, as the store would write it."""
    return QDateTime(day, QTime(hour, 0)).toUTC().toString(Qt.DateFormat.ISODate)


def place(used_utc: str) -> tuple[str, str]:
    return Calendar(TODAY).place(used_utc)


@pytest.fixture
def monday_first(qapp: object) -> Iterator[None]:
    """A place where weeks begin on Mondays and the clock has 24 hours."""
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom))
    yield
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))


@pytest.mark.parametrize(
    ("days_ago", "group"),
    [
        (0, "today"),
        (1, "yesterday"),
        (2, "this_week"),
        (3, "this_week"),
        (4, "last_week"),
        (10, "last_week"),
        (11, "older"),
        (400, "older"),
        (-1, "today"),
    ],
)
def test_a_chat_is_in_the_group_of_its_day(monday_first: object, days_ago: int, group: str):
    assert place(utc(TODAY.addDays(-days_ago)))[0] == group


def test_weeks_begin_on_the_day_that_is_usual_where_the_user_is(qapp: object):
    sunday = TODAY.addDays(-4)
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    assert QLocale().firstDayOfWeek() == Qt.DayOfWeek.Sunday
    assert place(utc(sunday))[0] == "this_week"


def test_what_has_no_time_is_old(qapp: object):
    assert place("") == ("older", "")
    assert local_day("soon") is None


def test_the_time_is_as_short_as_its_group_allows(monday_first: object):
    assert place(utc(TODAY, 14))[1] == "14:00"
    assert place(utc(TODAY.addDays(-6)))[1] == "Fri"
    assert place(utc(QDate(2026, 10, 2)))[1] == "2 Oct"
    assert place(utc(QDate(2025, 3, 2)))[1] == "Mar 2025"


def test_the_sample_is_as_in_the_picture(monday_first: object):
    lines = place_lines(Listed(sample_state().chats), local_day(NOW) or TODAY)
    heads = [line.words for line in lines if isinstance(line, GroupHead)]
    assert heads == ["Today", "Yesterday", "Last week"]
    assert len([line for line in lines if isinstance(line, ChatLine)]) == 10
    assert [line.when for line in lines if isinstance(line, ChatLine)][-4:] == ["Fri", "Thu", "Thu", "Mon"]


def test_the_most_recently_used_comes_first_whatever_the_order_they_came_in(qapp: object):
    """Otherwise a group would be begun twice."""
    old, new = Chat("a", utc(TODAY.addDays(-1)), "a"), Chat("b", "", "b", used_utc=utc(TODAY))
    lines = place_lines(Listed((old, new)), TODAY)
    assert [line.id for line in lines] == ["group:today", "b", "group:yesterday", "a", "new-workspace"]
    assert isinstance(lines[-1], ActionLine)


def test_a_chat_that_answers_is_marked(qapp: object):
    lines = place_lines(Listed((Chat("a", utc(TODAY)), Chat("b", utc(TODAY))), running={"b"}), TODAY)
    assert [line.running for line in lines if isinstance(line, ChatLine)] == [False, True]


def test_a_chat_without_a_title_is_a_new_one(qapp: object):
    assert title_of("") == "New chat"


def test_a_title_cannot_turn_the_line_around(qapp: object):
    assert "\u202e" not in title_of("a\u202egpj.exe")
