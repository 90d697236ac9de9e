"""The section sheet: what is shown of a file, what a tick sends, and what takes it back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.parts_shown import CHOSEN, chat_with_parts, parts_view
from tests.fakes.sample_state import sample_attachments
from workbench.domain.shown.parts_view import PartsView
from workbench.engine.attaching_intents import ChooseParts, ShowParts
from workbench.engine.intents import AttachText, DetachArtifacts
from workbench.engine.tuning_intents import TuneAttached
from workbench.ui.inspector.sections.outline import Column
from workbench.ui.inspector.sections.sheet import PageText, SectionSheet, SheetFoot, SheetHead
from workbench.ui.steps import Step


class Out:
    """A sheet and everything that came out of it."""

    def __init__(self, qtbot: QtBot) -> None:
        self.sheet = SectionSheet()
        qtbot.addWidget(self.sheet)
        self.intents: list[object] = []
        self.steps: list[Step] = []
        self.sheet.wishes.intent.connect(self.intents.append)
        self.sheet.wishes.step.connect(self.steps.append)
        self.sheet.resize(752, 700)
        self.sheet.show()
        self.show(parts_view())

    def show(self, view: PartsView) -> None:
        self.sheet.show_chat(chat_with_parts(view))

    def on(self, anchor: str) -> Out:
        parts = self.sheet.outline.parts.outline.parts
        self.sheet.outline.go_to([part.anchor for part in parts].index(anchor))
        self.sheet.outline.setFocus()
        return self

    def press(self, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> Out:
        QTest.keyClick(self.sheet.outline, key, held)
        return self

    def last(self) -> ChooseParts:
        wanted = self.steps[-1].do[0]
        assert isinstance(wanted, ChooseParts)
        return wanted

    def cell(self, anchor: str, column: Column) -> str:
        parts = self.sheet.outline.parts
        place = [part.anchor for part in parts.outline.parts].index(anchor)
        return parts.text_of(place, column)


@pytest.fixture
def out(qtbot: QtBot) -> Out:
    return Out(qtbot)


def test_the_head_says_what_the_file_is_and_the_foot_what_is_chosen(out: Out):
    head, foot = out.sheet.head, out.sheet.foot
    assert head.name.text() == "spec.pdf"
    assert head.extent.text() == "6 pages · 700 tokens"
    assert head.kind.word() == "text layer"
    assert foot.chosen.words() == "300 chosen, 3 of 6 pages"
    assert foot.cache.words().startswith("cache kept")


def test_what_is_sent_of_a_whole_file_is_not_told_as_all_of_it(out: Out):
    """Of 18,346 tokens 4,736 fitted: “4,736 chosen, whole file”."""
    row = replace(sample_attachments()[0], tokens=4_736, full_tokens=18_346, state="compacted")
    out.sheet.foot.show_sums(replace(parts_view(), whole=True, chosen=()), (row,), None)
    assert out.sheet.foot.chosen.words() == "4,736 of 18,346 sent; chosen: whole file"


def test_a_tick_attaches_one_more_part_as_a_step_that_can_be_taken_back(out: Out):
    out.on("p1").press(Qt.Key.Key_Space)
    assert out.last().anchors == ("p1", *CHOSEN)
    (step,) = out.steps
    before, tuned = step.undo
    assert isinstance(before, ChooseParts)
    assert before.anchors == CHOSEN
    assert isinstance(tuned, TuneAttached)
    assert {change.key: change.priority for change in tuned.changes} == {"spec.pdf#Two": 3, "spec.pdf#p6": 3}


def test_a_heading_that_is_ticked_throughout_is_that_heading(out: Out):
    out.on("p5").press(Qt.Key.Key_Space)
    assert out.last().anchors == ("Two", "Three")


def test_quick_ticks_go_on_from_each_other(out: Out):
    """The engine answers in a moment: a second tick before that must not forget the first."""
    out.on("p1").press(Qt.Key.Key_Space).on("p5").press(Qt.Key.Key_Space)
    assert out.last().anchors == ("p1", "Two", "Three")
    out.show(replace(parts_view(), chosen=("p1", *CHOSEN)))  # the first has been done
    assert out.cell("p5", Column.CHOSEN) == "100"


def test_everything_ticked_is_the_whole_file(out: Out):
    out.on("One").press(Qt.Key.Key_Space).on("Three").press(Qt.Key.Key_Space)
    assert (out.last().anchors, out.last().whole) == ((), True)


def test_enter_attaches_a_part_alone(out: Out):
    out.on("One").press(Qt.Key.Key_Return)
    assert out.last().anchors == ("One",)


def test_what_the_engine_never_does_is_shown_no_longer(out: Out):
    out.on("p1").press(Qt.Key.Key_Space)
    assert out.cell("p1", Column.CHOSEN) == "100"
    out.sheet._patience.timeout.emit()
    assert out.cell("p1", Column.CHOSEN) == ""


def test_figures_come_as_they_are_counted(out: Out):
    uncounted = tuple(
        replace(row, tokens=None if row.part.anchor in ("Three", "p6") else row.tokens)
        for row in parts_view().rows
    )
    out.show(replace(parts_view(), rows=uncounted, tokens=None))
    assert out.cell("Three", Column.TOKENS) == "≥ 100"
    assert out.cell("p6", Column.TOKENS) == "…"
    assert "… tokens" in out.sheet.head.extent.text()


def test_the_text_is_exactly_the_part_and_the_arrows_turn_pages(out: Out):
    view = parts_view()
    out.on("p4")
    part = next(row.part for row in view.rows if row.part.anchor == "p4")
    assert out.sheet.page.text.toPlainText() == view.text[part.start : part.end]
    assert out.sheet.page.where.text() == "p. 4 of 6"
    out.sheet.page.on.click()
    assert out.sheet.page.where.text() == "p. 5 of 6"


def test_arrows_fold_and_the_filter_finds(out: Out):
    outline = out.on("Three").sheet.outline
    opened = outline.isExpanded(outline.currentIndex())
    out.press(Qt.Key.Key_Left if opened else Qt.Key.Key_Right)
    assert outline.isExpanded(outline.currentIndex()) is not opened
    out.sheet.filter.setText("page 5")
    assert outline.parts.rowCount() == 1  # Three, in which page 5 is


def test_pages_typed_by_hand_are_attached(out: Out):
    out.sheet.typed.setText("1-2")
    out.sheet.add.click()
    assert out.last().anchors == ("One", *CHOSEN)  # the pages are all there is in it
    out.sheet.typed.setText("90-99")
    out.sheet.add.click()
    assert "No such part" in out.sheet.problem.text()
    assert len(out.steps) == 1


def test_remove_takes_everything_of_it_off(out: Out):
    out.sheet.foot.remove.click()
    assert out.steps[-1].do[0] == DetachArtifacts("token-refresh", ("spec.pdf#Two", "spec.pdf#p6"))


def test_escape_and_done_close(out: Out):
    out.on("p1").press(Qt.Key.Key_Escape)
    out.sheet.foot.done.click()
    assert out.intents == [ShowParts("token-refresh")] * 2


def test_a_selection_is_attached_with_where_it_is_from(out: Out):
    out.on("p2").sheet.page.text.selectAll()
    out.sheet.page.text.selection_wanted.emit()
    (intent,) = out.intents
    assert isinstance(intent, AttachText)
    assert (intent.kind, intent.title) == ("selection", "spec.pdf, lines 3–4")


def test_a_file_without_parts_says_so_and_takes_lines(out: Out):
    view = PartsView("a.txt", "a.txt", "a.txt", text="1\n2\n3\n", whole=True, tokens=9)
    out.show(view)
    assert "Nothing to choose from" in out.sheet.empty.accessibleName() or out.sheet.empty.isVisible()
    out.sheet.typed.setText("2-3")
    out.sheet.add.click()
    assert out.last().anchors == ("L2-3",)


def test_while_it_is_read_and_when_it_cannot_be_there_is_a_sentence(out: Out):
    out.show(PartsView("a.txt", "a.txt", "a.txt", reading=True))
    assert out.sheet.empty.isVisible()
    out.show(PartsView("a.txt", "a.txt", "a.txt", problem="It is damaged."))
    assert out.sheet.empty.isVisible()
    assert not out.sheet.typed.isVisible()


def test_every_row_is_spoken_with_its_figures(out: Out):
    parts = out.sheet.outline.parts
    said = parts.data(parts.index_of(0), Qt.ItemDataRole.AccessibleTextRole)
    assert said == "One, pages 1 to 2, 200 tokens"


def test_the_text_is_not_touched_and_the_arrows_end_where_it_ends(qtbot: QtBot):
    page = PageText()
    qtbot.addWidget(page)
    steps: list[int] = []
    page.stepped.connect(steps.append)
    text = "--- page 24 ---\n## 4.2 Clock skew\n<b>not markup</b>\n[figure 7 left out]\n"
    page.show_text(text, "p. 24 of 84", "710 tokens", (False, True))
    assert page.text.toPlainText() == text
    assert page.where.text() == "p. 24 of 84"
    assert not page.back.isEnabled()
    page.on.click()
    assert steps == [1]


def test_a_selection_knows_its_lines(qtbot: QtBot):
    page = PageText()
    qtbot.addWidget(page)
    page.show_text("a\n😀 b\nc\n", "", "", (False, False))
    cursor = page.text.textCursor()
    cursor.setPosition(2)
    cursor.movePosition(cursor.MoveOperation.EndOfLine, cursor.MoveMode.KeepAnchor)
    page.text.setTextCursor(cursor)
    assert page.text.selected() == ("😀 b", 1)


def test_room_before_and_after_differ_by_what_is_sent_of_the_file(qtbot: QtBot):
    foot = SheetFoot()
    qtbot.addWidget(foot)
    chat = chat_with_parts(parts_view())
    assert chat.view is not None
    ours = chat.attachments[-2:]
    foot.show_sums(parts_view(), ours, chat.view)
    assert foot.after.words() == f"{chat.view.free_tokens:,} free after"
    assert foot.before.words() == f"{chat.view.free_tokens + 300:,} free before"
    dropped = tuple(replace(row, state="dropped") for row in ours)
    foot.show_sums(parts_view(), dropped, chat.view)
    assert foot.before.words() == f"{chat.view.free_tokens:,} free before"


def test_what_the_cache_has_lost_since_the_sheet_came_is_said(qtbot: QtBot):
    foot = SheetFoot()
    qtbot.addWidget(foot)
    view = chat_with_parts(parts_view()).view
    assert view is not None
    assert view.cached_tokens is not None
    foot.show_sums(parts_view(), (), view)
    assert foot.cache.words().startswith("cache kept")
    foot.show_sums(parts_view(), (), replace(view, cached_tokens=view.cached_tokens - 205))
    assert foot.cache.words().startswith("re-reads 205")
    foot.begin()
    foot.show_sums(parts_view(), (), replace(view, cached_tokens=None))
    assert foot.cache.words().startswith("cache unknown")


def test_a_file_that_is_being_read_has_no_length_yet(qtbot: QtBot):
    head = SheetHead()
    qtbot.addWidget(head)
    head.show_view(replace(parts_view(), reading=True))
    assert head.extent.text() == ""
    assert head.kind.word() == ""
