"""Finding commands by a few letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.matching import letters_in
from workbench.ui.commands import Command
from workbench.ui.dialogs.palette_match import grouped, matches


def command(title: str, group: str = "Chat", enabled: bool = True, more: str = "") -> Command:
    return Command(title, title, group, lambda: None, more=more, enabled=lambda: enabled)


ALL = [command("New chat"), command("Rename this chat"), command("Search all chats", "Go to", more="find")]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("new", "New chat"),
        ("rtc", "Rename this chat"),
        ("find", "Search all chats"),
        ("CHATS", "Search all chats"),
    ],
)
def test_the_best_fit_comes_first(typed: str, first: str):
    assert matches(typed, ALL)[0].command.title == first


def test_what_cannot_be_done_now_is_not_offered():
    assert matches("", [command("a", enabled=False)]) == []


def test_letters_strewn_over_a_title_are_no_fit():
    assert letters_in("nhs", "Rename this chats") is None


def test_nothing_typed_is_everything_in_its_order():
    assert [match.command.title for match in matches("  ", ALL)] == [one.title for one in ALL]


def test_groups_follow_their_best_match():
    assert [name for name, _ in grouped(matches("search", ALL))] == ["Go to"]


@given(st.text(max_size=8), st.text(max_size=20))
def test_marks_are_places_in_the_title_in_their_order(typed: str, title: str):
    found = letters_in(typed, title)
    if found is not None:
        marks = found[1]
        assert list(marks) == sorted(set(marks))
        assert all(0 <= place < len(title) for place in marks)
