"""The outline of a file: a tree of its parts with check boxes, and the model behind it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter

from workbench.domain.files.document import Section
from workbench.domain.shown.parts_view import Outline, PartRow, Tick, states
from workbench.ui import formatting
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import after, paint_elided, paint_figure, set_text_style
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.items.check_tree import CHEVRON_LEAD, CheckTree, HeadColumn, Measure
from workbench.ui.widgets.items.item_model import ItemModel
from workbench.ui.widgets.items.views import NOWHERE, Index
from workbench.ui.widgets.labels import or_none
from workbench.ui.widgets.plain import shown

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
"""Headings are expanded at first as long as no more rows than these are visible."""
_CHECKS: dict[Tick, Qt.CheckState] = {
    "on": Qt.CheckState.Checked,
    "some": Qt.CheckState.PartiallyChecked,
    "off": Qt.CheckState.Unchecked,
}


class OutlineView(CheckTree):
    """The tree of a file's parts.

    Signals:
        ticked: the place of a part whose box was pressed. only: the place of the only part to attach.
        looked_at: the place of the part whose text is to be shown.
    """

    ticked = Signal(int)
    only = Signal(int)
    looked_at = Signal(int)

    def __init__(self) -> None:
        self.parts = OutlineModel()
        super().__init__(self.parts, MEASURE, COLUMNS)
        self.setAccessibleName(tr("Sections"))
        self.setAccessibleDescription(
            tr("Press Space to add or remove a section, Enter to attach only that one.")
        )
        self.parts.modelReset.connect(self._on_reset)
        self.parts.dataChanged.connect(lambda *_: self.viewport().update())

    def place(self) -> int:
        """Place of the part that the keyboard is on; -1 for none."""
        return self.parts.place(self.currentIndex())

    def go_to(self, place: int) -> None:
        above = self.parts.outline.parents[place]
        while above >= 0:
            self.expand(self.parts.index_of(above))
            above = self.parts.outline.parents[above]
        self.setCurrentIndex(self.parts.index_of(place))

    def open_some(self) -> None:
        """Expand partly ticked headings, then the first headings as long as few rows are visible."""
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
        self.ticked.emit(self.parts.place(index))

    def is_marked(self, index: Index) -> bool:
        return self.parts.place(index) == self.place()

    def paint_cells(self, painter: QPainter, index: Index, cells: Sequence[QRectF], shift: int) -> None:
        place = self.parts.place(index)
        self._paint_name(painter, after(cells[Column.NAME], NAME_LEAD + shift, 8), place)
        self._paint_figures(painter, cells, place)

    def _paint_name(self, painter: QPainter, room: QRectF, place: int) -> None:
        top = self.parts.outline.parents[place] < 0 and bool(self.parts.children_of(place))
        set_text_style(painter, font("row", 600 if top else None), colour("t1", theme_of(self)))
        paint_elided(painter, room, self.parts.text_of(place, Column.NAME))

    def _paint_figures(self, painter: QPainter, cells: Sequence[QRectF], place: int) -> None:
        theme = theme_of(self)
        looks = ((Column.PAGES, "row_small", None, "t2"), (Column.TOKENS, "row", None, "t1"),
                 (Column.CHOSEN, "row", 600, "t1"))  # fmt: skip
        for column, role, weight, token in looks:
            words = self.parts.text_of(place, column)
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


class Column(IntEnum):
    """The columns of the outline."""

    NAME = 0
    PAGES = 1
    TOKENS = 2
    CHOSEN = 3


class OutlineModel(ItemModel[int]):
    """The parts of one file; an item is a part's place, its position in `outline.parts`.

    Attributes:
        outline: the parts. ticks: the leaves that are ticked.
    """

    column_count = len(Column)

    def __init__(self) -> None:
        super().__init__()
        self.outline = Outline.of(())
        self.ticks: frozenset[int] = frozenset()
        self._touched: frozenset[int] = frozenset()
        self._counted: tuple[PartRow, ...] = ()
        self._states: tuple[Tick, ...] = ()
        self._chosen: list[int | None] = []
        self._children: dict[int, list[int]] = {}
        self._filter = ""
        self._exact = True

    def show_rows(self, rows: tuple[PartRow, ...], ticks: frozenset[int], touched: frozenset[int]) -> None:
        """Show these parts; `touched` are the leaves that are attached in part."""
        if rows is self._counted and ticks == self.ticks and touched == self._touched:
            return
        parts = tuple(row.part for row in rows)
        same = parts == self.outline.parts
        self.outline = self.outline if same else Outline.of(parts)
        self.ticks, self._touched, self._counted = ticks, touched, rows
        self._update_ticks()
        if same:
            self.tell_rows(NOWHERE, range(min(1, self.rowCount())), {Column.NAME})
        else:
            self._apply_filter()

    def set_exact(self, exact: bool) -> None:
        """Set whether counts are exact; if not, the titles of their columns mark them as estimates."""
        if exact != self._exact:
            self._exact = exact
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, Column.TOKENS, Column.CHOSEN)

    def filter(self, words: str) -> None:
        """Show only parts whose titles contain these words, with what contains them and what they contain."""
        if words.casefold() != self._filter:
            self._filter = words.casefold()
            self._apply_filter()

    def is_filtered(self) -> bool:
        return bool(self._filter)

    def part(self, place: int) -> Section:
        return self.outline.parts[place]

    def tick(self, place: int) -> Tick:
        if self._states[place] == "off" and place in self._touched:
            return "some"
        return self._states[place]

    def tokens(self, place: int) -> int | None:
        """Token count of a part; None until it is counted."""
        return self._counted[place].tokens

    def place(self, index: Index) -> int:
        """The place of the part at a Qt index; -1 for none."""
        place = self.item(index)
        return -1 if place is None else place

    def key_of(self, place: int) -> int:
        return place

    def children_of(self, place: int) -> Sequence[int]:
        """The parts in a part that the filter lets through."""
        return self._children.get(place, ())

    def text_of(self, place: int, column: int = 0) -> str:
        part = self.part(place)
        match Column(column):
            case Column.NAME:
                return shown(part.title, 200)
            case Column.PAGES:
                return _page_range(part) if part.anchor != f"p{part.first_page}" else ""
            case Column.TOKENS:
                return self._tokens_text(place)
            case Column.CHOSEN:
                chosen = self._chosen[place]
                return "" if chosen is None else formatting.tokens(chosen) if chosen else "…"

    def spoken_of(self, place: int, column: int = 0) -> str:
        if column != Column.NAME:
            return or_none(self.text_of(place, column))
        part, words = self.part(place), tr("{name}, {pages}, {tokens} tokens")
        if not part.first_page:
            words = tr("{name}, {tokens} tokens")
        return words.format(
            name=shown(part.title), pages=_spoken_pages(part), tokens=self._tokens_text(place)
        )

    def tip_of(self, place: int, _column: int = 0) -> str:
        return f"{self.part(place).title}\n#{self.part(place).anchor}"

    def _tokens_text(self, place: int) -> str:
        counted = self._counted[place].tokens
        if counted is not None:
            return formatting.tokens(counted)
        known = [self._counted[one].tokens or 0 for one in self.outline.below(place)]
        return f"≥ {formatting.tokens(sum(known))}" if any(known) else "…"

    def _update_ticks(self) -> None:
        """Compute which parts are ticked, and how many tokens are chosen in each."""
        self._states = states(self.outline, self.ticks)
        sums: list[int | None] = [None] * len(self._counted)
        for place in reversed(range(len(self._counted))):
            if self._states[place] == "on":
                sums[place] = self._counted[place].tokens or 0
            elif self._states[place] == "some":
                sums[place] = sum(sums[one] or 0 for one in self.outline.below(place))
        self._chosen = sums

    def _apply_filter(self) -> None:
        """Show the parts whose titles match the filter, with what contains them and what they contain."""
        found = set[int]()
        for place, part in enumerate(self.outline.parts):
            if self._filter in part.title.casefold():
                found |= set(range(place, self.outline.ends[place]))
                above = self.outline.parents[place]
                while above >= 0 and above not in found:
                    found.add(above)
                    above = self.outline.parents[above]
        self._children = {}
        for place in sorted(found):
            self._children.setdefault(self.outline.parents[place], []).append(place)
        self.reset_items(self._children.get(-1, ()))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        tokens, chosen = (tr("Tokens"), tr("Chosen")) if self._exact else (tr("≈ Tokens"), tr("≈ Chosen"))
        return (tr("Section"), tr("Pages"), tokens, chosen)[section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        named = index.isValid() and index.column() == Column.NAME
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable if named else super().flags(index)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == Column.NAME:
            place = self.place(index)
            return None if place < 0 else _CHECKS[self.tick(place)]
        return super().data(index, role)


def _page_range(part: Section) -> str:
    if not part.first_page:
        return ""
    same = part.first_page == part.last_page
    return f"{part.first_page}" if same else f"{part.first_page}–{part.last_page}"


def _spoken_pages(part: Section) -> str:
    if part.first_page == part.last_page:
        return tr("page {n}").format(n=part.first_page)
    return tr("pages {a} to {b}").format(a=part.first_page, b=part.last_page)


def has_pages(parts: Sequence[Section]) -> bool:
    """Whether any part has page numbers."""
    return any(part.first_page for part in parts)
