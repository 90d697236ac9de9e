"""The card under the table that says why something came back: its words, what stands beside it, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QTextEdit, QWidget

from workbench.domain.recall import MatchedWord, WordKind
from workbench.domain.shown.envelope_view import EnvelopeView, SegmentRow
from workbench.domain.shown.influence_view import MarkedWord, Neighbour, WhyView
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import LookAtQuote, ReadQuote
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import message_name, row_name, speaker_word
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import (
    after,
    elided,
    fill_rounded,
    paint_elided,
    paint_figure,
    placed,
    set_text_style,
)
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.steps import is_wanted, set_recall, toggle_always
from workbench.ui.translation import listed, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.card import Hairline, LeadingIcon, Panel
from workbench.ui.widgets.choice import Check
from workbench.ui.widgets.code_view import CodeView
from workbench.ui.widgets.found_words import qt_spans
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import ShowFound, ShowSections, Wishes

# What the card is made of: the quote with its words marked, their shares as bars, and what stands beside it.


QUOTE_LEAD, QUOTE_LINES = 12, 7
LINE_HEIGHT, WORD_WIDTH, BAR_WIDTH, BAR_HEIGHT, PART_WIDTH = 24, 84, 52, 6, 40
MOST_LINES = 6
_PLACES, _STEPS = 2, 100


class Quote(CodeView):
    """The quoted words, as many lines as there is room for; those that fit the question stand out."""

    def __init__(self) -> None:
        super().__init__(role="ui", wrap=True)
        self._marks: tuple[MarkedWord, ...] = ()
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName(tr("What is quoted"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("ring", True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_quote(self, text: str, marks: tuple[MarkedWord, ...]) -> None:
        if text != self.toPlainText():
            self.setPlainText(text)
            self._fit()
        self._marks = marks
        self._mark()

    def marks(self) -> tuple[MarkedWord, ...]:
        return self._marks

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        lines = min(max(1, round(self.document().size().height())), QUOTE_LINES)
        high = lines * self.fontMetrics().lineSpacing() + 2
        if high != self.height():
            self.setFixedHeight(high)

    def _mark(self) -> None:
        spans = qt_spans(self.toPlainText(), [(one.start, one.end) for one in self._marks])
        made = []
        for mark, (start, end) in zip(self._marks, spans, strict=True):
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            one = QTextEdit.ExtraSelection()
            one.cursor, one.format = cursor, self._look(mark)  # type: ignore[attr-defined]
            made.append(one)
        self.setExtraSelections(made)

    def _look(self, mark: MarkedWord) -> QTextCharFormat:
        theme, look = theme_of(self), QTextCharFormat()
        if mark.kind == "exact":
            look.setForeground(colour("accent_text", theme))
            look.setBackground(colour("accent_tint", theme))
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        else:
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DashUnderline)
        look.setUnderlineColor(colour("accent_text", theme))
        return look


class QuoteFrame(Panel):
    """The quote with an accent stripe at its beginning."""

    stripe = "accent"

    def __init__(self) -> None:
        super().__init__()
        self.quote = Quote()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        columns(self, (QUOTE_LEAD, 0, 0, 0)).addWidget(self.quote)


class WordBars(QWidget):
    """The words that a quote fits by: each with a bar and its part of the score."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[WordLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_why(self, why: WhyView) -> None:
        self._lines = word_lines(why)
        spoken = listed(f"{one.word} {one.part}, {one.note}" for one in self._lines)
        self.setAccessibleName(spoken)
        self.setToolTip(tip("\n".join(f"{one.word}  {one.part}  {one.note}" for one in self._lines)))
        self.updateGeometry()
        self.update()

    def lines(self) -> Sequence[WordLine]:
        return self._lines

    def sizeHint(self) -> QSize:
        return QSize(200, LINE_HEIGHT * max(1, len(self._lines)))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        for number, line in enumerate(self._lines):
            row = QRectF(0, number * LINE_HEIGHT, self.width(), LINE_HEIGHT)
            set_text_style(painter, font("small", 500), colour("accent_text" if line.exact else "t1", theme))
            paint_elided(painter, placed(row, 0, WORD_WIDTH - 8), line.word)
            bar = placed(row, WORD_WIDTH, BAR_WIDTH)
            bar = QRectF(bar.left(), row.center().y() - BAR_HEIGHT / 2, BAR_WIDTH, BAR_HEIGHT)
            fill_rounded(painter, bar, theme.line, BAR_HEIGHT / 2)
            filled = placed(bar, 0, max(BAR_HEIGHT, BAR_WIDTH * line.share))
            fill_rounded(painter, filled, theme.accent if line.exact else theme.t2, BAR_HEIGHT / 2)
            figure = placed(row, WORD_WIDTH + BAR_WIDTH, PART_WIDTH)
            painter.setPen(colour("t1", theme))
            paint_figure(painter, figure, line.part)
            set_text_style(painter, font("small"), colour("t3", theme))
            note = after(row, WORD_WIDTH + BAR_WIDTH + PART_WIDTH + 10, 0)
            paint_elided(painter, note, elided(painter.font(), line.note, note.width()))


