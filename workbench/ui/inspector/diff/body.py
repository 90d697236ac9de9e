"""A comparison from top to bottom: bars, figures, causes, the text of one of them, and a cheaper way."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QPainterPath, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.domain.files.file_names import short_path
from workbench.domain.shown.diff_view import DiffCause, DiffSide, DiffView
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.inspector.diff.card import DiffCard
from workbench.ui.inspector.diff.relation_words import (
    Figure,
    calm_words,
    difference_words,
    effect_words,
    figures,
    sentence,
    side_name,
    side_tokens,
)
from workbench.ui.inspector.payload.document import row_index
from workbench.ui.inspector.rows.cause_words import cause_icon, cause_line, cause_title, subject_name
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    elided,
    figure_width,
    paint_elided,
    paint_figure,
    paint_text,
    set_text_style,
    snapped,
    stroke_rounded,
    take,
    take_end,
)
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import TONES, Tone
from workbench.ui.steps import Step, apply_settings
from workbench.ui.translation import tr
from workbench.ui.widgets.budget_bar.layout import BarLayout, lay_out
from workbench.ui.widgets.budget_bar.painting import Canvas, paint_bar
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.guided import lead_to, with_more
from workbench.ui.widgets.items.item_model import ITEM, ItemModel
from workbench.ui.widgets.items.views import (
    Index,
    ItemOption,
    PickList,
    RowDelegate,
    paint_ground,
    paint_ring,
    paint_rule,
)
from workbench.ui.widgets.labels import IconSpot, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import Wishes

# Two requests as bars on one scale, and one line through both where they begin to differ.


FLAG_HEIGHT, BAR_HEIGHT, GAP = 18, 18, 8
NAME_WIDTH = 96
REACH = 4
TRIANGLE = 4.0


def side_bar(side: DiffSide, same_tokens: int | None) -> BarModel:
    """A request as a bar without a limit; what both have in common is marked as what a cache may serve."""
    segments = tuple(
        BarSegment(RowKey(layer, str(number)), tokens)
        for number, (layer, tokens) in enumerate(side.parts)
        if tokens
    )
    same = None if same_tokens is None else min(same_tokens, side.total_tokens)
    return BarModel(segments, limit_tokens=max(side.total_tokens, 1), cached_tokens=same)


class DiffBars(QWidget):
    """The earlier request above, the later one below."""

    def __init__(self) -> None:
        super().__init__()
        self._diff: DiffView | None = None
        self.name_width = NAME_WIDTH
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Both requests"))

    def show_diff(self, diff: DiffView) -> None:
        self._diff = diff
        self.name_width = max(NAME_WIDTH, *(_name_width(side) for side in (diff.before, diff.after)))
        self.setAccessibleDescription(sentence(diff))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(720, FLAG_HEIGHT + 2 * BAR_HEIGHT + GAP + REACH)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.sizeHint().height())

    def layout_of(self, side: DiffSide) -> BarLayout:
        """Where the parts of a request lie; both requests are on the scale of the longer one."""
        diff = self._diff
        most = max(diff.before.total_tokens, diff.after.total_tokens, 1) if diff is not None else 1
        width = (self.width() - self.name_width) * side.total_tokens / most
        bar = side_bar(side, self._same_tokens())
        return lay_out(bar, max(width, 4.0), self.devicePixelRatioF())

    def difference_x(self) -> float | None:
        """Where the requests begin to differ, from the beginning of the bars."""
        if self._diff is None or not difference_words(self._diff):
            return None
        longer = max((self._diff.before, self._diff.after), key=lambda side: side.total_tokens)
        return self.layout_of(longer).cached

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._diff is None:
            return
        painter = QPainter(self)
        for number, side in enumerate((self._diff.before, self._diff.after)):
            self._paint_side(painter, side, FLAG_HEIGHT + number * (BAR_HEIGHT + GAP))
        x = self.difference_x()
        if x is not None:
            self._paint_difference(painter, x)

    def _same_tokens(self) -> int | None:
        diff = self._diff
        if diff is None or diff.change == "first":
            return None
        if diff.first_difference_token is not None:
            return diff.first_difference_token
        return min(diff.before.total_tokens, diff.after.total_tokens)

    def _paint_side(self, painter: QPainter, side: DiffSide, top: int) -> None:
        theme = theme_of(self)
        box = QRectF(self.name_width, top, self.width() - self.name_width, BAR_HEIGHT)
        layout = self.layout_of(side)
        own = QRectF(box.left(), top, layout.width, BAR_HEIGHT)
        paint_bar(Canvas(painter, theme, own, self.devicePixelRatioF()), layout, compact=True)
        words = QRectF(0, top, self.name_width - 8, BAR_HEIGHT)
        set_text_style(painter, font("small", 600), colour("t1", theme))
        name = side_name(side)
        paint_elided(painter, words, name)
        figure = side_tokens(side)
        step = metrics("small", 600).horizontalAdvance(name) + 4
        set_text_style(painter, font("small"), colour("t2", theme))
        width = figure_width(font("small"), figure)
        paint_figure(painter, QRectF(words.left() + step, top, width, BAR_HEIGHT), figure)

    def _paint_difference(self, painter: QPainter, x: float) -> None:
        theme = theme_of(self)
        at = snapped(self.name_width + x, self.devicePixelRatioF())
        top = FLAG_HEIGHT - REACH
        painter.fillRect(
            QRectF(at - 0.75, top, 1.5, 2 * BAR_HEIGHT + GAP + 2 * REACH), colour("errline", theme)
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("errline", theme))
        tip = QPointF(at, top)
        painter.drawPolygon(
            QPolygonF(
                [tip, tip + QPointF(-TRIANGLE, -2 * TRIANGLE + 1), tip + QPointF(TRIANGLE, -2 * TRIANGLE + 1)]
            )
        )
        self._paint_flag(painter, at, difference_words(self._diff) if self._diff is not None else "")

    def _paint_flag(self, painter: QPainter, at: float, words: str) -> None:
        width = metrics("meta_strong").horizontalAdvance(words) + 1
        left = at - width - 8
        right = at + 8
        on_right = right + width <= self.width()
        set_text_style(painter, font("meta_strong"), colour("err", theme_of(self)))
        box = QRectF(right if on_right else max(0.0, left), 0, width, FLAG_HEIGHT - REACH)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


def _name_width(side: DiffSide) -> int:
    """What the name of a request and its tokens take, and the gap behind them."""
    name = metrics("small", 600).horizontalAdvance(side_name(side))
    return round(name + 4 + figure_width(font("small"), side_tokens(side)) + 8)


# The list of causes of a difference, in wire order; the first that breaks the prefix is marked.


ROW_HEIGHT = 40
MOST_ROWS = 5
"""More than this scroll."""
NUMBER_WIDTH, ICON_WIDTH, EDGE = 28, 28, 12


class Entry(NamedTuple):
    """A cause in words."""

    icon: str
    title: str
    line: str
    effect: str
    token: str

    @property
    def breaks(self) -> bool:
        """Whether the prefix ends here."""
        return self.token == "err"


def entries(diff: DiffView, chat: ChatState) -> tuple[Entry, ...]:
    """The causes of a difference in words."""
    found = []
    cached = knows_cache(chat)
    for cause in diff.causes:
        _, changed_utc = chat.disk.get(cause.subject, ("", ""))
        title = cause_title(cause, name_in(chat, cause), changed_utc)
        found.append(Entry(cause_icon(cause), title, cause_line(cause), *effect_words(cause, diff, cached)))
    return tuple(found)


def knows_cache(chat: ChatState) -> bool:
    """Whether anything is known of what a cache holds of the next request."""
    return chat.view is None or chat.view.cached_tokens is not None


def name_in(chat: ChatState, cause: DiffCause) -> str:
    """What a cause is about, as it is called in the rest of the window."""
    return subject_name(cause, chat.view or chat.opened, {row.key: row.name for row in chat.attachments})


class CauseModel(ItemModel[Entry]):
    """The causes, one a row."""

    def text_of(self, entry: Entry, _column: int = 0) -> str:
        return f"{entry.title}. {entry.line}. {entry.effect}"

    def tip_of(self, entry: Entry, _column: int = 0) -> str:
        return entry.title


class CauseDelegate(RowDelegate):
    """Paints a cause: its number, icon, title and line, and at the end what it does to the cache."""

    height = ROW_HEIGHT

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        entry: Entry = index.data(ITEM)
        paint_ground(painter, row)
        if index.row():
            paint_rule(painter, row.box, top=True)
        room = row.box.adjusted(EDGE, 0, -EDGE, 0)
        set_text_style(painter, font("small"), colour("t2", theme_of(self)))
        number = formatting.tokens(index.row() + 1)
        paint_figure(painter, take(room, NUMBER_WIDTH - EDGE), number, Qt.AlignmentFlag.AlignLeft)
        paint_icon(painter, take(room, ICON_WIDTH), entry.icon, "warn" if entry.breaks else "t2", 16)
        self._paint_words(painter, room, entry)
        paint_ring(painter, row)

    def _paint_words(self, painter: QPainter, room: QRectF, entry: Entry) -> None:
        theme = theme_of(self)
        width = metrics("meta_strong").horizontalAdvance(entry.effect) + 2
        set_text_style(painter, font("meta_strong"), colour(entry.token, theme))
        end = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignCenter
        painter.drawText(take_end(room, width, 12), end, entry.effect)
        paint_text(
            painter, QRectF(room.left(), room.top() + 4, room.width(), 17), entry.title, "small", "t1", 500
        )
        paint_text(painter, QRectF(room.left(), room.top() + 20, room.width(), 15), entry.line, "meta", "t3")


class CauseList(PickList):
    """Signals: `picked` tells the number of a cause, by a click or the arrows."""

    picked = Signal(int)

    def __init__(self) -> None:
        self._model = CauseModel()
        super().__init__(self._model, tr("Why, in wire order"))
        self.setItemDelegate(CauseDelegate(self))

    def show_entries(self, found: tuple[Entry, ...]) -> None:
        self._model.show_items(found)
        self.setFixedHeight(ROW_HEIGHT * min(max(len(found), 1), MOST_ROWS))

    def select(self, number: int) -> None:
        """Mark a cause, without telling anyone."""
        index = self._model.index(number)
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def pick(self, index: QModelIndex) -> None:
        self.picked.emit(index.row())


HEIGHT, PADDING, RADIUS = 54, 12, 10


def breaking_file(diff: DiffView) -> DiffCause | None:
    """The file of the library whose change broke the prefix of the next request; None where nothing did."""
    if diff.after.sent_utc or diff.change != "diverged":
        return None
    first = next((cause for cause in diff.causes if cause.breaks), None)
    is_file = first is not None and first.cause == "file_changed" and first.layer == "L2_PREVIOUS"
    return first if is_file else None


def freezing(chat: ChatState, diff: DiffView) -> Step | None:
    """Keep the library's copies as they were sent; None where that is so already, or would not help."""
    cause = breaking_file(diff)
    if cause is None or chat.chat.settings.freshness == "freeze" or not knows_cache(chat):
        return None
    title = tr("Freeze {name}").format(name=shown(short_path(cause.subject)))
    return apply_settings(chat, replace(chat.chat.settings, freshness="freeze"), title)


