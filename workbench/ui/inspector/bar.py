"""The bar block: the request's figures, the budget bar with the ghost of a what-if, and its legend."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFontMetricsF,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.envelope_view import EnvelopeView, PriceTag, RowKey
from workbench.engine.state import EditedQuestion, Trial
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import limit_words, listed, row_name
from workbench.ui.inspector.rows.verdict_words import verdict_failed, verdict_sentence
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import Run, figure_width, paint_figure, placed, set_text_style
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone
from workbench.ui.price_words import price_lines
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.budget_bar.bar import BudgetBar, Legend, window_note
from workbench.ui.widgets.budget_bar.segments import BarMemo
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.guided import lead_to, tell_figure
from workbench.ui.widgets.labels import FigureLabel, label
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.warm_clock import SECOND_MS, WarmClock, time_left

HEIGHT, GAP, EDIT_PX = 30, 9, 30
WARM_WORDS_PX = 600
SHORT_S = 60


class FiguresRow(QWidget):
    """Every number here is the view's own; nothing is counted again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.total = Headline()
        self.free = FigureLabel("", "ui", weight=600)
        self.free_word = label(tr("free"), "ui", "t2")
        self.over, self.cached, self.exact = Badge(), Badge(), Badge()
        self.warm = WarmChip()
        self._view: EnvelopeView | None = None
        self.warm.turned_cold.connect(self._show_cached)
        self.price = FigureLabel("", "ui", weight=600)
        self.window_button = button(tr("Set the window…"), "link", size="small")
        self.setFixedHeight(HEIGHT)
        row = fill(columns(self, spacing=12), (self.total, 1), self.window_button)
        fill(columns(row, spacing=4), self.free, self.free_word)
        fill(row, self.over, self.cached, self.warm, self.exact, self.price)

    def show_view(self, view: EnvelopeView) -> None:
        over = view.over_tokens > 0
        self.total.show_total(
            formatting.about(formatting.tokens(view.total_tokens), view.exact),
            self._limits(view),
            "err" if over else "t1",
        )
        self._tell_sums(view)
        self.free.set_figure(formatting.about(formatting.tokens(view.free_tokens), view.exact))
        for widget in (self.free, self.free_word):
            widget.setVisible(not over)
        self.over.setVisible(over)
        self.over.show_words("err", "warn", tr("over by {n}").format(n=formatting.tokens(view.over_tokens)))
        self.window_button.setVisible(bool(window_note(view)) and view.standing == "next")
        self.window_button.setToolTip(tip(window_note(view)))
        self._view = view
        self.warm.show_view(view)
        self._show_cached()
        self._show_exact(view)
        self._show_price(view)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.warm.set_short(self.width() < WARM_WORDS_PX)
        self._show_cached()

    def _tell_sums(self, view: EnvelopeView) -> None:
        sums = tr(
            "The sum of all rows, and the most it may be: the window less {n} tokens kept for the reply."
        )
        tell_figure(self.total, sums.format(n=formatting.tokens(view.reserve_tokens)), "budget")
        free = tr("The limit less the request: what you can still add.")
        for widget in (self.free, self.free_word):
            tell_figure(widget, free, "budget")
        tell_figure(
            self.over, tr("The request less the limit: what must go before it can be sent."), "budget"
        )

    def _limits(self, view: EnvelopeView) -> tuple[str, ...]:
        limit = formatting.tokens(view.limit_tokens)
        short = tr("of {limit}").format(limit=limit_words(view))
        if view.window_assumed:
            return (tr("of {limit} tokens, assumed").format(limit=limit), short)
        return (tr("of {limit} tokens").format(limit=limit), short)

    def _show_cached(self) -> None:
        """What is served now: nothing once the chip beside it says cold, though the request was not built again yet."""
        view = self._view
        if view is None:
            return
        if view.served_tokens is not None:
            self._show_served(view, view.served_tokens)
            return
        tokens = 0 if self.warm.is_cold() else view.cached_tokens or 0
        self.cached.setVisible(view.cached_tokens is not None)
        percent = formatting.percent(view.cached_share if tokens else 0.0)
        self.cached.show_words(
            "accent" if tokens else "neutral", "", tr("{share} cached").format(share=percent)
        )
        told = tr("The first {n} tokens are expected to come from the provider’s cache.")
        tell_figure(self.cached, told.format(n=formatting.tokens(tokens)), "cache")

    def _show_served(self, view: EnvelopeView, tokens: int) -> None:
        """What was served of a request that was sent, beside the forecast where that failed."""
        self.cached.setVisible(True)
        words = tr("{share} cached").format(share=formatting.percent(tokens / max(1, view.total_tokens)))
        told = tr("The provider reported {n} tokens from its cache.").format(n=formatting.tokens(tokens))
        failed = tokens < (view.cached_tokens or 0) and verdict_failed(view.verdict)
        if failed:
            foreseen = formatting.percent(view.cached_share)
            if self.width() >= WARM_WORDS_PX:
                words = tr("{now}, not {share}").format(now=words, share=foreseen)
            told = tr("{told} {expected} were expected. {why}").format(
                told=told,
                expected=formatting.tokens(view.cached_tokens or 0),
                why=verdict_sentence(view.verdict),
            )
        self.cached.show_words("warn" if failed else "accent" if tokens else "neutral", "", words)
        tell_figure(self.cached, told, "cache")

    def _show_exact(self, view: EnvelopeView) -> None:
        if view.exact:
            self.exact.show_words("ok", "check", tr("exact"))
            tell_figure(self.exact, tr("Counted with the model’s own tokeniser."), "budget")
        elif view.reported:
            self.exact.show_words("ok", "check", tr("reported"))
            told = tr("As counted by the provider; split between the rows in proportion to the estimate.")
            tell_figure(self.exact, told, "budget")
        else:
            words = tr("estimated")
            if view.spread is not None:
                words = tr("estimated {spread}").format(spread=formatting.spread(view.spread))
            self.exact.show_words("warn", "approx", words)
            tell_figure(self.exact, self._why_estimated(view), "budget")

    def _why_estimated(self, view: EnvelopeView) -> str:
        if view.counted_at_send:
            return tr("The model’s server, on another computer, counts it when it is sent, not before.")
        rows = [row for layer in view.layers for row in layer.estimated]
        if not rows and view.spread is not None:
            told = tr(
                "Corrected by what the provider reported of earlier requests: nine in ten were within {off}."
            )
            return told.format(off=formatting.spread(view.spread))
        if not rows:
            return tr("The model’s tokeniser is unknown: the count may be off by a few percent.")
        names = listed(list(dict.fromkeys(row_name(row) for row in rows)))
        return tr("Count not exact yet: {names}.").format(names=names)

    def _show_price(self, view: EnvelopeView) -> None:
        free_of_charge = view.local or view.cost_usd == 0
        self.price.setVisible(free_of_charge or view.cost_usd is not None)
        words = tr("no cost") if free_of_charge else formatting.usd(view.cost_usd or 0, about=True)
        self.price.set_figure(words)
        here = tr("The model runs on this computer.")
        listed = tr("The request at the model’s listed prices, cached tokens at theirs; the reply is extra.")
        tell_figure(self.price, here if view.local else listed, "cache")


