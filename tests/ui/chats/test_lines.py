"""The chats in groups by the day they were last used."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QDate, QDateTime, QLocale, QModelIndex, QPersistentModelIndex, Qt, QTime
from PySide6.QtTest import QAbstractItemModelTester

from tests.fakes.effort import tries
from tests.fakes.sample_state import NOW, sample_state
from workbench.domain.record import Chat, Hit
from workbench.ui.chats.lines import (
    BEFORE,
    ActionLine,
    Calendar,
    ChatLine,
    FoundHead,
    FoundLine,
    GroupHead,
    LinesModel,
    found_lines,
    near_match,
    spoken,
    title_of,
)
from workbench.ui.chats.places import Listed, place_lines
from workbench.ui.formatting import local_day
from workbench.ui.widgets.items.item_model import ITEM

TODAY = QDate(2026, 11, 12)  # a Thursday
WHEN = "2026-11-12T12:00:00Z"


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


def hit(chat: str, where: str = "message", subject: str = "m1", snippet: str = "the token") -> Hit:
    return Hit(chat, f"Title of {chat}", where, subject, snippet, ((4, 9),), WHEN)  # type: ignore[arg-type]


def test_hits_stand_below_their_chat_in_the_order_of_the_best():
    lines = found_lines([hit("b"), hit("a"), hit("b", subject="m2")])
    assert [line.chat for line in lines] == ["b", "b", "b", "a", "a"]
    assert lines[0] == FoundHead("chat:b", "b", "Title of b", 2)


def test_a_hit_leads_to_its_message_or_attachment_with_its_words():
    lines = found_lines([hit("a"), hit("a", "title", "a"), hit("a", "attachment", "docs/api.md")])
    found = [line for line in lines if isinstance(line, FoundLine)]
    assert [line.subject for line in found] == ["m1", "", "docs/api.md"]
    assert {line.words for line in found} == {("token",)}


def test_ids_are_unique_even_where_hits_are_alike():
    lines = found_lines([hit("a"), hit("a"), hit("b")])
    assert len({line.id for line in lines}) == len(lines)


def test_a_match_far_behind_is_brought_to_the_front():
    """In a narrow list it would else be below the two lines that are shown."""
    text = "word " * 30 + "token and more"
    snippet, marks = near_match(text, ((150, 155),))
    assert snippet.startswith("…word ")
    assert [snippet[low:high] for low, high in marks] == ["token"]
    assert marks[0][0] <= BEFORE + 1


def test_without_a_space_the_cut_is_in_the_word():
    snippet, marks = near_match("x" * 60 + "token", ((60, 65),))
    assert snippet == "…" + "x" * BEFORE + "token"
    assert marks == ((BEFORE + 1, BEFORE + 6),)


def test_a_match_that_can_be_seen_moves_nothing():
    text = "x" * BEFORE + "token"
    assert near_match(text, ((BEFORE, BEFORE + 5),)) == (text, ((BEFORE, BEFORE + 5),))


def test_a_near_match_stays_where_it_is():
    assert near_match("the token", ((4, 9),)) == ("the token", ((4, 9),))


def test_marks_that_are_none_are_left_out():
    assert near_match("abc", ((-1, 2), (2, 2), (1, 9))) == ("abc", ())


@given(st.text(max_size=80), st.integers(0, 80), st.integers(1, 9))
def test_what_is_marked_is_the_same_text_as_before(text: str, start: int, length: int):
    start = min(start, len(text))
    end = min(start + length, len(text))
    snippet, marks = near_match(text, ((start, end),))
    assert [snippet[low:high] for low, high in marks] == ([text[start:end]] if end > start else [])


def test_marks_of_turned_text_lie_on_the_same_characters():
    """A character that is written out would move every mark behind it."""
    line = found_lines([hit("a", snippet="a\u202eb token")])[1]
    assert isinstance(line, FoundLine)
    assert "\u202e" not in line.snippet
    assert len(line.snippet) == len("a.b token")


FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


def chat(key: str, title: str = "", running: bool = False) -> ChatLine:
    return ChatLine(key, title or key, "14:06", running, title or key)


def model_of(*lines: ChatLine | GroupHead) -> LinesModel:
    model = LinesModel()
    model.show_items(lines)
    return model


def ids(model: LinesModel) -> list[str]:
    return [model.index(row).data(ITEM).id for row in range(model.rowCount())]


@settings(max_examples=tries(40), deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), max_size=6))
def test_any_lists_one_after_the_other_are_told_as_a_sound_model(qapp: object, lists: list[list[str]]):
    model = LinesModel()
    tester = QAbstractItemModelTester(model, FATAL)
    for keys in lists:
        model.show_items([chat(key) for key in keys])
        assert ids(model) == keys
    assert tester is not None


def test_a_line_that_stays_keeps_its_place_in_the_view(qapp: object):
    """With a reset the list would jump to its top whenever a title changes."""
    model = model_of(chat("a"), chat("b"), chat("c"))
    kept = QPersistentModelIndex(model.index(2))
    model.show_items([chat("new"), chat("a"), chat("b"), chat("c")])
    assert kept.row() == 3


def test_only_the_line_that_changed_is_told(qapp: object):
    model = model_of(chat("a"), chat("b"), chat("c"))
    told: list[int] = []
    model.dataChanged.connect(lambda first, _last: told.append(first.row()))
    model.rowsRemoved.connect(lambda *_: told.append(-1))
    model.rowsInserted.connect(lambda *_: told.append(-2))
    model.show_items([chat("a"), chat("b", "other"), chat("c")])
    assert told == [1]


def test_a_heading_cannot_be_chosen_and_a_chat_can_be_edited(qapp: object):
    model = model_of(GroupHead("group:today", "Today"), chat("a"))
    head, line = (model.flags(model.index(row)) for row in (0, 1))
    assert not head & Qt.ItemFlag.ItemIsSelectable
    assert line & Qt.ItemFlag.ItemIsSelectable
    assert line & Qt.ItemFlag.ItemIsEditable


def test_a_new_title_is_asked_for_and_not_made_up(qapp: object):
    model = model_of(chat("a", "old"))
    asked: list[tuple[str, str]] = []
    model.renamed.connect(lambda key, title: asked.append((key, title)))
    assert model.setData(model.index(0), "  new \n title ")
    assert asked == [("a", "new title")]
    assert model.index(0).data() == "old"


def test_a_title_of_nothing_or_the_same_is_not_asked_for(qapp: object):
    model = model_of(chat("a", "old"))
    asked: list[tuple[str, str]] = []
    model.renamed.connect(lambda key, title: asked.append((key, title)))
    assert not model.setData(model.index(0), "   ")
    model.setData(model.index(0), "old")
    assert asked == []


def test_the_title_is_edited_as_it_was_given(qapp: object):
    model = model_of(ChatLine("a", "shown⟨U+202E⟩", "14:06", False, "shown\u202e"))
    assert model.index(0).data(Qt.ItemDataRole.EditRole) == "shown\u202e"


def test_a_chat_that_answers_says_so_in_words(qapp: object):
    assert spoken(chat("a", running=True)) == "a, 14:06, an answer is arriving"
    assert spoken(chat("a")) == "a, 14:06"
    assert spoken(FoundHead("x", "c", "Title", 3)) == "Title, 3 found"
    assert spoken(FoundLine("x", "c", "", "title", "words", ())) == "in the title: words"


def test_outside_of_the_list_there_is_nothing(qapp: object):
    model = model_of(chat("a"))
    assert model.item(QModelIndex()) is None
    assert model.row_of("b") == -1
