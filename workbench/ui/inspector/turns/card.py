"""A turn's request as it was sent: a card with its own bar, to be read only."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import limit_words, turn_title
from workbench.ui.inspector.rows.verdict_words import broke_prefix, turn_sentence
from workbench.ui.inspector.turns.timeline import MarkSpot
from workbench.ui.inspector.turns.timeline_layout import turn_bar
from workbench.ui.look.fonts import font
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.budget_bar.bar import sentence
from workbench.ui.widgets.budget_bar.layout import lay_out
from workbench.ui.widgets.budget_bar.legend import Legend
from workbench.ui.widgets.budget_bar.painting import Canvas, paint_bar, paint_marks
from workbench.ui.widgets.budget_bar.segments import BarModel, bar_of
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.widgets.plain import tip

BAR_HEIGHT, REACH = 18, 3
WIDE_FROM_PX = 780


class SentBar(QWidget):
    """The bar of a request that was sent: nothing in it can be chosen or changed."""

    def __init__(self) -> None:
        super().__init__()
        self._bar = BarModel()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Request as it was sent"))

    def show_bar(self, bar: BarModel) -> None:
        self._bar = bar
        self.setAccessibleDescription(sentence(bar))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(600, BAR_HEIGHT + 2 * REACH)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

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
        self.badge = Badge("neutral", "lock", self.tr("read-only"))
        self.figures = ElidedLabel("", "small", "t2")
        self.layers = on_click(button(self.tr("Layers"), size="small"), self.layers_wanted)
        self.payload = on_click(button(self.tr("Payload"), size="small"), self.payload_wanted)
        self.compare = on_click(button(self.tr("Compare with next"), size="small"), self.compare_wanted)
        self.settings = on_click(button(self.tr("Other settings"), size="small"), self.settings_wanted)
        self.settings.setToolTip(tip(self.tr("Compare this request with other settings.")))
        self.close_button = tool_button("x", self.tr("Back to the next request"), side=24)
        self.bar = SentBar()
        self.legend = Legend()
        self.cached = label("", "small", "t2")
        tell_figure(self.cached, self.tr("What the provider says its cache served of this request."), "cache")
        self.mark = MarkSpot()
        self.lead = label("", "small", "err")
        self.lead.setFont(font("small", 600))
        self.reason = label("", "small", "t2", wrap=True)
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
        words = self.tr("{n} of {limit}")
        if self.width() >= WIDE_FROM_PX:
            timed = bool(self._view.sent_utc)
            words = (
                self.tr("{n} of {limit} as sent at {time}") if timed else self.tr("{n} of {limit} as sent")
            )
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
            return self.tr("cached {n}").format(n=formatting.tokens(view.cached_tokens))
        if turn.local and turn.reported_tokens == view.cached_tokens:
            return self.tr("cached {n}, as reported").format(n=formatting.tokens(view.cached_tokens))
        # What runs on this computer bills nothing.
        words = self.tr("cached {n}, reported {m}") if turn.local else self.tr("cached {n}, billed {m}")
        return words.format(
            n=formatting.tokens(view.cached_tokens), m=formatting.tokens(turn.reported_tokens)
        )

    def _show_reason(self, view: EnvelopeView, turn: TurnRow | None) -> None:
        broke = turn is not None and broke_prefix(turn)
        self.mark.show_mark(turn_bar(turn).mark if turn is not None else "")
        self.lead.setVisible(broke)
        if view.cached_tokens is not None:
            where = self.tr("Prefix broke at token {n}.").format(n=formatting.tokens(view.cached_tokens))
        else:
            where = self.tr("Prefix broke.")
        set_text(self.lead, where)
        set_token(self.lead, "err")
        reason = turn_sentence(turn) if turn is not None else ""
        set_text(self.reason, reason)
        self.reason.setVisible(bool(reason))
