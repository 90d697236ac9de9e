"""The bar block: the request's figures, the budget bar with the ghost of a what-if, and its legend."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.engine.state import Trial
from workbench.ui.inspector.bar_memo import BarMemo
from workbench.ui.inspector.figures_row import FiguresRow
from workbench.ui.look.space import rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.budget_bar.bar import BudgetBar
from workbench.ui.widgets.budget_bar.legend import Legend


class BarBlock(QWidget):
    """Draws one view: figures, bar and legend are fed from it at once.

    Signals:
        selected: the key of the segment that was chosen.
    """

    selected = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: EnvelopeView | None = None
        self._trial: Trial | None = None
        self._bars, self._ghosts = BarMemo(), BarMemo()
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.figures = FiguresRow(self)
        self.bar = BudgetBar()
        self.bar.selected.connect(self.selected)
        self.legend = Legend()
        down = rows(self, (16, 10, 16, 8))
        down.addWidget(self.figures)
        down.addSpacing(6)
        down.addWidget(self.bar)
        down.addSpacing(3)
        down.addWidget(self.legend)

    def show_request(self, view: EnvelopeView | None, trial: Trial | None) -> None:
        """Show a request, and the one that is being tried out."""
        if view is not self._view and view is not None:
            self._view = view
            bar = self._bars.bar_of(view)
            self.figures.show_view(view)
            self.bar.show_bar(bar)
            self.legend.show_bar(bar)
        if trial is not self._trial:
            self._trial = trial
            self.bar.show_ghost(self._ghosts.bar_of(trial.view) if trial is not None else None)

    def select(self, key: RowKey | None) -> None:
        """Put the ring round a segment."""
        self.bar.select(key)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A hairline below it."""
        super().paintEvent(event)
        QPainter(self).fillRect(QRectF(0, self.height() - 1, self.width(), 1), colour("line", theme_of(self)))