def freezing_words(diff: DiffView) -> str:
    """What freezing would do."""
    kept = formatting.tokens(diff.lasting_tokens)
    words = tr("The library keeps its old copy: {n} tokens stay cached. The new text is added after History.")
    return words.format(n=kept)


class NoteCard(Card):
    """Signals: `pressed` when the offer is taken."""

    pressed = Signal()

    def __init__(self, icon: str, tone: Tone | None = None, icon_token: str = "") -> None:
        super().__init__(tone)
        self.title = label("", "ui_label")
        self.line = label("", "small", "t3", wrap=True)
        self.offer = on_click(button(""), self.pressed)
        self.offer.setVisible(False)
        across = columns(self, (12, 10, 12, 10), 12)
        spot = IconSpot(icon, icon_token or (TONES[tone].text if tone else "t2"), 20)
        across.addWidget(spot, 0, Qt.AlignmentFlag.AlignVCenter)
        fill(rows(across, spacing=2), self.title, self.line)
        across.setStretch(1, 1)
        across.addWidget(self.offer, 0, Qt.AlignmentFlag.AlignVCenter)

    def say(self, title: str, line: str, offer: str = "") -> None:
        set_text(self.title, title)
        set_text(self.line, line)
        self.offer.setVisible(bool(offer))
        if offer != self.offer.text():
            self.offer.setText(offer)


