"""The page that lists the turns: what each cost, what its cache did, and its request as it was sent."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from workbench.domain.settings.context_settings import Layout
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.intents import CompareLayouts, CompareTurns, OpenTurn
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.inspector.pages import Page
from workbench.ui.inspector.rows.row_words import limit_words, turn_title
from workbench.ui.inspector.rows.verdict_words import broke_prefix, turn_sentence
from workbench.ui.inspector.turns.shares_card import SharesCard
from workbench.ui.inspector.turns.table import TurnSums, TurnTable
from workbench.ui.inspector.turns.timeline import MarkSpot
from workbench.ui.inspector.turns.timeline_layout import turn_bar
from workbench.ui.look.fonts import font
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import sentences, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.budget_bar.bar import Legend, sentence
from workbench.ui.widgets.budget_bar.layout import lay_out
from workbench.ui.widgets.budget_bar.painting import Canvas, paint_bar, paint_marks
from workbench.ui.widgets.budget_bar.segments import BarModel, bar_of
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.guided import lead_to, tell_figure
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import EmptyState
from workbench.ui.wishes import CompareRequest, Wishes

# A turn's request as it was sent: a card with its own bar, to be read only.


BAR_HEIGHT, REACH = 18, 3
WIDE_FROM_PX = 780


class SentBar(QWidget):
    """The bar of a request that was sent: nothing in it can be chosen or changed."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = BarModel()
        self.setFixedHeight(BAR_HEIGHT + 2 * REACH)
        self.setMinimumWidth(120)
        self.setAccessibleName(tr("Request as it was sent"))

    def show_bar(self, bar: BarModel) -> None:
        self._bar = bar
        self.setAccessibleDescription(sentence(bar))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        box = QRectF(0, REACH, self.width(), BAR_HEIGHT)
        canvas = Canvas(QPainter(self), theme_of(self), box, self.devicePixelRatioF())
        layout = lay_out(self._bar, float(self.width()), self.devicePixelRatioF())
        paint_bar(canvas, layout, compact=True)
        paint_marks(canvas, layout, compact=True)


