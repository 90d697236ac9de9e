"""A comparison from top to bottom."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import AUTH, QUESTION, scripted_state
from tests.fakes.sample_state import sample_diff
from workbench.domain.shown.diff_view import DiffCause
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.diff.body import DiffBody, DiffFigures
from workbench.ui.inspector.diff.relation_words import figures
from workbench.ui.look.theme import Theme, colour
from workbench.ui.steps import Step


@pytest.fixture
def body(qtbot) -> DiffBody:
    made = DiffBody()
    qtbot.addWidget(made)
    made.resize(752, 800)
    made.show_diff(scripted_state()[1], sample_diff())
    made.show()
    return made


def test_the_cause_that_breaks_is_shown_at_first(body: DiffBody):
    assert body.chosen() == 0
    assert body.card.name.text() == "docs/api.md"
    assert body.card.steps.words() == "1 of 4"
    assert not body.calm.isVisible()


def test_choosing_a_cause_shows_its_text_and_tells_its_row(body: DiffBody):
    picked: list[RowKey] = []
    body.picked.connect(picked.append)
    body.causes.picked.emit(2)
    assert body.card.name.text() == "src/auth.py"
    body.card.steps.stepped.emit(1)
    assert body.card.name.text() == "question"
    body.card.steps.stepped.emit(1)
    assert picked == [AUTH, QUESTION, QUESTION]


def test_a_request_that_was_rebuilt_is_not_called_by_the_code_of_the_reason(body: DiffBody):
    _, chat = scripted_state()
    body.show_diff(
        chat, replace(sample_diff(), causes=(DiffCause("rebuilt", "L1_SYSTEM", "cold", breaks=True),))
    )
    assert body.card.name.text() == "Whole request"
    assert body.card.calm.text().startswith("The request was laid out afresh")


def test_a_row_chosen_elsewhere_chooses_its_cause(body: DiffBody):
    body.select(AUTH)
    assert body.chosen() == 2
    body.select(RowKey("L1_SYSTEM", "persona"))
    body.select(None)
    assert body.chosen() == 2


def test_what_the_user_chose_stays_while_the_same_comparison_is_rendered_again(body: DiffBody):
    _, chat = scripted_state()
    diff = sample_diff()
    body.show_diff(chat, diff)
    body.causes.picked.emit(3)
    body.show_diff(replace(chat, draft="typed"), diff)
    assert body.chosen() == 3
    body.show_diff(chat, sample_diff())
    assert body.chosen() == 0


def test_the_way_to_the_payload_takes_the_row_along(body: DiffBody):
    wanted: list[RowKey] = []
    body.payload_wanted.connect(wanted.append)
    QTest.mouseClick(body.card.payload, Qt.MouseButton.LeftButton)
    assert wanted == [RowKey("L2_PREVIOUS", "docs/api.md")]


def test_the_cheaper_way_is_one_step(body: DiffBody):
    steps: list[Step] = []
    body.wishes.step.connect(steps.append)
    assert body.alternative.isVisible()
    QTest.mouseClick(body.alternative.offer, Qt.MouseButton.LeftButton)
    assert [step.title for step in steps] == ["Freeze docs/api.md"]


def test_where_nothing_broke_it_is_calm_and_explains(body: DiffBody):
    diff = sample_diff()
    calm = replace(
        diff,
        change="extended",
        lost_tokens=0,
        causes=tuple(replace(c, breaks=False) for c in diff.causes[1:]),
    )
    body.show_diff(scripted_state()[1], calm)
    assert body.calm.isVisible()
    assert body.calm.title.text() == "The prefix is intact"
    assert not body.alternative.isVisible()
    body.show_diff(scripted_state()[1], replace(calm, change="identical", causes=()))
    assert body.calm.title.text() == "Nothing differs"
    assert not body.why.isVisible()
    assert not body.card.isVisible()


def test_what_is_lost_has_a_ground_of_its_own_at_the_beginning(qtbot, theme: Theme):
    made = DiffFigures()
    qtbot.addWidget(made)
    made.resize(720, 54)
    made.show_figures(figures(sample_diff()))
    assert made.grab().toImage().pixelColor(170, 40) == colour(theme.err_tint)
    assert made.grab().toImage().pixelColor(350, 40) == colour(theme.raised)


def test_the_figures_are_spoken(qtbot):
    made = DiffFigures()
    qtbot.addWidget(made)
    made.show_figures(figures(sample_diff()))
    assert made.accessibleDescription().startswith(
        "−2,723 tokens lost from the cache, 1,482 tokens still reused"
    )