class DiffBody(QWidget):
    """Signals: `picked` tells a row, `payload_wanted` where to go with it, `step` what to tune."""

    picked = Signal(object)
    payload_wanted = Signal(object)

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self.setObjectName("transparent")
        self._diff: DiffView | None = None
        self._chat: ChatState | None = None
        self._step: Step | None = None
        self._chosen, self._causes = 0, 0
        self.bars, self.figures = DiffBars(), DiffFigures()
        self.calm = NoteCard("check", "ok")
        self.causes = CauseList()
        self.why = self._why()
        self.card = DiffCard()
        self.alternative = NoteCard("snow", icon_token="info")
        down = rows(self, (16, 0, 16, 16), 12)
        fill(down, self.bars, self.figures, self.calm, self.why, self.card, self.alternative, STRETCH)
        self.causes.picked.connect(self._pick)
        self.card.steps.stepped.connect(self._step_cause)
        self.card.payload_wanted.connect(self._to_payload)
        self.alternative.pressed.connect(self._freeze)

    def _why(self) -> Card:
        card = Card()
        down = rows(card, (1, 1, 1, 1))
        head = columns(down, (12, 7, 12, 7), 8)
        words = label(tr("Why, in wire order"), "meta_strong")
        fill(head, words, STRETCH, label(tr("effect on the cache"), "meta", "t3"))
        down.addWidget(self.causes)
        return card

    def show_diff(self, chat: ChatState, diff: DiffView) -> None:
        """Show another comparison; the cause that breaks is chosen at first."""
        if diff is self._diff and chat is self._chat:
            return
        if hash(diff.causes) != self._causes:
            self._chosen = next((n for n, cause in enumerate(diff.causes) if cause.breaks), 0)
        self._diff, self._chat, self._causes = diff, chat, hash(diff.causes)
        self.bars.show_diff(diff)
        self.figures.show_figures(figures(diff, knows_cache(chat)))
        words = calm_words(diff)
        self.calm.setVisible(words is not None)
        if words is not None:
            self.calm.say(*words)
        self.why.setVisible(bool(diff.causes))
        self.causes.show_entries(entries(diff, chat))
        self._show_cause()
        self._show_alternative()

    def let_go(self) -> None:
        """Hold no requests any more; which cause was chosen is known all the same."""
        self._diff = self._chat = None

    def select(self, key: RowKey | None) -> None:
        causes = self._diff.causes if self._diff is not None else ()
        found = [
            n for n, cause in enumerate(causes) if key is not None and (cause.layer, cause.subject) == key
        ]
        if found and found[0] != self._chosen:
            self._chosen = found[0]
            self._show_cause()

    def chosen(self) -> int:
        return self._chosen

    def _show_cause(self) -> None:
        causes = self._diff.causes if self._diff is not None else ()
        self.card.setVisible(bool(causes))
        if self._diff is None or not causes:
            return
        self._chosen = min(self._chosen, len(causes) - 1)
        self.causes.select(self._chosen)
        place = (self._chosen + 1, len(causes))
        first = self._diff.first_difference_token
        cause = causes[self._chosen]
        name = name_in(self._chat, cause) if self._chat is not None else ""
        if cause.cause == "rebuilt":
            name = tr("Whole request")  # it is about no row, and its subject is the reason
        self.card.show_place(place, in_payload=self._key() is not None)
        self.card.show_cause(cause, name, first)

    def _show_alternative(self) -> None:
        self._step = (
            freezing(self._chat, self._diff) if self._chat is not None and self._diff is not None else None
        )
        self.alternative.setVisible(self._step is not None)
        if self._step is not None and self._diff is not None:
            self.alternative.say(tr("Keep the cache instead?"), freezing_words(self._diff), self._step.title)

    def _key(self) -> RowKey | None:
        if self._diff is None or self._chat is None or self._chat.view is None:
            return None
        cause = self._diff.causes[self._chosen]
        return row_index(self._chat.view).get((cause.layer, cause.subject))

    def _pick(self, number: int) -> None:
        self._chosen = number
        self._show_cause()
        key = self._key()
        if key is not None:
            self.picked.emit(key)

    def _step_cause(self, by: int) -> None:
        count = len(self._diff.causes) if self._diff is not None else 0
        self._pick(min(max(self._chosen + by, 0), max(count - 1, 0)))

    def _to_payload(self) -> None:
        key = self._key()
        if key is not None:
            self.payload_wanted.emit(key)

    def _freeze(self) -> None:
        if self._step is not None:
            self.wishes.do(self._step)


