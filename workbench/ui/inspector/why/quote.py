"""What the card is made of: the quote with its words marked, their shares as bars, and what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QSizePolicy, QTextEdit, QWidget

from workbench.domain.recall import MatchedWord, WordKind
from workbench.domain.shown.envelope_view import SegmentRow
from workbench.domain.shown.why_view import MarkedWord, Neighbour, WhyView
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import said_name, speaker_word
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
from workbench.ui.look.space import columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.choice import Check
from workbench.ui.widgets.code_view import CodeView
from workbench.ui.widgets.found_words import qt_spans
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip

STRIPE, QUOTE_LEAD, QUOTE_LINES = 3, 12, 7
LINE_HEIGHT, WORD_WIDTH, BAR_WIDTH, BAR_HEIGHT, PART_WIDTH = 24, 84, 52, 6, 40
_tr = translator("WhyCard")
MOST_LINES = 6
_PLACES, _STEPS = 2, 100


class Quote(CodeView):
    """The quoted words, as many lines as there is room for; those that fit the question stand out."""

    def __init__(self) -> None:
        super().__init__(role="ui", wrap=True)
        self._marks: tuple[MarkedWord, ...] = ()
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName(self.tr("What is quoted"))
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


class QuoteFrame(QWidget):
    """The quote with an accent stripe at its beginning."""

    def __init__(self) -> None:
        super().__init__()
        self.quote = Quote()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        columns(self, (QUOTE_LEAD, 0, 0, 0)).addWidget(self.quote)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = placed(QRectF(self.rect()), 0, STRIPE)
        painter.fillRect(box, colour("accent", theme_of(self)))


class WordBars(QWidget):
    """The words that a quote fits by: each with a bar and its part of the score."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[WordLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_why(self, why: WhyView) -> None:
        self._lines = word_lines(why)
        spoken = "; ".join(f"{one.word} {one.part}, {one.note}" for one in self._lines)
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
            self.tr("Take along: {what}, {cost}").format(what=self.words.text(), cost=self.note.text())
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
        name = _tr("{n} more").format(n=formatting.tokens(len(words) - kept))
        share = min(1.0, rest / _STEPS / largest) if largest else 0.0
        lines.append(WordLine(name, _figure(rest), share, _tr("other words"), exact=False))
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
        return formatting.counted(why.messages, _tr("the only message"), _tr("best of {n} messages"))
    return _tr("number {n} of {all} messages").format(n=formatting.tokens(why.place), all=of)


def neighbour_words(one: Neighbour) -> str:
    """Who said what stands beside it, and how that begins."""
    name = said_name(one.turn, speaker_word(one.role)) if one.turn else speaker_word(one.role)
    text = shown(" ".join(one.text.split()), 240)
    return _tr("{name}: {text}").format(name=name[:1].upper() + name[1:], text=text)


def neighbour_note(one: Neighbour) -> str:
    """What it costs to take it along; or that it is there anyway."""
    match one.state:
        case "sent":
            return _tr("sent anyway")
        case "recalled":
            return _tr("recalled")
        case _:
            return formatting.signed_tokens(one.tokens)


def saved_words(row: SegmentRow) -> str:
    """What is saved where it never comes back."""
    return _tr("never: {n} tokens · cache not touched").format(n=formatting.signed_tokens(-row.tokens))


def _line(word: MatchedWord, step: int, largest: float) -> WordLine:
    share = word.part / largest if largest else 0.0
    return WordLine(shown(word.word, 40), _figure(step), share, _note(word), word.kind == "exact")


def _note(word: MatchedWord) -> str:
    notes: dict[WordKind, str] = {
        "exact": _tr("exact"),
        "near": _tr("near: {found}").format(found=shown(word.found, 40)),
        "neighbour": _tr("neighbour"),
        "speaker": _tr("who said it"),
        "date": _tr("when it was said"),
    }
    return notes[word.kind]


def _figure(steps: int) -> str:
    return formatting.score(steps / _STEPS, _PLACES)