class TurnCard(Card):
    """Signals: `layers_wanted`, `payload_wanted`, `compare_wanted`, `settings_wanted`."""

    layers_wanted = Signal()
    payload_wanted = Signal()
    compare_wanted = Signal()
    settings_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._view: EnvelopeView | None = None
        self.title = label("", "ui_heading")
        self.badge = Badge("neutral", "lock", tr("read-only"))
        self.figures = ElidedLabel("", "small", "t2")
        self.layers = on_click(button(tr("Layers"), size="small"), self.layers_wanted)
        self.payload = on_click(button(tr("Payload"), size="small"), self.payload_wanted)
        self.compare = on_click(button(tr("Compare with next"), size="small"), self.compare_wanted)
        self.settings = on_click(button(tr("Other settings"), size="small"), self.settings_wanted)
        self.settings.setToolTip(tip(tr("Compare this request with other settings.")))
        self.close_button = tool_button("x", tr("Back to the next request"), side=24)
        self.bar = SentBar()
        self.legend = Legend()
        self.cached = label("", "small", "t2")
        tell_figure(self.cached, tr("What the provider says its cache served of this request."), "cache")
        self.mark = MarkSpot()
        self.lead = label("", "small", "err")
        self.lead.setFont(font("small", 600))
        self.reason = label("", "small", "t2", wrap=True)
        self.searched = label("", "small", "t2", wrap=True)
        self._place()

    def _place(self) -> None:
        down = rows(self, (12, 10, 12, 12), 8)
        head = columns(down, spacing=8)
        head.addWidget(self.title)
        head.addWidget(self.badge)
        head.addWidget(self.figures, 1)
        for widget in (self.layers, self.payload, self.compare, self.settings, self.close_button):
            head.addWidget(widget)
        down.addWidget(self.bar)
        fill(columns(down, spacing=8), (self.legend, 1), self.cached)
        foot = columns(down, spacing=6)
        foot.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignVCenter)
        fill(foot, self.lead, (self.reason, 1))
        down.addWidget(self.searched)

    def show_turn(self, view: EnvelopeView, turn: TurnRow | None) -> None:
        set_text(self.title, turn_title(view.turn, view.watched))
        self._view = view
        for own in (self.compare, self.settings, self.close_button):
            own.setVisible(not view.watched)  # there is no next request, and nothing to build it by
        self._show_figures()
        bar = bar_of(view)
        self.bar.show_bar(bar)
        self.legend.show_bar(bar)
        set_text(self.cached, self._cached_words(view, turn))
        self._show_reason(view, turn)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_figures()

    def _show_figures(self) -> None:
        if self._view is None:
            return
        words = tr("{n} of {limit}")
        if self.width() >= WIDE_FROM_PX:
            timed = bool(self._view.sent_utc)
            words = tr("{n} of {limit} as sent at {time}") if timed else tr("{n} of {limit} as sent")
            words = words if self._view.was_sent else tr("{n} of {limit}, not sent")
        self.figures.setText(
            words.format(
                n=formatting.tokens(self._view.total_tokens),
                limit=limit_words(self._view),
                time=formatting.clock(self._view.sent_utc),
            )
        )
        self.figures.set_more(formatting.moment(self._view.sent_utc))

    def _cached_words(self, view: EnvelopeView, turn: TurnRow | None) -> str:
        if view.cached_tokens is None:
            return ""
        if turn is None or turn.reported_tokens is None:
            return tr("cached {n}").format(n=formatting.tokens(view.cached_tokens))
        if turn.local and turn.reported_tokens == view.cached_tokens:
            return tr("cached {n}, as reported").format(n=formatting.tokens(view.cached_tokens))
        # What runs on this computer bills nothing.
        words = tr("cached {n}, reported {m}") if turn.local else tr("cached {n}, billed {m}")
        return words.format(
            n=formatting.tokens(view.cached_tokens), m=formatting.tokens(turn.reported_tokens)
        )

    def _show_reason(self, view: EnvelopeView, turn: TurnRow | None) -> None:
        broke = turn is not None and broke_prefix(turn)
        self.mark.show_mark(turn_bar(turn).mark if turn is not None else "")
        self.lead.setVisible(broke)
        if view.cached_tokens is not None:
            where = tr("Prefix broke at token {n}.").format(n=formatting.tokens(view.cached_tokens))
        else:
            where = tr("Prefix broke.")
        set_text(self.lead, where)
        set_token(self.lead, "err")
        reason = turn_sentence(turn) if turn is not None else ""
        set_text(self.reason, reason)
        self._show_searched(turn)
        self.reason.setVisible(bool(reason))

    def _show_searched(self, turn: TurnRow | None) -> None:
        words = tr("Searched the web for “{words}”: {n} of {m} pages attached.")
        said = [
            words.format(words=shown(asked, 120), n=formatting.tokens(taken), m=formatting.tokens(found))
            for asked, found, taken in (turn.searched if turn is not None else ())
        ]
        set_text(self.searched, sentences(*said))
        self.searched.setVisible(bool(said))


LEAST_LOWER = 132
SETTLE_MS = 120
"""Holding an arrow key down must not open every turn on the way."""


