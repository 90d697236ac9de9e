"""What adding would come to: the bar of the next request with the new part ringed, the sums, and a priority."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.files.attached import AttachLimits
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui.dialogs.folder.nodes import Sums
from workbench.ui.dialogs.folder.words import Verdict, chosen_tokens, counted_files, verdict_of
from workbench.ui.formatting import size, tokens
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.budget_bar.bar import BarModel, BarSegment, BudgetBar, bar_of
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.labels import SumFigure, label
from workbench.ui.widgets.tag import LayerTag

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
            (("0", _tr("0 always")), ("3", _tr("3 high")), ("5", _tr("5 medium")), ("10", _tr("10 low")))
        )
        self.priority.choose("5")
        self.priority.setAccessibleName(_tr("Priority in the turn’s layer"))
        down = rows(self, (16, 10, 16, 10), 8)
        down.addWidget(self.bar)
        across = fill(columns(down), self.chosen, self.before, self.after, self.total, self.verdict, STRETCH)
        tag = LayerTag("L3_TURN")
        fill(across, tag, 6, label(_tr("Turn, priority"), "small", "t2"), 8, self.priority)

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
