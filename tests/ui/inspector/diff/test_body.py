"""What changed and what it does to the cache: bars, causes, the cheaper way, and where nothing changed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest

from tests.fakes.requests_shown import AUTH, QUESTION, scripted_state
from tests.fakes.sample_state import sample_diff
from workbench.domain.shown.diff_view import DiffCause
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import ChangeSettings
from workbench.ui.inspector.diff.body import (
    FLAG_HEIGHT,
    MOST_ROWS,
    NAME_WIDTH,
    ROW_HEIGHT,
    CauseList,
    CauseModel,
    DiffBars,
    DiffBody,
    DiffFigures,
    Entry,
    NoteCard,
    breaking_file,
    entries,
    freezing,
    freezing_words,
    side_bar,
)
from workbench.ui.inspector.diff.relation_words import figures
from workbench.ui.look.theme import LIGHT, Theme, colour
from workbench.ui.steps import Step


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


def scripted() -> tuple[Entry, ...]:
    return entries(sample_diff(), scripted_state()[1])


@pytest.fixture
def causes(qtbot) -> CauseList:
    made = CauseList()
    qtbot.addWidget(made)
    made.resize(720, 160)
    made.show_entries(scripted())
    made.show()
    return made


def test_causes_come_in_wire_order_with_their_effect():
    found = scripted()
    assert [entry.title.split(" at ")[0] for entry in found] == [
        "docs/api.md changed on disk",
        "Turn 8 moved into history",
        "src/auth.py attached",
        "New question",
    ]
    assert [entry.breaks for entry in found] == [True, False, False, False]


def test_the_model_keeps_its_promises(qapp):
    model = CauseModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_items(scripted())
    assert model.index(1).data() == "Turn 8 moved into history. History, +1,310 tokens. after the break"
    changed: list[int] = []
    model.dataChanged.connect(lambda first, _last: changed.append(first.row()))
    model.show_items((scripted()[0]._replace(line="another"), *scripted()[1:]))
    assert changed == [0]
    model.show_items(scripted()[:2])
    assert model.rowCount() == 2
    assert tester.model() is model


def test_many_causes_scroll(causes: CauseList):
    diff = sample_diff()
    many = replace(diff, causes=diff.causes * 5)
    causes.show_entries(entries(many, scripted_state()[1]))
    assert causes.height() == ROW_HEIGHT * MOST_ROWS


def test_a_click_and_the_arrows_choose(causes: CauseList):
    picked: list[int] = []
    causes.picked.connect(picked.append)
    QTest.mouseClick(
        causes.viewport(),
        Qt.MouseButton.LeftButton,
        pos=causes.visualRect(causes.model().index(2, 0)).center(),
    )
    QTest.keyClick(causes, Qt.Key.Key_Up)
    assert picked == [2, 1]
    causes.select(3)
    assert picked == [2, 1]


def test_the_chosen_cause_has_its_ground(causes: CauseList):
    causes.select(0)
    causes.clearFocus()
    assert causes.viewport().grab().toImage().pixelColor(400, 10) == colour(LIGHT.sel)


def test_freezing_keeps_the_copies_that_the_cache_knows_and_can_be_taken_back():
    _, chat = scripted_state()
    step = freezing(chat, sample_diff())
    assert step is not None
    assert step.title == "Freeze docs/api.md"
    frozen = replace(chat.chat.settings, freshness="freeze")
    assert step.do == (ChangeSettings(chat.chat.id, frozen, chat.chat.settings),)
    assert step.undo == (ChangeSettings(chat.chat.id, chat.chat.settings, frozen),)


def test_its_words_say_what_stays_and_where_the_new_text_goes():
    assert freezing_words(sample_diff()) == (
        "The library keeps its old copy: 4,205 tokens stay cached. The new text is added after History."
    )


def test_there_is_no_other_way_where_no_file_broke_the_prefix_of_the_next_request():
    diff = sample_diff()
    assert breaking_file(diff) is diff.causes[0]
    assert breaking_file(replace(diff, change="extended")) is None
    assert breaking_file(replace(diff, after=diff.before)) is None
    attached = replace(diff, causes=(replace(diff.causes[2], breaks=True),))
    assert breaking_file(attached) is None


def test_what_is_frozen_already_is_not_offered_again():
    _, chat = scripted_state()
    frozen = replace(chat, chat=replace(chat.chat, settings=replace(chat.chat.settings, freshness="freeze")))
    assert freezing(frozen, sample_diff()) is None


def test_it_says_its_words_and_offers_only_where_there_is_an_offer(qtbot):
    card = NoteCard("check", "ok")
    qtbot.addWidget(card)
    card.show()
    card.say("All is well", "Nothing to do.")
    assert (card.title.text(), card.line.text()) == ("All is well", "Nothing to do.")
    assert not card.offer.isVisible()
    card.say("Better", "There is a way.", "Take it")
    assert card.offer.isVisible()
    taken: list[bool] = []
    card.pressed.connect(lambda: taken.append(True))
    QTest.mouseClick(card.offer, Qt.MouseButton.LeftButton)
    assert taken == [True]


def test_long_words_wrap_and_are_not_cut(qtbot):
    card = NoteCard("check")
    qtbot.addWidget(card)
    card.say("Title", "many words " * 30)
    assert card.line.wordWrap()
    assert card.line.textFormat() == Qt.TextFormat.PlainText


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
    body.let_go()
    body.show_diff(chat, sample_diff())
    assert body.chosen() == 3, "an equal one, after the page was hidden"
    body.show_diff(chat, replace(diff, causes=diff.causes[:-1]))
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