class HistoryPage(Page):
    """A turn that is chosen is opened: its card follows when the request is there."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__(wishes)
        self._chat: ChatState | None = None
        self._turns: tuple[TurnRow, ...] | None = None
        self._layout: Layout | None = None
        self._opened: object = None
        self._wanted: int | None = None
        self._compared: tuple[str, object] | None = None
        self.table, self.sums, self.card = TurnTable(), TurnSums(), TurnCard()
        self.shares = SharesCard(self.wishes)
        self.log = label("", "small", "t2", wrap=True)
        self.hint = label(tr("Choose a turn to see its request as it was sent."), "small", "t3")
        self.empty = EmptyState(
            "timeline",
            tr("No turns yet"),
            tr("Each answer adds a row: what it cost, and what came from the cache."),
        )
        self._settle = single_shot(self, self._open_wanted, SETTLE_MS)
        self._stack = QStackedWidget()
        self._place()
        self.setFocusProxy(self.table)
        lead_to(self, "cache")
        self._connect()

    def _place(self) -> None:
        full = QWidget()
        down = fill(rows(full), (self.table, 1000), self.sums)
        inner = QWidget()
        fill(rows(inner, (16, 12, 16, 12), 12), self.log, self.card, self.hint, self.shares)
        self.under = _Lower(inner)
        fill(down, self.under, STRETCH)
        self._stack.addWidget(full)
        self._stack.addWidget(self.empty)
        columns(self).addWidget(self._stack)

    def _connect(self) -> None:
        self.table.picked.connect(self._on_pick)
        self.table.opened.connect(self._on_open)
        self.shares.chart.chosen.connect(self._on_share)
        self.shares.chart.opened.connect(self._on_open)
        self.table.room_changed.connect(self.sums.set_room)
        self.card.layers_wanted.connect(self._to_layers)
        self.card.payload_wanted.connect(self._to_payload)
        self.card.compare_wanted.connect(self._compare)
        self.card.settings_wanted.connect(self._compare_settings)
        self.card.close_button.clicked.connect(self._close)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        self._chat = chat
        turns = chat.turns if chat is not None else ()
        opened = chat.opened if chat is not None else None
        watched = chat is not None and chat.chat.filed.watched is not None
        layout = chat.chat.settings.layout if chat is not None and not watched else None
        if turns is not self._turns or layout != self._layout:
            self._turns, self._layout = turns, layout
            self.table.show_turns(turns)
            self.sums.show_turns(turns, layout)
            self._stack.setCurrentIndex(0 if turns else 1)
            self._opened = self
        self.shares.setVisible(not watched)
        words = log_words(turns) if watched else ""
        self.log.setVisible(bool(words))
        set_text(self.log, words)
        if chat is not None and turns and not watched:
            self.shares.show_chat(chat, state.learnt.get(chat.chat.settings.model))
            self._compare_layouts(chat)
        if opened is not self._opened:
            self._opened = opened
            self.shares.chart.select(opened.turn if opened is not None else None)
            self.card.setVisible(opened is not None)
            self.hint.setVisible(opened is None)
            self.table.select(opened.turn if opened is not None else None)
            if opened is not None:
                self.card.show_turn(
                    opened, next((turn for turn in turns if turn.number == opened.turn), None)
                )

    def _compare_layouts(self, chat: ChatState) -> None:
        """Have the chart worked out whenever there are other turns: only what is new takes time."""
        wanted = (chat.chat.id, chat.turns)
        known = self._compared
        if known is None or known[0] != wanted[0] or known[1] is not wanted[1]:
            self._compared = wanted
            self.wishes.send(CompareLayouts(chat.chat.id))

    def let_go(self, newest: ChatState | None) -> None:
        if not self._settle.isActive():
            self._chat = None
            self.shares.let_go()

    def select(self, key: RowKey | None) -> None:
        """A row of a request is no turn: nothing is marked."""

    def _on_share(self, number: int) -> None:
        """A turn was chosen in the chart: it is the one in the table, too."""
        self.table.select(number)
        self._on_pick(number)

    def _on_pick(self, number: int) -> None:
        self.shares.chart.select(number)
        if self._chat is None or (self._chat.opened is not None and self._chat.opened.turn == number):
            return
        self._wanted = number
        self._settle.start()

    def _on_open(self, number: int) -> None:
        self._on_pick(number)
        self._open_wanted()
        self._to_layers()

    def _open_wanted(self) -> None:
        self._settle.stop()
        if self._chat is not None and self._wanted is not None:
            self.wishes.send(OpenTurn(self._chat.chat.id, self._wanted))
            self._wanted = None

    def _close(self) -> None:
        if self._chat is not None:
            self.wishes.send(OpenTurn(self._chat.chat.id, None))

    def _compare(self) -> None:
        if self._chat is not None and self._chat.opened is not None:
            self.wishes.send(CompareTurns(self._chat.chat.id, self._chat.opened.turn, None))
            self.wishes.run("diff")

    def _compare_settings(self) -> None:
        if self._chat is not None and self._chat.opened is not None:
            self.wishes.run(CompareRequest(self._chat.opened.turn))

    def _to_layers(self) -> None:
        self.wishes.run("layers")

    def _to_payload(self) -> None:
        self.wishes.run("payload")


def log_words(turns: Sequence[TurnRow]) -> str:
    """What watched requests cost, beside what they would have, had each gone on from the one before."""
    paid, log = sum(turn.cost_usd or 0.0 for turn in turns), turns[-1].log_usd if turns else None
    if log is None or any(turn.cost_usd is None for turn in turns):
        return ""
    words = tr("These requests cost {paid}. Had each only added to the one before: {log}.")
    return words.format(paid=formatting.usd(paid), log=formatting.usd(log))


class _Lower(QScrollArea):
    """What stands under the table, as high as it wants to be while there is room, and scrolled where there is not."""

    def __init__(self, inner: QWidget) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inner)
        self.viewport().setAutoFillBackground(False)
        inner.setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        inner.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow what is inside when that becomes higher or lower."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:
        inner = self.widget()
        width = max(self.viewport().width(), inner.minimumSizeHint().width())
        layout = inner.layout()
        height = (
            layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else inner.sizeHint().height()
        )
        return QSize(inner.sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self.sizeHint().height(), LEAST_LOWER))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()
