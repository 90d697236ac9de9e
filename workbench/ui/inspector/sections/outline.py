"""The outline on the screen: boxes ticked by mouse and key, headings opened and closed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter

from workbench.ui.inspector.sections.model import Column, OutlineModel, has_pages
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import after, paint_elided, paint_figure, set_text_style
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.items.check_tree import CHEVRON_LEAD, CheckTree, HeadColumn, Measure
from workbench.ui.widgets.items.item import Index

PAGES, FIGURE, END = 62, 66, 12
NAME_LEAD = 56
MEASURE = Measure(row=28, indent=18, check_lead=34)
COLUMNS = (
    HeadColumn(lead=CHEVRON_LEAD),
    HeadColumn(PAGES, at_end=True),
    HeadColumn(FIGURE, trail=6, at_end=True),
    HeadColumn(FIGURE + END, trail=END, at_end=True),
)
OPEN_AT_FIRST = 24
"""As long as no more rows than these are seen, headings come open."""


class OutlineView(CheckTree):
    """The parts of a file.

    Signals:
        ticked: a part was ticked or not, by its place. only: this part and nothing else is wanted.
        looked_at: the part whose text is to be shown, by its place.
    """

    ticked = Signal(int)
    only = Signal(int)
    looked_at = Signal(int)

    def __init__(self) -> None:
        self.parts = OutlineModel()
        super().__init__(self.parts, MEASURE, COLUMNS)
        self.setAccessibleName(self.tr("Sections"))
        self.setAccessibleDescription(
            self.tr("Space attaches a section or takes it off, Enter attaches it alone.")
        )
        self.parts.modelReset.connect(self._on_reset)
        self.parts.dataChanged.connect(lambda *_: self.viewport().update())

    def place(self) -> int:
        """The part that the keyboard is on; -1 for none."""
        return self.parts.place(self.currentIndex())

    def go_to(self, place: int) -> None:
        """Go to a part, and open what it lies in."""
        above = self.parts.outline.parents[place]
        while above >= 0:
            self.expand(self.parts.index_of(above))
            above = self.parts.outline.parents[above]
        self.setCurrentIndex(self.parts.index_of(place))

    def open_some(self) -> None:
        """Open what is ticked in part, then the first headings as long as there are few rows."""
        seen = self.parts.rowCount()
        outline = self.parts.outline
        for place in range(len(outline.parts)):
            below = sum(1 for _ in outline.below(place))
            # Pages are many and all alike: they come when somebody opens their heading.
            pages = below and outline.parts[place + 1].anchor.startswith("p") and below > 1
            partly = self.parts.tick(place) == "some"
            if below and (partly or (not pages and seen + below <= OPEN_AT_FIRST)):
                self.expand(self.parts.index_of(place))
                seen += below

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space ticks, with Shift it opens as well; Enter attaches one alone."""
        place = self.place()
        match event.key():
            case Qt.Key.Key_Space if place >= 0:
                if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                    self.expandRecursively(self.currentIndex())
                self.ticked.emit(place)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if place >= 0:
                self.only.emit(place)
            case _:
                super().keyPressEvent(event)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if (place := self.parts.place(current)) >= 0:
            self.looked_at.emit(place)

    def press_box(self, index: QModelIndex) -> None:
        """Ask for a part to be ticked, or not any more."""
        self.ticked.emit(self.parts.place(index))

    def is_marked(self, index: Index) -> bool:
        return self.parts.place(index) == self.place()

    def paint_cells(self, painter: QPainter, index: Index, cells: Sequence[QRectF], shift: int) -> None:
        place = self.parts.place(index)
        self._paint_name(painter, after(cells[Column.NAME], NAME_LEAD + shift, 8), place)
        self._paint_figures(painter, cells, place)

    def _paint_name(self, painter: QPainter, room: QRectF, place: int) -> None:
        top = self.parts.outline.parents[place] < 0 and self.parts.has_below(place)
        set_text_style(painter, font("row", 600 if top else None), colour("t1", theme_of(self)))
        paint_elided(painter, room, self.parts.text(place, Column.NAME))

    def _paint_figures(self, painter: QPainter, cells: Sequence[QRectF], place: int) -> None:
        theme = theme_of(self)
        looks = ((Column.PAGES, "row_small", None, "t2"), (Column.TOKENS, "row", None, "t1"),
                 (Column.CHOSEN, "row", 600, "t1"))  # fmt: skip
        for column, role, weight, token in looks:
            words = self.parts.text(place, column)
            if words and not self.isColumnHidden(column):
                painter.setFont(font(role, weight))  # type: ignore[arg-type]
                painter.setPen(colour(token, theme))
                paint_figure(
                    painter,
                    after(cells[column], 0, COLUMNS[column].trail),
                    words,
                    Qt.AlignmentFlag.AlignRight,
                )

    def _on_reset(self) -> None:
        self.setColumnHidden(Column.PAGES, not has_pages(self.parts.outline.parts))
        if self.parts.is_filtered():
            self.expandAll()
        else:
            self.open_some()
