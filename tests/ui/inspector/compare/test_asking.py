"""Answers under a comparison: what is to be asked and what that takes, shown, and done with one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea

from tests.fakes.compared import COMPARISON, MINI, SMALL, compared
from tests.fakes.experiments import EXPERIMENT, experiment_view
from tests.fakes.read_aloud import unspoken
from tests.fakes.requests_shown import sent_view
from tests.fakes.sample_state import CHAT
from tests.fakes.turns import turn_inputs
from tests.fakes.widgets import all_of
from tests.ui.inspector.compare.test_page import Shown
from workbench.domain.experiment import Check, Experiment, Plan
from workbench.domain.message import Message
from workbench.domain.shown.comparison import ExperimentView
from workbench.domain.variant import Variant
from workbench.engine.program_intents import AskVariants, StopAsking
from workbench.engine.tuning_intents import CompareVariants, TakeAnswer
from workbench.ui.inspector.compare.asking import AnswersSection, AskSheet
from workbench.ui.widgets.labels import tell_roles


@pytest.fixture
def sheet(qtbot) -> AskSheet:
    tell_roles()
    made = AskSheet(*compared(), (MINI,))
    qtbot.addWidget(made)
    made.show()
    return made


def test_what_is_set_is_the_plan(sheet: AskSheet):
    assert sheet.plan() == Plan((MINI,))
    name, box = next(iter(sheet.models.items()))
    box.setChecked(True)
    sheet.repeats.setValue(3)
    sheet.cap.setValue(0.5)
    sheet.judge.setCurrentIndex(1)
    sheet.checks.setPlainText("contains:line\n\njudged:It is short.\n")
    checks = (Check("contains", "line"), Check("judged", "It is short."))
    assert sheet.plan() == Plan((MINI,), (name,), 3, 0.5, checks, judge=sheet.judge.itemData(1))
    assert unspoken(sheet) == []


def test_the_first_box_has_the_focus_and_not_the_list_around_it(sheet: AskSheet):
    (area,) = (one for one in all_of(QScrollArea, sheet) if one.accessibleName() == "Models")
    assert area.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_a_line_that_is_no_check_is_said_and_nothing_is_asked(sheet: AskSheet):
    asked: list[object] = []
    sheet.changed.connect(asked.append)
    sheet.wanted.connect(asked.append)
    sheet.checks.setPlainText("maybe")
    sheet._settle.stop()
    sheet._tell()
    sheet._ask()
    assert "maybe" in sheet.said.text()
    assert "--expect" not in sheet.said.text()
    assert (asked, sheet.go.isEnabled()) == ([], False)


def test_it_can_be_asked_once_its_price_is_known(sheet: AskSheet):
    wanted: list[object] = []
    sheet.wanted.connect(wanted.append)
    assert not sheet.go.isEnabled()
    sheet.show_price(experiment_view("q", stage="working"))
    assert not sheet.go.isEnabled()
    sheet.show_price(experiment_view("q", stage="offered", most_usd=0.0))
    assert sheet.said.text() == "4 requests · 26,468 tokens · no cost"
    sheet.go.click()
    assert wanted == [Plan((MINI,))]
    sheet.show_price(experiment_view("q", stage="offered", most_usd=0.0, problem="Small is not asked."))
    assert sheet.said.text().endswith("no cost\nSmall is not asked.")
    assert sheet.go.isEnabled()
    sheet.show_price(experiment_view("q", stage="failed", problem="It does not fit."))
    assert (sheet.said.text(), sheet.go.isEnabled()) == ("It does not fit.", False)


class OnTurn(Shown):
    """The page over the last sent turn."""

    def __init__(self, qtbot) -> None:
        super().__init__(qtbot)
        self.turn = self.chat.turns[-1]
        columns = (replace(COMPARISON.columns[0], name="As sent"), *COMPARISON.columns[1:])
        self.comparison = replace(COMPARISON, turn=self.turn.number, columns=columns)
        self.answers: AnswersSection = self.page.answers

    def tell(self, view: ExperimentView | None = None) -> None:
        self.state = replace(self.state, experiment=view)
        self.show(replace(self.chat, opened=sent_view(self.turn.number)), self.comparison)

    def asked(self) -> list[object]:
        return [one for one in self.intents if isinstance(one, AskVariants | StopAsking | TakeAnswer)]


@pytest.fixture
def on_turn(qtbot) -> OnTurn:
    return OnTurn(qtbot)


def test_the_next_request_is_asked_once_there_is_a_question(on_turn: OnTurn):
    on_turn.show(replace(on_turn.chat, draft=""))
    assert not on_turn.answers.ask.isEnabled()
    assert on_turn.answers.line.text() == "Write a question to ask it under every variant before you send it."
    on_turn.show(replace(on_turn.chat, draft="Why?"))
    on_turn.answers.ask.click()
    plan = Plan((MINI, SMALL, COMPARISON.variants[2]))
    assert on_turn.asked() == [AskVariants(CHAT, "", None, plan, offer=True)]


def test_answers_of_the_next_request_say_when_it_became_another(on_turn: OnTurn):
    view = on_turn.chat.view
    assert view is not None
    cells = tuple(replace(one, variant="Next request") for one in EXPERIMENT.cells[:1])
    found = replace(EXPERIMENT, turn=view.turn, cells=cells)
    unsent = turn_inputs(question=Message("draft", "user", ("Why?",)))
    live = experiment_view("", found=found, unsent=unsent)
    on_turn.state = replace(on_turn.state, experiment=live)
    on_turn.show(replace(on_turn.chat, draft="Why?"))
    assert on_turn.answers.grid.rows()[0].cells["Next request"].answer == found.cells[0].answer
    assert "changed" not in on_turn.answers.line.text()
    on_turn.page.view.choose(0)
    assert on_turn.page.branch.text() == "Send with this answer"
    on_turn.page.branch.click()
    assert on_turn.asked()[-1] == TakeAnswer(CHAT, "", None, Variant("Next request"), found.cells[0], live)
    on_turn.show(replace(on_turn.chat, draft="Why not?"))
    assert on_turn.answers.line.text().endswith("the question was changed since")
    on_turn.show(replace(on_turn.chat, draft="", view=replace(view, turn=view.turn + 1)))
    assert not on_turn.answers.grid.isVisible()


def test_what_was_asked_before_is_looked_for_once(on_turn: OnTurn):
    on_turn.tell()
    on_turn.tell()
    assert on_turn.asked() == [AskVariants(CHAT, on_turn.turn.question, on_turn.turn.reply, kept=True)]
    assert not on_turn.answers.grid.isVisible()


def test_the_grid_fills_and_can_be_stopped(on_turn: OnTurn):
    on_turn.tell(experiment_view(on_turn.turn.question, stage="working"))
    assert on_turn.answers.grid.isVisible()
    assert on_turn.answers.progress.isVisible()
    on_turn.answers.stop.click()
    assert on_turn.asked() == [StopAsking()]
    on_turn.tell(experiment_view(on_turn.turn.question))
    assert not on_turn.answers.stop.isVisible()
    assert on_turn.answers.line.text() == "3 of 4 asked · $0.0070"
    on_turn.tell(experiment_view("another question", found=None))
    assert on_turn.answers.found is EXPERIMENT


def test_a_plan_is_priced_before_it_is_asked(on_turn: OnTurn):
    on_turn.tell()
    on_turn.intents.clear()
    on_turn.answers.ask.click()
    plan = Plan((MINI, SMALL, COMPARISON.variants[2]))
    key = (CHAT, on_turn.turn.question, on_turn.turn.reply)
    assert on_turn.asked()[0] == AskVariants(*key, plan, offer=True)
    sheet = on_turn.answers.sheet
    assert sheet is not None
    on_turn.tell(experiment_view(on_turn.turn.question, stage="offered", found=None, most_usd=0.0))
    sheet.go.click()
    assert on_turn.asked()[-1] == AskVariants(*key, plan)


def test_while_a_price_is_worked_out_nothing_is_said_to_be_asked(on_turn: OnTurn):
    """“0 requests, price unknown” stood there, and stayed when the sheet was cancelled."""
    on_turn.tell()
    before = on_turn.answers.line.text()
    pricing = experiment_view(on_turn.turn.question, stage="working", requests=0, tokens=0, found=None)
    on_turn.tell(pricing)
    on_turn.tell(replace(pricing, stage="offered", requests=4))
    assert on_turn.answers.line.text() == before


def test_the_grid_comes_into_sight_when_it_begins_to_fill(on_turn: OnTurn, qtbot):
    on_turn.page.resize(718, 360)
    on_turn.tell()
    bar = on_turn.page._scroll.verticalScrollBar()
    working = experiment_view(on_turn.turn.question, stage="working")
    on_turn.tell(working)
    qtbot.waitUntil(lambda: bar.value() > 0)
    bar.setValue(0)
    on_turn.tell(replace(working, done=2))
    qtbot.wait(1)
    assert bar.value() == 0  # only once: who scrolls back stays there


def test_the_chosen_answer_becomes_a_branch_or_is_read(on_turn: OnTurn):
    on_turn.tell(experiment_view(on_turn.turn.question))
    on_turn.page.view.choose(1)
    assert on_turn.page.branch.isEnabled()
    on_turn.page.branch.click()
    key = (CHAT, on_turn.turn.question, on_turn.turn.reply)
    assert on_turn.asked() == [TakeAnswer(*key, MINI, EXPERIMENT.cells[2])]
    on_turn.answers.read()
    assert on_turn.answers.reader is not None
    on_turn.page.view.choose(0)
    on_turn.page.branch.click()
    assert on_turn.asked()[-1] == TakeAnswer(*key, Variant("As sent"), EXPERIMENT.cells[0])


def test_an_answer_is_taken_with_the_settings_it_was_asked_under(on_turn: OnTurn):
    """The column of that name had other settings by then, and those were taken."""
    before = replace(MINI, settings={"model": "another"})
    on_turn.tell(experiment_view(on_turn.turn.question, found=replace(EXPERIMENT, variants=(before,))))
    on_turn.page.view.choose(1)
    on_turn.page.branch.click()
    key = (CHAT, on_turn.turn.question, on_turn.turn.reply)
    assert on_turn.asked() == [TakeAnswer(*key, before, EXPERIMENT.cells[2])]
    on_turn.answers.grid.choose(1)
    assert not on_turn.page.branch.isEnabled()


def came_back(on_turn: OnTurn, *variants: Variant) -> Experiment:
    """The page of a turn that was asked in an earlier run of the program."""
    on_turn.comparison = replace(
        on_turn.comparison, columns=on_turn.comparison.columns[:1], variants=(), problems=()
    )
    on_turn.tell()
    found = replace(EXPERIMENT, variants=variants)
    on_turn.tell(experiment_view(on_turn.turn.question, found=found))
    return found


def compared_since(on_turn: OnTurn) -> list[CompareVariants]:
    return [one for one in on_turn.intents if isinstance(one, CompareVariants) and one.variants is not None]


def test_whoever_comes_back_finds_the_columns_that_were_asked(on_turn: OnTurn):
    """What was tried was seen only by who put a column of the same name together again."""
    came_back(on_turn, MINI)
    number = on_turn.turn.number
    assert compared_since(on_turn) == [CompareVariants(CHAT, number, (MINI,))]
    assert on_turn.answers.grid.isVisible()
    on_turn.tell(on_turn.state.experiment)
    assert len(compared_since(on_turn)) == 1  # removed again, they stay away
    assert on_turn.answers.others.text() == "Show 1 more column"
    on_turn.answers.others.click()
    assert compared_since(on_turn)[1:] == [CompareVariants(CHAT, number, (MINI,))]


def test_answers_without_any_variant_are_shown_under_the_request_itself(on_turn: OnTurn):
    """Other models alone were asked: the page said that there was nothing."""
    came_back(on_turn)
    assert compared_since(on_turn) == []
    assert not on_turn.page.empty.isVisible()
    assert not on_turn.answers.others.isVisible()
    assert on_turn.page.entry() is on_turn.page.view
    on_turn.page.view.choose(0)
    assert on_turn.page.branch.isEnabled()


def test_columns_that_are_there_make_room_for_what_was_asked(on_turn: OnTurn):
    others = tuple(Variant(f"Mine {number}", {"layout": "layered"}) for number in range(6))
    on_turn.comparison = replace(on_turn.comparison, variants=others)
    found = replace(EXPERIMENT, variants=(MINI, SMALL))
    on_turn.tell(experiment_view(on_turn.turn.question, found=found))
    assert compared_since(on_turn) == []
    assert on_turn.answers.others.text() == "Show 2 more columns"
    on_turn.answers.others.click()
    wanted = compared_since(on_turn)[0].variants
    assert wanted == (*others[:4], MINI, SMALL)


def test_answers_of_another_branch_are_said_to_be_so(on_turn: OnTurn):
    """They stood under “As sent” as if they had been given to the request of this branch."""
    mine = replace(EXPERIMENT, reply=on_turn.turn.reply or "")
    on_turn.tell(experiment_view(on_turn.turn.question, found=mine))
    assert "branch" not in on_turn.answers.line.text()
    on_turn.tell(experiment_view(on_turn.turn.question, found=replace(mine, reply="another")))
    assert on_turn.answers.line.text().endswith("asked on another branch, of another request than this")
