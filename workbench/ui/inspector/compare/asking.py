"""Answers under a comparison: what asking takes, the grid while it fills, and what is done with an answer."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Cell, Experiment, Plan, parse_check
from workbench.domain.experiment import Check as AnswerCheck
from workbench.domain.shown.comparison import ExperimentView
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.variant import AS_SENT, NEXT, Variant
from workbench.engine.program_intents import AskVariants, StopAsking
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import TakeAnswer
from workbench.ui import formatting
from workbench.ui.inspector.compare.answer_words import (
    AnswerRow,
    answer_rows,
    empty_words,
    fact_words,
    figures,
    head_words,
    price_words,
    spoken,
)
from workbench.ui.inspector.compare.columns import PADDING, ColumnsView, Grid
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import paint_elided, paint_text, set_text_style, stroke_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.model_button import model_name, model_names
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Check, Choice, NumberField, TextField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.found_words import LINES, differing_ranges, spans_in, wanted
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.progress import ProgressLine
from workbench.ui.widgets.stack import scroll_area, transparent
from workbench.ui.wishes import Wishes

# The grid of answers under the columns of a comparison, painted as one view.


CELL_HEIGHT, LINE, TOP, MOST_CHECKS = 151, 17, 10, 4
MOST_CHARS = 1200


class AnswersView(Grid):
    """One row a model and repeat, under the columns of the variants; arrows choose, Enter opens an answer.

    Signals:
        chosen: another cell is. opened: the one to read in full.
    """

    chosen = Signal()
    opened = Signal()

    def __init__(self, columns: ColumnsView, parent: QWidget | None = None) -> None:
        super().__init__(tr("Answers side by side"), parent)
        self._columns = columns
        self._found: Experiment | None = None
        self._running = False
        self._rows: tuple[AnswerRow, ...] = ()
        self._names: tuple[str, ...] = ()
        self._row = 0
        columns.chosen.connect(lambda _place: self._on_chosen())

    # --- what is shown ------------------------------------------------------------------------------------

    def show_answers(self, found: Experiment | None, first: str = AS_SENT, *, running: bool = False) -> None:
        # The first column is called in the user's language.
        names = (first, *(one.name for one in self._columns.columns()[1:]))
        if found is self._found and names == self._names and running == self._running:
            return
        self._found, self._names, self._running = found, names, running
        self._rows = () if found is None else answer_rows(found, names)
        self._row = min(self._row, max(0, len(self._rows) - 1))
        self._describe()
        self.updateGeometry()
        self.update()

    def rows(self) -> tuple[AnswerRow, ...]:
        return self._rows

    def cell(self) -> Cell | None:
        """The chosen one."""
        return self._cell_at(self.place(), self._row)

    def _cell_at(self, place: int | None, row: int) -> Cell | None:
        if not self._rows or place is None or not 0 <= place < len(self._names):
            return None
        return self._rows[row].cells.get(self._names[place])

    def choose(self, row: int) -> None:
        row = min(max(row, 0), len(self._rows) - 1)
        if self._rows and row != self._row:
            self._row = row
            self._on_chosen()

    def count(self) -> int:
        return len(self._names)

    def place(self) -> int:
        return self._columns.place()

    def box(self, place: int) -> QRectF:
        above = self._columns.box(place)
        return QRectF(above.left(), 0, above.width(), self.height())

    def sizeHint(self) -> QSize:
        return QSize(718, round(len(self._rows) * self._row_height()))

    def _on_chosen(self) -> None:
        self._describe()
        self.update()
        self.chosen.emit()

    def _describe(self) -> None:
        if self._rows and 0 <= self.place() < len(self._names):
            words = spoken(self._rows[self._row], self._names[self.place()], self._running)
            self.setAccessibleDescription(words)

    def _row_height(self) -> float:
        return CELL_HEIGHT * self.factor()

    def _row_at(self, at: QPointF) -> int:
        return min(max(int(at.y() // self._row_height()), 0), max(0, len(self._rows) - 1))

    # --- what Qt calls ------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._columns.choose(self.place() - 1)
            case Qt.Key.Key_Right:
                self._columns.choose(self.place() + 1)
            case Qt.Key.Key_Up:
                self.choose(self._row - 1)
            case Qt.Key.Key_Down:
                self.choose(self._row + 1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position())
        if place is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self.choose(self._row_at(event.position()))
        self._columns.choose(place)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.place_at(event.position()) is not None:
            self.opened.emit()

    def tip_at(self, at: QPointF) -> str:
        cell = self._cell_at(self.place_at(at), self._row_at(at))
        return "" if cell is None else cell.problem or tr("Enter or double-click shows all of it.")

    # --- painting -----------------------------------------------------------------------------------------

    def paint_cells(self, painter: QPainter) -> None:
        theme, height = theme_of(self), self._row_height()
        for place, name in enumerate(self._names):
            box = self.box(place)
            for number, row in enumerate(self._rows):
                cell = QRectF(box.left(), number * height, box.width(), height)
                if number:
                    painter.fillRect(QRectF(cell.left(), cell.top(), cell.width(), 1), colour("line", theme))
                self._paint_cell(painter, cell.adjusted(PADDING, 0, -PADDING, 0), row, name)
                if number == self._row and place == self.place() and self.hasFocus():
                    stroke_rounded(painter, cell.adjusted(2, 2, -2, -2), theme.accent, 6)

    def paint_titles(self, painter: QPainter, width: float) -> None:
        theme, line = theme_of(self), LINE * self.factor()
        for number, row in enumerate(self._rows):
            top = number * self._row_height()
            if number:
                painter.fillRect(QRectF(0, top, width, 1), colour("line", theme))
            set_text_style(painter, font("small", 600), colour("t1", theme))
            room = QRectF(PADDING, top + TOP, width - PADDING - 2, line)
            first, second = in_two(row.title, room.width())
            paint_elided(painter, room, first)
            if second:
                room = room.translated(0, line)
                paint_elided(painter, room, second)
            paint_text(painter, room.translated(0, line), row.note, "meta", "t2")

    def _paint_cell(self, painter: QPainter, room: QRectF, row: AnswerRow, name: str) -> None:
        theme, line = theme_of(self), LINE * self.factor()
        cell = row.cells.get(name)
        if cell is None or (cell.state in ("waiting", "asking") and not (cell.answer or cell.problem)):
            paint_icon(
                painter, QRectF(room.center().x() - 8, room.center().y() - 18, 16, 16), "clock", "t3", 14
            )
            set_text_style(painter, font("small"), colour("t2", theme))
            below = QRectF(room.left(), room.center().y() + 2, room.width(), line)
            words = empty_words(cell, self._running)
            painter.drawText(below, int(Qt.AlignmentFlag.AlignHCenter), words)
            return
        if cell.state in ("waiting", "failed"):
            set_text_style(painter, font("small"), colour("err", theme))
            inside = room.adjusted(0, TOP, 0, -TOP)
            painter.drawText(inside, int(Qt.TextFlag.TextWordWrap), cell.problem)
            return
        said = [
            ("check", "ok", words) if held else ("x", "err", words)
            for words, held in cell.checks[:MOST_CHECKS]
        ]
        if words := fact_words(cell):
            said.append(("help", "err", words) if cell.absent else ("check", "ok", words))
        first = row.cells.get(self._names[0])
        lines = len(said) + 1 + bool(cell.problem)
        free = room.height() - 2 * TOP - lines * line - 4
        self._paint_answer(
            painter,
            QRectF(room.left(), room.top() + TOP, room.width(), free),
            cell,
            cell if first is None else first,
        )
        bottom = room.bottom() - TOP
        set_text_style(painter, font("meta"), colour("t2", theme))
        ending = tr("being answered…") if cell.state == "asking" else figures(cell)
        paint_elided(painter, QRectF(room.left(), bottom - line, room.width(), line), ending)
        # The facts stand right above the figures in each column: a row of their own.
        for number, (icon, token, words) in enumerate(reversed(said), start=2):
            at = QRectF(room.left(), bottom - number * line, room.width(), line)
            paint_icon(painter, QRectF(at.left(), at.top() + 2, 14, 14), icon, token, 12)
            set_text_style(painter, font("meta", 500), colour(token, theme))
            paint_elided(painter, at.adjusted(18, 0, 0, 0), words)
        if cell.problem:
            set_text_style(painter, font("meta"), colour("warn", theme))
            lacks = QRectF(room.left(), bottom - lines * line, room.width(), line)
            paint_elided(painter, lacks, cell.problem)

    def _paint_answer(self, painter: QPainter, room: QRectF, cell: Cell, first: Cell) -> None:
        """As many lines as there is room for, with words and facts marked that the first answer does not have."""
        line = LINE * self.factor()
        # A line end is a blank here, of the same length: marks are found by their places.
        text = cell.answer[:MOST_CHARS].replace("\n", " ")
        layout = QTextLayout(text, font("small"))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats(self._marks(text, cell, first))
        layout.beginLayout()
        lines = max(1, int(room.height() // line))
        end = 0
        for number in range(lines):
            drawn = layout.createLine()
            if not drawn.isValid():
                break
            # The last line leaves room for the sign that there is more.
            drawn.setLineWidth(room.width() - (12 if number == lines - 1 else 0))
            drawn.setPosition(QPointF(0, number * line))
            end = drawn.textStart() + drawn.textLength()
        layout.endLayout()
        painter.setPen(colour("t1", theme_of(self)))
        layout.draw(painter, room.topLeft())
        if end < len(text):
            last = layout.lineAt(layout.lineCount() - 1)
            at = QPointF(room.left() + last.naturalTextWidth(), room.top() + last.y() + last.ascent())
            set_text_style(painter, font("small"), colour("t2", theme_of(self)))
            painter.drawText(at, "…")

    def _marks(self, text: str, cell: Cell, first: Cell) -> list[QTextLayout.FormatRange]:
        theme, found = theme_of(self), []
        other, absent = QTextCharFormat(), QTextCharFormat()
        other.setBackground(colour("diff_add_bg", theme))
        other.setForeground(colour("diff_add", theme))
        fact = QTextCharFormat(other)
        fact.setFontWeight(600)
        absent.setUnderlineStyle(LINES["dotted"])
        absent.setUnderlineColor(colour("errline", theme))
        own = wanted(
            [one for one in cell.facts if one not in first.facts] if first.facts else [], match_case=True
        )
        lacking = wanted(cell.absent or (), match_case=True)
        spans = [
            (*span, other) for span in (differing_ranges(first.answer, text) if first is not cell else ())
        ]
        spans += [(*span, fact) for span in (spans_in(own, text) if own else ())]
        spans += [(*span, absent) for span in (spans_in(lacking, text) if lacking else ())]
        for start, end, look in spans:
            mark = QTextLayout.FormatRange()
            # The stub lacks the three fields that Qt documents.
            mark.start = start  # type: ignore[attr-defined]
            mark.length = end - start  # type: ignore[attr-defined]
            mark.format = look  # type: ignore[attr-defined]
            found.append(mark)
        return found


def in_two(title: str, width: float) -> tuple[str, str]:
    """A title that is too long for its line in two, where it has words."""
    head, _, tail = title.rpartition(" ")
    fits = metrics("small", 600).horizontalAdvance(title) <= width
    return (title, "") if fits or not head else (head, tail)


# What is to be asked: of which models, how often, for how much, and what answers have to be.


WIDTH, LIST_HEIGHT, TEXT_HEIGHT, SETTLE_MS, MOST_REPEATS = 560, 120, 76, 200, 20


class AskSheet(Sheet):
    """Says what it takes before anything is asked.

    Signals:
        changed: the plan, to be priced. wanted: the plan, to be asked.
    """

    changed = Signal(object)
    wanted = Signal(object)

    def __init__(
        self,
        state: WorkbenchState,
        chat: ChatState,
        variants: tuple[Variant, ...],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(tr("Ask under every variant"), WIDTH, 0, parent)
        self._variants = variants
        own = chat.chat.settings.model
        names = model_names(state, own)
        self.models = {name: Check(model_name(name)) for name in names}
        self.repeats = NumberField(1, MOST_REPEATS)
        self.cap = QDoubleSpinBox()
        self.judge = Choice(
            (("", tr("the request’s own model")), *((name, model_name(name)) for name in names))
        )
        self.checks = TextField(tr("One check per line, such as contains:line 131"))
        self.said = label("", "small", "t2", wrap=True)
        self._price: ExperimentView | None = None
        self._settle = single_shot(self, self._tell, SETTLE_MS)
        self._arrange()
        self._connect()
        self._tell()

    def plan(self) -> Plan | None:
        """What is wanted; None where a check is none, which is said."""
        try:
            checks = tuple(_checks(self.checks.toPlainText()))
        except InvalidInput as problem:
            set_text(self.said, problem.reason)
            set_token(self.said, "err")
            return None
        models = tuple(name for name, box in self.models.items() if box.isChecked())
        cap = self.cap.value() or None
        return Plan(self._variants, models, self.repeats.value(), cap, checks, judge=self.judge.chosen())

    def show_price(self, view: ExperimentView | None) -> None:
        """What the plan takes, once it is known."""
        if view is None or view is self._price:
            return
        self._price = view
        if view.stage == "failed":
            set_text(self.said, view.problem)
            set_token(self.said, "err")
        elif view.stage == "offered":
            set_text(self.said, "\n".join(filter(None, (price_words(view), view.problem))))
            set_token(self.said, "warn" if view.problem else "t2")
        self.go.setEnabled(view.stage == "offered")

    def _arrange(self) -> None:
        content = transparent()
        down = rows(content, (0, 0, 8, 0), 2)
        fill(down, *self.models.values(), STRETCH)
        area = scroll_area(content, tr("Models"))
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the boxes in it take it
        area.setFixedHeight(min(LIST_HEIGHT, 28 * len(self.models) + 6))
        heading = label(tr("Models to ask. With none ticked, each variant’s own."), "small", "t2")
        fill(rows(self.body, spacing=4), heading, area)
        self.cap.setPrefix("$ ")
        self.cap.setDecimals(2)
        self.cap.setSingleStep(0.05)
        self.cap.setRange(0, 1000)
        self.cap.setSpecialValueText(tr("no cap"))
        pairs = (
            (tr("Times each request is asked"), self.repeats),
            (tr("Spend at most"), self.cap),
            (tr("Judge"), self.judge),
        )
        for words, control in pairs:
            control.setAccessibleName(words)
            control.setMaximumWidth(WIDTH - 240)
            fill(columns(self.body, spacing=8), (label(words), 1), control)
        self.checks.setFixedHeight(TEXT_HEIGHT)
        self.checks.setAccessibleName(tr("Checks"))
        kinds = tr("Checks: contains:, lacks:, matches:, json, grounded, judged: (a model decides)")
        fill(rows(self.body, spacing=4), label(kinds, "small", "t2"), self.checks)
        self.body.addWidget(self.said)
        self.cancel = on_click(button(tr("Cancel"), shortcut_hint=tr("Esc")), self.reject)
        self.go = on_click(button(tr("Ask"), "primary"), self._ask)
        fill(self.foot, STRETCH, self.cancel, self.go)

    def _connect(self) -> None:
        for box in self.models.values():
            box.toggled.connect(lambda _on: self._settle.start())
        self.repeats.valueChanged.connect(lambda _value: self._settle.start())
        self.cap.valueChanged.connect(lambda _value: self._settle.start())
        self.judge.activated.connect(lambda _index: self._settle.start())
        self.checks.textChanged.connect(self._settle.start)

    def _tell(self) -> None:
        """Have the plan priced."""
        self.go.setEnabled(False)
        plan = self.plan()
        if plan is not None:
            set_text(self.said, tr("Working out what it takes…"))
            set_token(self.said, "t2")
            self.changed.emit(plan)

    def _ask(self) -> None:
        plan = self.plan()
        if plan is not None:
            self.wanted.emit(plan)
            self.accept()


def _checks(text: str) -> list[AnswerCheck]:
    return [parse_check(line.strip()) for line in text.splitlines() if line.strip()]


_Looked = tuple[str, str, int]
"""The request that is looked at: its chat, its question (none for the next one), and its number."""
HEAD_HEIGHT, PROGRESS_WIDTH, READ_WIDTH, READ_HEIGHT = 44, 72, 640, 520


class AnswersSection(QWidget):
    """Stands under the columns of a sent turn, or of the next request, whose answers are kept when one is taken.

    Signals:
        begun: the grid begins to fill. more: variants that were asked under and have no column.
    """

    begun = Signal()
    more = Signal(object)

    def __init__(self, view: ColumnsView, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes
        self._state: WorkbenchState | None = None
        self._chat: ChatState | None = None
        self._turn: TurnRow | None = None
        self._variants: tuple[Variant, ...] = ()
        self._looked: _Looked = ("", "", 0)
        self._live: ExperimentView | None = None
        self._running = False
        self.found: Experiment | None = None
        self.sheet: AskSheet | None = None
        self.reader: Sheet | None = None
        self.title = label(tr("Answers"), "ui_heading")
        self.line = ElidedLabel("", "small", "t3")
        self.progress = ProgressLine()
        self.progress.setFixedWidth(PROGRESS_WIDTH)
        self.ask = on_click(button(tr("Ask…"), icon="send", size="small"), self.open_sheet)
        self.stop = on_click(button(tr("Stop"), icon="stop", size="small"), self._stop)
        self.others = on_click(button("", "link", size="small"), lambda: self.more.emit(self.missing()))
        self.others.setToolTip(tip(tr("Add the columns of the other variants that were asked.")))
        self.grid = AnswersView(view)
        self.grid.opened.connect(self.read)
        head = QWidget()
        head.setFixedHeight(HEAD_HEIGHT)
        fill(
            columns(head, spacing=8),
            self.title,
            (self.line, 1),
            self.others,
            self.progress,
            self.ask,
            self.stop,
        )
        fill(rows(self), head, self.grid, STRETCH)

    def show_state(
        self,
        state: WorkbenchState,
        chat: ChatState | None,
        turn: TurnRow | None,
        variants: tuple[Variant, ...],
    ) -> None:
        """Show the answers of the turn that is compared; None where the next request is."""
        self._state, self._chat, self._turn, self._variants = state, chat, turn, variants
        key = ("", "", 0)
        if chat is not None:
            # What was asked before the last turn was sent is about another request than the next one now.
            number = 0 if chat.view is None else chat.view.turn
            key = (chat.chat.id, "", number) if turn is None else (chat.chat.id, turn.question, turn.number)
        if key != self._looked:
            self._looked, self.found, self._live = key, None, None
            if chat is not None and turn is not None and not _is_about(state.experiment, key):
                self.wishes.send(AskVariants(chat.chat.id, turn.question, turn.reply, kept=True))
        live = state.experiment if _is_about(state.experiment, key) else None
        # While a price is worked out for the sheet, nothing is asked yet.
        if live is not None and live.stage != "offered" and (live.stage != "working" or live.requests):
            self._live = live
            self.found = live.found if live.found is not None else self.found
        if self.sheet is not None and live is not None and self.sheet.isVisible():
            self.sheet.show_price(live)
        self._show()

    def let_go(self) -> None:
        """Hold no state any more, as the page that it is on."""
        self._state = self._chat = None

    def missing(self) -> tuple[Variant, ...]:
        """What was asked under and has no column."""
        there = {one.name for one in self._variants}
        return (
            () if self.found is None else tuple(one for one in self.found.variants if one.name not in there)
        )

    def cell(self) -> Cell | None:
        """The answer that is chosen, where there is one."""
        cell = self.grid.cell()
        return cell if cell is not None and cell.state == "complete" else None

    def open_sheet(self) -> None:
        """Say what is to be asked, and see what it takes."""
        if self._state is None or self._chat is None:
            return
        self.sheet = AskSheet(self._state, self._chat, self._variants, self.window())
        self.sheet.changed.connect(lambda plan: self._send(plan, offer=True))
        self.sheet.wanted.connect(self._send)
        self._send(Plan(self._variants), offer=True)
        self.sheet.open()

    def take(self) -> None:
        """Make a branch of the chosen answer, or send the question with it."""
        cell, chat, turn, live = self.cell(), self._chat, self._turn, self._live
        if cell is None or chat is None:
            return
        # As it was asked: the column of that name may say something else by now.
        known = (*(self.found.variants if self.found is not None else ()), *self._variants)
        variant = next((one for one in known if one.name == cell.variant), Variant(cell.variant))
        if turn is not None:
            self.wishes.send(TakeAnswer(chat.chat.id, turn.question, turn.reply, variant, cell))
        elif live is not None and live.unsent is not None:
            self.wishes.send(TakeAnswer(chat.chat.id, "", None, variant, cell, live))

    def read(self) -> None:
        """Show the chosen answer in full."""
        cell = self.cell()
        if cell is None:
            return
        title = f"{shown(cell.variant, 40)} · {model_name(cell.model)}"
        self.reader = Sheet(title, READ_WIDTH, READ_HEIGHT, self.window())
        text = TextField()
        text.setReadOnly(True)
        text.setPlainText(cell.answer)
        text.setAccessibleName(tr("Answer"))
        self.reader.body.addWidget(text, 1)
        fill(self.reader.foot, STRETCH, on_click(button(tr("Close")), self.reader.reject))
        self.reader.open()

    def _send(self, plan: Plan, offer: bool = False) -> None:
        chat, turn = self._chat, self._turn
        if chat is not None:
            asked = ("", None) if turn is None else (turn.question, turn.reply)
            self.wishes.send(AskVariants(chat.chat.id, *asked, plan, offer=offer))

    def _stop(self) -> None:
        self.wishes.send(StopAsking())

    def _show(self) -> None:
        sent, live = self._turn is not None, self._live
        running = live is not None and live.stage == "working" and bool(live.requests)
        written = sent or bool(self._draft().strip())
        words = head_words(live, self.found) if written or self.found else self._nothing_written()
        if not sent and live is not None and live.found is not None and live.words != self._draft():
            words = f"{words} · {tr('the question was changed since')}"
        if self._is_of_another_branch():
            words = f"{words} · {tr('asked on another branch, of another request than this')}"
        self.line.setText(words)
        self.progress.setVisible(running)
        if running and live is not None:
            self.progress.set_fraction(live.done / max(1, live.requests))
        self.stop.setVisible(running)
        more = len(self.missing())
        self.others.setVisible(bool(more) and not running)
        self.others.setText(formatting.counted(more, tr("Show 1 more column"), tr("Show {n} more columns")))
        self.ask.setVisible(not running)
        self.ask.setEnabled(written)
        self.ask.setToolTip(tip(tr("Choose models and checks. You see the price before anything is asked.")))
        self.grid.setVisible(self.found is not None)
        self.grid.show_answers(self.found, AS_SENT if sent else NEXT, running=running)
        if running and self.found is not None and not self._running:
            self.begun.emit()
        self._running = running and self.found is not None

    def _is_of_another_branch(self) -> bool:
        """Whether the answers were given beside another answer than the one whose request stands above them."""
        turn, found = self._turn, self.found
        return turn is not None and found is not None and bool(found.reply) and found.reply != turn.reply

    def _draft(self) -> str:
        return "" if self._chat is None else self._chat.draft

    def _nothing_written(self) -> str:
        return tr("Write a question to ask it under every variant before you send it.")


def _is_about(view: ExperimentView | None, key: _Looked) -> bool:
    if view is None or (view.chat, view.question) != key[:2] or not key[0]:
        return False
    return bool(view.question) or view.found is None or view.found.turn == key[2]