class DiffFigures(QWidget):
    """A card of figures; one that is bad has a ground of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._figures: tuple[Figure, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("What it costs"))
        lead_to(self, "cache")

    def show_figures(self, figures: tuple[Figure, ...]) -> None:
        self._figures = figures
        self.setAccessibleDescription(", ".join(f"{figure.value} {figure.unit}" for figure in figures))
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = event.pos().x() * len(self._figures) // max(self.width(), 1)
            words = self._figures[at].why if 0 <= at < len(self._figures) else ""
            QToolTip.showText(event.globalPos(), tip(with_more(words)), self)
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(720, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, box = QPainter(self), theme_of(self), QRectF(self.rect())
        outline = QPainterPath()
        outline.addRoundedRect(box, RADIUS, RADIUS)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(outline)
        painter.fillRect(box, colour("raised", theme))
        for number, figure in enumerate(self._figures):
            self._paint_cell(painter, self._cell(number), figure, first=number == 0)
        painter.setClipping(False)
        stroke_rounded(painter, box, theme.line, RADIUS)

    def _cell(self, number: int) -> QRectF:
        width = self.width() / max(len(self._figures), 1)
        left = round(number * width)
        return QRectF(left, 0, round((number + 1) * width) - left, self.height())

    def _paint_cell(self, painter: QPainter, cell: QRectF, figure: Figure, first: bool) -> None:
        theme = theme_of(self)
        if figure.token == "err":
            painter.fillRect(cell, colour("err_tint", theme))
        if not first:
            painter.fillRect(QRectF(cell.left(), cell.top(), 1, cell.height()), colour("line", theme))
        inner = cell.adjusted(PADDING, 0, -PADDING, 0)
        set_text_style(painter, font("figure2"), colour(figure.token, theme))
        value = elided(font("figure2"), figure.value, inner.width())
        paint_figure(painter, QRectF(inner.left(), 8, inner.width(), 22), value, Qt.AlignmentFlag.AlignLeft)
        fits = metrics("meta").horizontalAdvance(figure.unit) <= inner.width()
        unit = figure.unit if fits else figure.short or figure.unit
        set_text_style(painter, font("meta"), colour("err" if figure.token == "err" else "t3", theme))
        paint_elided(painter, QRectF(inner.left(), 31, inner.width(), 15), unit)