class Headline(QWidget):
    """A large figure and the words behind it, on one baseline."""

    def __init__(self) -> None:
        super().__init__()
        self._figure = ""
        self._words: tuple[str, ...] = ("",)
        self._token = "t1"
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_total(self, figure: str, words: tuple[str, ...], token: str) -> None:
        if (figure, words, token) == (self._figure, self._words, self._token):
            return
        alike = (len(figure), words, token) == (len(self._figure), self._words, self._token)
        self._figure, self._words, self._token = figure, words, token
        self.setAccessibleName(f"{figure} {words[0]}")
        # The words behind a figure that is no longer than it was stay where they are.
        self.update(0, 0, self.minimumSizeHint().width() if alike else self.width(), self.height())

    def figure(self) -> str:
        return self._figure

    def sizeHint(self) -> QSize:
        words = QFontMetricsF(font("chat")).horizontalAdvance(self._words[0])
        return QSize(round(figure_width(font("figure"), self._figure) + GAP + words), HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """The figure is never cut; the words are, where there is no room."""
        return QSize(round(figure_width(font("figure"), self._figure)) + 1, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = theme_of(self)
        painter = QPainter(self)
        box, large, small = QRectF(self.rect()), font("figure"), font("chat")
        set_text_style(painter, large, colour(self._token, theme))
        width = figure_width(large, self._figure)
        paint_figure(painter, placed(box, 0, width), self._figure)
        if event.rect().right() < width + GAP:
            return
        measure = QFontMetricsF(large)
        baseline = box.center().y() + (measure.ascent() - measure.descent()) / 2
        words = self.words_in(box.width() - width - GAP)
        set_text_style(painter, small, colour("t2", theme))
        rest = placed(box, width + GAP, QFontMetricsF(small).horizontalAdvance(words))
        painter.drawText(QPointF(rest.left(), baseline), words)

    def words_in(self, room_px: float) -> str:
        """The words for which there is room; none rather than half of them."""
        measure = QFontMetricsF(font("chat"))
        return next((each for each in self._words if measure.horizontalAdvance(each) <= room_px + 0.5), "")


class EditLine(Panel):
    """What the next request would be with the words of an answer that is being edited, and when that is free."""

    ground, padding = "accent_tint", (16, 0, 16, 0)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(EDIT_PX)
        self.hide()

    def show_edit(self, now: EnvelopeView | None, edited: EditedQuestion | None) -> None:
        then = edited.view if edited is not None else None
        self.setVisible(now is not None and then is not None)
        if edited is None or now is None or then is None:
            self.runs = self.end_runs = ()
            return
        tag = edited.tag or PriceTag()
        # The editor's foot says the same figure: the request may have been counted anew since.
        words = tr("{n} tokens ({delta})").format(
            n=formatting.tokens(then.total_tokens), delta=formatting.signed_tokens(tag.tokens_delta)
        )
        if now.cached_tokens is not None and then.cached_tokens is not None:
            words += tr(", cached {then} in place of {now}").format(
                then=formatting.tokens(then.cached_tokens), now=formatting.tokens(now.cached_tokens)
            )
        if then.cost_usd is not None and not then.local:
            words += f", ≈ {formatting.usd(then.cost_usd)}"
        head, cold = tr("With your edit"), price_lines(tag).cold
        pencil = Run(icon="edit", token="accent_text", width=14, gap=8)
        self.runs = (pencil, Run(head, "accent_text", weight=600, gap=8), Run(words))
        self.end_runs = (Run(cold, "ok"),) if cold else ()
        self.setAccessibleName(f"{head}: {words}")
        self.update()


class BarBlock(Panel):
    """Draws one view: figures, bar and legend are fed from it at once."""

    line_below = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: EnvelopeView | None = None
        self._trial: Trial | EditedQuestion | None = None
        self._bars, self._ghosts = BarMemo(), BarMemo()
        self.setObjectName("surface")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.figures = FiguresRow(self)
        self.bar = BudgetBar()
        self.legend = Legend()
        tell_figure(
            self.legend, tr("The tokens of each layer’s rows; together they are the request."), "request"
        )
        lead_to(self, "budget")
        fill(rows(self, (16, 10, 16, 8)), self.figures, 6, self.bar, 3, self.legend)

    def show_request(self, view: EnvelopeView | None, trial: Trial | EditedQuestion | None) -> None:
        """Show a request, and as a ghost what settings on trial, or words that are being edited, make of it."""
        if view is not self._view and view is not None:
            self._view = view
            bar = self._bars.bar_of(view)
            self.figures.show_view(view)
            self.bar.show_bar(bar)
            self.legend.show_bar(bar)
        if trial is not self._trial:
            self._trial = trial
            then = trial.view if trial is not None else None
            edited = isinstance(trial, EditedQuestion)
            self.bar.show_ghost(self._ghosts.bar_of(then) if then is not None else None, figures=not edited)

    def select(self, key: RowKey | None) -> None:
        self.bar.select(key)


class WarmChip(Badge):
    """Warm for so long, or cold; hidden where nobody can say.

    Signals:
        turned_cold: the time has just run out.
    """

    turned_cold = Signal()

    def __init__(self, clock: WarmClock | None = None) -> None:
        super().__init__()
        self.clock = clock or WarmClock(self)
        self._until: str | None = None
        self._asked: str | None = None
        self._price = ""
        self._cold = self._short = False
        self.clock.ticked.connect(self._count)
        self.setVisible(False)

    def show_view(self, view: EnvelopeView) -> None:
        """Count for the next request; one that was sent is beyond it."""
        ahead = view.standing == "next"
        self._until = view.warm_until_utc if ahead else None
        self._asked = view.asked_utc
        self._price = "" if view.cost_usd is None else formatting.usd(view.cost_usd, about=True)
        # A server that was asked, and still serves some of it, is not cold, whatever the time says.
        self._cold = ahead and view.cold and not view.cached_tokens
        there = self._until is not None or self._cold
        if there:
            self._write(spoken=False)
        self.setVisible(there)
        self._listen()

    def is_cold(self) -> bool:
        return self._cold

    def set_short(self, short: bool) -> None:
        if short != self._short:
            self._short = short
            if self.isVisible():
                self._write(spoken=False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._write(spoken=False)
        self._listen()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._listen()

    def _count(self) -> None:
        if self._until is not None:
            self._write(spoken=True)

    def _listen(self) -> None:
        self.clock.listen(self, self.isVisible() and self._until is not None)

    def _write(self, spoken: bool) -> None:
        left = 0 if self._until is None else self.clock.left_s(self._until)
        cold = self._cold or left == 0
        if cold and self._until is not None:
            self._until, self._cold = None, True
            self._listen()
            self.turned_cold.emit()
            if spoken:
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self._told()))
        if cold:
            idle = "" if self._short else self._idle(tr("cold, {n} min idle"))
            self.show_words("neutral", "snow", idle or tr("cold"))
        else:
            tone: Tone = "warn" if left < SHORT_S else "ok"
            words = "{time}" if self._short else tr("warm for {time}")
            self.show_words(tone, "clock", words.format(time=time_left(left)))
        tell_figure(self, self._told(), "cache")

    def _idle(self, words: str) -> str:
        """How long nothing was asked, in minutes; empty where nobody knows."""
        asked = QDateTime.fromString(self._asked or "", Qt.DateFormat.ISODateWithMs)
        if not asked.isValid():
            return ""
        minutes = (self.clock.now_ms() - asked.toMSecsSinceEpoch()) // (60 * SECOND_MS)
        return words.format(n=formatting.tokens(max(1, minutes)))

    def _told(self) -> str:
        if self._cold:
            cold = tr("The provider’s cache is cold, so changing the request costs nothing extra now.")
            return self._idle(self._gone_words()) or cold
        return tr("The provider’s cache lasts at least this long, so changes before then are re-read.")

    def _gone_words(self) -> str:
        if not self._price:
            return tr("{n} minutes idle: the cache is gone, so changing the request costs nothing extra now.")
        words = tr("{n} minutes idle: the cache is gone, so this request costs {usd} and changes are free.")
        return words.replace("{usd}", self._price)