class NeighbourLine(QWidget):
    """A message beside the quoted one, with a box that lets it come along.

    Signals:
        wanted: its id, and whether it is to come along.
    """

    wanted = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__()
        self._one: Neighbour | None = None
        self.check = Check()
        self.words = ElidedLabel("", "small", "t3")
        self.note = label("", "small", "t3")
        self.check.clicked.connect(self._on_clicked)
        fill(columns(self, spacing=6), self.check, (self.words, 1), self.note)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(round(metrics("small").height()) + 8)
        self.hide()

    def show_neighbour(self, one: Neighbour | None, enabled: bool = True) -> None:
        self._one = one
        self.setVisible(one is not None)
        if one is None:
            return
        self.words.setText(neighbour_words(one))
        set_text(self.note, neighbour_note(one))
        self.check.setChecked(one.state in ("along", "recalled"))
        self.check.setEnabled(enabled and one.state in ("cut", "along"))
        self.check.setAccessibleName(
            tr("Take along: {what}, {cost}").format(what=self.words.text(), cost=self.note.text())
        )

    def _on_clicked(self, checked: bool) -> None:
        if self._one is not None:
            self.wanted.emit(self._one.id, checked)


class WordLine(NamedTuple):
    """One word with its part: in letters, and as a share of the largest."""

    word: str
    part: str
    share: float
    note: str
    exact: bool


def word_lines(why: WhyView) -> tuple[WordLine, ...]:
    """The words, the most important first; those that have no line are one at the end, so that all add up."""
    words = list(why.words)
    steps = parts_that_add_up([word.part for word in words])
    largest = max((word.part for word in words), default=0.0)
    kept = len(words) if len(words) <= MOST_LINES else MOST_LINES - 1
    lines = [_line(word, step, largest) for word, step in zip(words[:kept], steps, strict=False)]
    if kept < len(words):
        rest = sum(steps[kept:])
        name = tr("{n} more").format(n=formatting.tokens(len(words) - kept))
        share = min(1.0, rest / _STEPS / largest) if largest else 0.0
        lines.append(WordLine(name, _figure(rest), share, tr("other words"), exact=False))
    return tuple(lines)


def score_figure(why: WhyView) -> str:
    """The score; what the words add up to, where there are any."""
    return _figure(sum(parts_that_add_up([word.part for word in why.words]))) if why.words else ""


def parts_that_add_up(parts: Sequence[float]) -> list[int]:
    """The parts in whole hundredths that add up to the rounded sum: what is left over goes to the largest rests."""
    floors = [int(part * _STEPS) for part in parts]
    missing = round(sum(parts) * _STEPS) - sum(floors)
    order = sorted(range(len(parts)), key=lambda at: floors[at] - parts[at] * _STEPS)
    for at in order[: max(0, missing)]:
        floors[at] += 1
    return floors


def place_words(why: WhyView) -> str:
    """Which of all messages it is."""
    if not why.messages or not why.place:
        return ""
    of = formatting.tokens(why.messages)
    if why.place == 1:
        return formatting.counted(why.messages, tr("the only message"), tr("best of {n} messages"))
    return tr("number {n} of {all} messages").format(n=formatting.tokens(why.place), all=of)


def neighbour_words(one: Neighbour) -> str:
    """Who said what stands beside it, and how that begins."""
    name = message_name(one.turn, speaker_word(one.role)) if one.turn else speaker_word(one.role)
    text = shown(" ".join(one.text.split()), 240)
    return tr("{name}: {text}").format(name=name[:1].upper() + name[1:], text=text)


def neighbour_note(one: Neighbour) -> str:
    """What it costs to take it along; or that it is there anyway."""
    match one.state:
        case "sent":
            return tr("sent anyway")
        case "recalled":
            return tr("recalled")
        case _:
            return formatting.signed_tokens(one.tokens)


def saved_words(row: SegmentRow) -> str:
    """What is saved where it never comes back."""
    return tr("never: {n} tokens · cache not touched").format(n=formatting.signed_tokens(-row.tokens))


