"""What adding would come to: the bar of the next request with the new part ringed, the sums, and a priority."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from workbench.domain.files.attached import AttachLimits
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.domain.shown.folder_view import FolderView
from workbench.ui.dialogs.folder.entry_words import (
    Verdict,
    chosen_tokens,
    counted_files,
    progress_of,
    verdict_of,
)
from workbench.ui.dialogs.folder.nodes import Sums
from workbench.ui.formatting import size, tokens
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import fill_rounded, set_text_style, stroke_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.badge import LayerTag
from workbench.ui.widgets.budget_bar.bar import BarModel, BarSegment, BudgetBar, bar_of
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.labels import ElidedLabel, SumFigure, label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressLine

_tr = translator("FolderDialog")
NEW = RowKey("L3_TURN", "\0new files")


class SumBlock(QWidget):
    """The bar and what stands under it."""

    def __init__(self) -> None:
        super().__init__()
        self.bar = BudgetBar(compact=True)
        self.bar.setAccessibleName(_tr("The next request with what is chosen"))
        self.chosen, self.before, self.after = SumFigure(first=True), SumFigure(), SumFigure()
        self.total, self.verdict = SumFigure(), SumFigure()
        self.priority = Choice(
            (("0", _tr("0 pinned")), ("3", _tr("3 high")), ("5", _tr("5 medium")), ("10", _tr("10 low")))
        )
        self.priority.choose("5")
        self.priority.setAccessibleName(_tr("Priority in This turn"))
        down = rows(self, (16, 10, 16, 10), 8)
        down.addWidget(self.bar)
        across = fill(columns(down), self.chosen, self.before, self.after, self.total, self.verdict, STRETCH)
        tag = LayerTag("L3_TURN")
        fill(across, tag, 6, label(_tr("This turn, priority"), "small", "t2"), 8, self.priority)

    def show_sums(self, view: EnvelopeView | None, sums: Sums, limits: AttachLimits) -> None:
        cost = sums.chosen_tokens
        files = counted_files(sums.chosen)
        self.chosen.show_figure(chosen_tokens(sums), _tr("chosen, {files}").format(files=files))
        self.show_request(view, cost, guessed=bool(sums.guessed))
        if sums.chosen_bytes > limits.total_bytes:
            over = _tr("{size}, over {most} MB").format(
                size=size(sums.chosen_bytes), most=tokens(limits.total_mb)
            )
            self._judge(Verdict(_tr("too much at once"), over, "err", "warn"))
        elif sums.chosen > limits.ask_files:
            found = verdict_of(view, cost)
            more = _tr("more than {n} files at once").format(n=tokens(limits.ask_files))
            self._judge(found if found.tone == "err" else found._replace(line=more))
        else:
            self._judge(verdict_of(view, cost))

    def show_request(self, view: EnvelopeView | None, cost: int, guessed: bool = False) -> None:
        """The bar and the three figures beside what is chosen; `guessed` says that its cost is an estimate."""
        if view is None:
            self.bar.show_bar(BarModel(limit_tokens=1))
            for figure, unit in ((self.before, _tr("free before")), (self.after, _tr("free after"))):
                figure.show_figure("—", unit)
            self.total.show_figure("—", _tr("tokens in request"))
            return
        self.bar.show_bar(with_new(view, cost))
        self.bar.select(NEW if cost else None)
        about = "" if view.exact else "≈ "
        free = view.limit_tokens - view.total_tokens - cost
        self.before.show_figure(f"{about}{tokens(view.free_tokens)}", _tr("free before"))
        about = "≈ " if guessed and cost else about
        self.after.show_figure(
            f"{about}{tokens(max(0, free))}", _tr("free after"), "err" if free < 0 else "t1"
        )
        self.total.show_figure(f"{about}{tokens(view.total_tokens + cost)}", _tr("tokens in request"))

    def _judge(self, verdict: Verdict) -> None:
        self.verdict.show_figure(verdict.word, verdict.line, verdict.tone, verdict.icon)

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(QRectF(1, 0, self.width() - 2, 1), colour("line", theme_of(self)))


def with_new(view: EnvelopeView, cost: int) -> BarModel:
    """The bar of a request with so much more in this turn's layer, before the question."""
    bar = bar_of(view)
    if not cost:
        return bar
    place = next((at for at, one in enumerate(bar.segments) if one.layer == "L5_USER"), len(bar.segments))
    new = BarSegment(NEW, cost, _tr("New files"))
    return replace(bar, segments=(*bar.segments[:place], new, *bar.segments[place:]))


class KindChip(QPushButton):
    """A kind of files, and how many there are; pressed, only such files are seen."""

    def __init__(self) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setProperty("ring_radius", 12)

    def sizeHint(self) -> QSize:
        return QSize(int(metrics("small", 500).horizontalAdvance(self.text()) + 0.999) + 20, 24)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter, box = theme_of(self), QPainter(self), QRectF(self.rect())
        on, over = self.isChecked(), self.underMouse()
        ground = theme.accent_tint if on else theme.hover if over else theme.raised
        fill_rounded(painter, box, ground, 12)
        stroke_rounded(painter, box, theme.accent if on else theme.line2, 12)
        set_text_style(painter, font("small", 500), colour("accent_text" if on else "t1", theme))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text())


class ScanLine(QWidget):
    """How far the look is, and a way to end it; gone when it is over."""

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.line.setFixedWidth(160)
        self.count = label("", "small", "t1")
        self.count.setObjectName("strong")
        self.words = label("", "small", "t2")
        self.at = ElidedLabel("", "digest", "t2", Qt.TextElideMode.ElideMiddle)
        self.now = label(_tr("What is counted can be added now."), "small", "t2")
        self.cancel = button(_tr("Cancel scan"), size="small")
        self.setFixedHeight(40)
        across = columns(self, (16, 0, 16, 0), 0)
        fill(
            across, self.line, 12, self.count, 4, self.words, 12, (self.at, 1), 12, self.now, 12, self.cancel
        )

    def show_view(self, view: FolderView | None, fed: bool) -> None:
        if view is None:
            set_text(self.count, "")
            set_text(self.words, _tr("Looking into the folder…"))
            self.line.set_fraction(None)
            self.setVisible(True)
            return
        count, words, fraction = progress_of(view)
        set_text(self.count, count)
        set_text(self.words, words)
        set_text(self.at, shown(view.at, 200))
        self.line.set_fraction(fraction)
        self.cancel.setVisible(not view.over)
        self.now.setVisible(not view.over)
        if view.stopped:
            set_text(self.at, _tr("cancelled; what was found stays"))
        # Once everything is counted and shown there is nothing to say any more.
        self.setVisible(not view.over or view.stopped or bool(view.problem) or not fed)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        painter.fillRect(QRectF(0, 0, self.width(), self.height()), colour("chrome", theme))
        painter.fillRect(QRectF(0, 0, self.width(), 1), colour("line", theme))
