"""The text of one cause, line by line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes import sample_texts as texts
from tests.fakes.sample_state import sample_diff
from workbench.domain.shown.diff_view import DiffCause
from workbench.ui.inspector.diff.card import MOST_COMPARED, MOST_LINES, MOST_SHOWN, DiffCard, differences

lines = st.lists(st.sampled_from(("a", "b", "c", "")), max_size=12).map(
    lambda some: "".join(f"{one}\n" for one in some)
)


@pytest.fixture
def card(qtbot) -> DiffCard:
    made = DiffCard()
    qtbot.addWidget(made)
    made.resize(720, 300)
    made.show()
    return made


def long_cause(lines: int) -> DiffCause:
    return replace(sample_diff().causes[2], texts=lambda: ("", "".join(f"line {n}\n" for n in range(lines))))


def test_it_says_what_changed_and_where_it_first_differs(card: DiffCard):
    card.show_cause(sample_diff().causes[0], "docs/api.md", 1_482)
    assert card.name.text() == "docs/api.md"
    assert card.digests.text() == "17c9b4e3 → 9af05d21"
    assert (card.added.text(), card.removed.text()) == ("+3", "−2")
    assert card.lines.note() == (1, "◂ token 1,482: first difference")
    assert card.lines.lines()[1].text == "Returns a new token. Valid for 3600 s."


def test_only_the_cause_that_breaks_has_the_note(card: DiffCard):
    card.show_cause(sample_diff().causes[3], "question", 1_482)
    assert card.lines.note() is None
    assert not card.digests.isVisible()


def test_of_a_long_text_twelve_lines_are_shown_until_someone_wants_all(card: DiffCard):
    card.show_cause(long_cause(100), "src/auth.py", None)
    assert len(card.lines.lines()) == MOST_LINES
    assert card.more.text() == "Show all 100 lines"
    card.more.click()
    assert len(card.lines.lines()) == 100
    assert not card.more.isVisible()


def test_of_an_endless_text_only_the_beginning_can_be_shown(card: DiffCard):
    card.show_cause(long_cause(40_000), "src/auth.py", None)
    assert card.more.text() == "Show the first 2,000 lines"


def test_what_only_moved_says_so(card: DiffCard):
    moved = replace(sample_diff().causes[2], texts=lambda: ("same", "same"))
    card.show_cause(moved, "src/auth.py", None)
    assert card.calm.isVisible()
    assert not card.lines.isVisible()


def test_texts_are_made_once(card: DiffCard):
    looked: list[int] = []

    def texts() -> tuple[str, str]:
        looked.append(1)
        return "a", "b"

    cause = replace(sample_diff().causes[0], texts=texts)
    card.show_cause(cause, "docs/api.md", None)
    card.show_cause(cause, "docs/api.md", None)
    assert looked == [1]


def test_it_leads_to_its_neighbours_and_to_the_payload(card: DiffCard):
    card.show_place((2, 4), in_payload=True)
    told: list[object] = []
    card.steps.stepped.connect(told.append)
    card.payload_wanted.connect(lambda: told.append("payload"))
    QTest.mouseClick(card.steps.after, Qt.MouseButton.LeftButton)
    QTest.mouseClick(card.payload, Qt.MouseButton.LeftButton)
    assert told == [1, "payload"]
    card.show_place((2, 4), in_payload=False)
    assert not card.payload.isVisible()


def test_the_scripted_file_changed_in_five_lines():
    found = differences(texts.API_BEFORE, texts.API_AFTER)
    assert (found.added, found.removed) == (3, 2)
    assert found.first == 1
    assert found.lines[1] == (2, None, "-", "Returns a new token. Valid for 3600 s.")


@given(lines, lines)
def test_what_is_added_and_removed_makes_one_text_of_the_other(before: str, after: str):
    found = differences(before, after)
    kept = [line for line in found.lines if line.sign in " +"]
    old = before.splitlines()
    rebuilt = {line.new: line.text for line in kept}
    assert all(after.splitlines()[number - 1] == text for number, text in rebuilt.items() if number)
    assert found.removed - found.added == len(old) - len(after.splitlines())


def test_numbers_are_those_of_the_whole_text():
    """What is the same at the beginning is skipped before comparing; its lines count all the same."""
    same = "".join(f"{n}\n" for n in range(5_000))
    found = differences(same + "old\n" + same, same + "new\n" + same)
    changed = [line for line in found.lines if line.sign != " "]
    assert [(line.old, line.new) for line in changed] == [(5_001, None), (None, 5_001)]
    assert len(found.lines) == 8


def test_texts_that_have_nothing_in_common_are_not_matched_line_by_line():
    """Matching a hundred thousand lines with as many others takes minutes."""
    before = "".join(f"a{n}\n" for n in range(50_000))
    after = "".join(f"b{n}\n" for n in range(60_000))
    found = differences(before, after)
    assert (found.added, found.removed, found.cut) == (60_000, 50_000, True)
    assert len(found.lines) == MOST_SHOWN
    assert MOST_COMPARED < 50_000


def test_the_same_twice_has_no_lines():
    found = differences("a\nb\n", "a\nb\n")
    assert (found.lines, found.first) == ((), None)