def _line(word: MatchedWord, step: int, largest: float) -> WordLine:
    share = word.part / largest if largest else 0.0
    return WordLine(shown(word.word, 40), _figure(step), share, _note(word), word.kind == "exact")


def _note(word: MatchedWord) -> str:
    notes: dict[WordKind, str] = {
        "exact": tr("exact"),
        "near": tr("near: {found}").format(found=shown(word.found, 40)),
        "neighbour": tr("neighbour"),
        "speaker": tr("who said it"),
        "date": tr("when it was said"),
    }
    return notes[word.kind]


def _figure(steps: int) -> str:
    return formatting.score(steps / _STEPS, _PLACES)


HEAD, FOOT, RADIUS, SIDE = 40, 44, 10, 16
RIGHT, RIGHT_NARROW, WIDE_PX = 292, 212, 640


class WhyCard(QWidget):
    """Why one quote is in the request that is shown.

    Signals:
        turned: the row of another quote that is looked at now.
    """

    turned = Signal(object)

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._why: WhyView | None = None
        self._rows: tuple[SegmentRow, ...] = ()
        self._row: SegmentRow | None = None
        self.card = _Card()
        rows(self, (SIDE, 10, SIDE, 10)).addWidget(self.card)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._make()
        self._arrange()
        self._connect()
        self.hide()

    def _make(self) -> None:
        self.title = label(tr("Why is this here?"), "ui_heading")
        self.name, self.badge = ElidedLabel("", "ui", "t2"), Badge()
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.before = tool_button("chevron-left", tr("Previous quote"), side=24)
        self.after = tool_button("chevron-right", tr("Next quote"), side=24)
        self.count = label("", "small", "t2")
        self.close_button = tool_button("x", tr("Close"), side=24)
        self.quote, self.bars = QuoteFrame(), WordBars()
        self.above, self.below = NeighbourLine(), NeighbourLine()
        self.room = label("", "small", "t3", wrap=True)
        self.score, self.place = label("", "ui_heading"), ElidedLabel("", "small", "t3")
        told = tr("The sum of the parts of the words it has in common with the question.")
        tell_figure(self.score, told, "recall")
        self.without = label("", "small", "t3", wrap=True)
        self.always = button(tr("Always"), icon="pin", size="small")
        self.always.setCheckable(True)
        self.never = button(tr("Never recall this"), "danger", "eye-off", size="small")
        self.show_it = button(tr("Show in chat"), "ghost", "external", size="small")
        self.saved = ElidedLabel("", "small", "t2")
        self.saved.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)

    def _arrange(self) -> None:
        down = rows(self.card, (1, 0, 1, 0))
        head = columns(down, (36, 0, 8, 0), 8)
        for widget in (self.title, self.name, self.badge):
            head.addWidget(widget)
        head.addStretch(1)
        for control in (self.before, self.count, self.after, self.close_button):
            head.addWidget(control)
        head.addStrut(HEAD)
        down.addWidget(Hairline())
        body = columns(down)
        fill(rows(body, (14, 10, 14, 10), 8), self.above, self.quote, self.below, self.room, STRETCH)
        body.setStretch(0, 1)
        body.addWidget(Hairline(upright=True))
        self.right = QWidget()
        self.right.setFixedWidth(RIGHT)
        reasons = rows(self.right, (14, 10, 12, 10), 4)
        fill(columns(reasons, spacing=8), label(tr("Score"), "ui_heading"), self.score, (self.place, 1))
        fill(reasons, self.bars, self.without, STRETCH)
        body.addWidget(self.right)
        down.addWidget(Hairline())
        foot = fill(columns(down, (8, 0, 14, 0), 6), self.always, self.never, self.show_it, (self.saved, 1))
        foot.addStrut(FOOT)

    def _connect(self) -> None:
        self.close_button.clicked.connect(self.close_card)
        self.before.clicked.connect(lambda: self._go(-1))
        self.after.clicked.connect(lambda: self._go(1))
        self.always.clicked.connect(self._on_always)
        self.never.clicked.connect(self._on_never)
        self.show_it.clicked.connect(self._on_show)
        for neighbour in (self.above, self.below):
            neighbour.wanted.connect(self._on_neighbour)

    # --- what is shown ------------------------------------------------------------------------------------

    def show_chat(self, chat: ChatState | None, view: EnvelopeView | None) -> None:
        why = chat.why if chat is not None else None
        self._rows = view.quotes if view is not None and why is not None else ()
        row = next((one for one in self._rows if why is not None and one.key.id == why.id), None)
        same = why is self._why and row is self._row and self._chat is chat
        self._chat, self._why, self._row = chat, why, row
        if same:
            return
        self.setVisible(row is not None)
        if chat is not None and why is not None and row is not None and view is not None:
            self._show_head(row)
            self._show_quote(chat, why, row, view)

    def shown_id(self) -> str:
        """What is looked at; empty where nothing is."""
        return self._why.id if self._why is not None and self._row is not None else ""

    def _show_head(self, row: SegmentRow) -> None:
        self.name.setText(row_name(row))
        self.badge.show_state(row.state)
        at = self._rows.index(row)
        words = tr("{n} of {all}").format(n=formatting.tokens(at + 1), all=formatting.tokens(len(self._rows)))
        set_text(self.count, words)
        self.before.setEnabled(at > 0)
        self.after.setEnabled(at + 1 < len(self._rows))
        self.setAccessibleName(tr("Why is this here? {name}").format(name=row_name(row)))

    def _show_quote(self, chat: ChatState, why: WhyView, row: SegmentRow, view: EnvelopeView) -> None:
        now = view.standing == "next"
        self.quote.quote.show_quote(why.text, why.marks)
        self.above.show_neighbour(why.before, now)
        self.below.show_neighbour(why.after, now)
        set_text(self.room, self._room_words(why, view))
        self.room.setVisible(bool(self.room.text()))
        set_text(self.score, score_figure(why))
        self.place.setText(place_words(why))
        self.bars.show_why(why)
        self.bars.setVisible(bool(why.words))
        set_text(self.without, "" if why.words else tr("No matching word: you chose Always."))
        self.without.setVisible(not why.words)
        self.always.setChecked(all(is_wanted(chat, one) == "always" for one in row.members))
        self.always.set_icon("pin-filled" if self.always.isChecked() else "pin")
        for control in (self.always, self.never):
            control.setEnabled(now)
        section = row.found is not None and row.found.kind != "recalled"
        self.show_it.setText(tr("Show the sections") if section else tr("Show in chat"))
        self.saved.setText(saved_words(row) if now else "")

    def _room_words(self, why: WhyView, view: EnvelopeView) -> str:
        group = view.group("recalled")
        beside = [one for one in (why.before, why.after) if one is not None]
        if group is None or not any(one.state in ("cut", "along") for one in beside):
            return ""
        return tr("Neighbouring messages can be added: {n} of {room} tokens left for recall.").format(
            n=formatting.tokens(group.left), room=formatting.tokens(group.room)
        )

    # --- what is done -------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.right.setFixedWidth(RIGHT if self.width() >= WIDE_PX else RIGHT_NARROW)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        turns = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
        elif event.key() in turns:
            self._go(turns[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def close_card(self) -> None:
        if self._chat is not None:
            self.wishes.send(LookAtQuote(self._chat.chat.id))

    def _go(self, by: int) -> None:
        if self._row is None or self._chat is None:
            return
        at = self._rows.index(self._row) + by
        if 0 <= at < len(self._rows):
            self.wishes.send(LookAtQuote(self._chat.chat.id, self._rows[at].key.id))
            self.turned.emit(self._rows[at].key)

    def _on_always(self) -> None:
        if self._chat is not None and self._row is not None:
            self.wishes.do(toggle_always(self._chat, self._row.members))

    def _on_never(self) -> None:
        """It goes, and the one after it is looked at, or the one before."""
        if self._chat is None or self._why is None or self._row is None:
            return
        step, at = set_recall(self._chat, self._row.members, "never"), self._rows.index(self._row)
        self._go(1 if at + 1 < len(self._rows) else -1)
        self.wishes.do(step)

    def _on_neighbour(self, message: str, along: bool) -> None:
        if self._chat is not None:
            self.wishes.do(set_recall(self._chat, (message,), "always" if along else "as_found"))

    def _on_show(self) -> None:
        if self._chat is None or self._row is None or self._row.found is None:
            return
        found = self._row.found
        if found.kind == "quoted":
            self.wishes.send(ReadQuote(self._chat.chat.id, found.id))
            return
        if found.kind == "retrieved":
            self.wishes.run(ShowSections(found.artifact))
            return
        words = self._why.words if self._why is not None else ()
        marked = tuple(dict.fromkeys(one.found for one in words if one.kind in ("exact", "near")))
        self.wishes.run(ShowFound(found.chat or self._chat.chat.id, found.message, words=marked))


class _Card(Panel):
    """The ground of the card, with the sign in its head."""

    ground, border, radius = "raised", "line2", RADIUS
    leading = LeadingIcon("info", "accent_text", box=(13, 0, 16, HEAD))
