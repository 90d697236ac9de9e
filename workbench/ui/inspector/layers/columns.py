"""The columns of the tree-table: how wide each is, and which give way in a narrow pane."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from workbench.ui.inspector.layers.cells import Column, head_text
from workbench.ui.look.fonts import font, line_height, scale
from workbench.ui.look.painting import after, elided, paint_elided, set_text_style
from workbench.ui.look.theme import colour, theme_of

WIDE: Mapping[Column, int] = {
    Column.SEGMENT: 166, Column.TOKENS: 54, Column.INFLUENCE: 148, Column.SHARE: 86,
    Column.PRIORITY: 52, Column.PIN: 26,
    Column.STATE: 96, Column.CACHE: 46, Column.DIGEST: 66, Column.REASON: 160,
}  # fmt: skip
NARROW: Mapping[Column, int] = {
    Column.SEGMENT: 190, Column.TOKENS: 54, Column.INFLUENCE: 148, Column.SHARE: 92,
    Column.PRIORITY: 58, Column.PIN: 30,
    Column.STATE: 100, Column.CACHE: 64, Column.DIGEST: 66, Column.REASON: 160,
}  # fmt: skip
GIVE_WAY: tuple[tuple[Column, int], ...] = (
    (Column.DIGEST, 690),
    (Column.REASON, 630),
    (Column.CACHE, 530),
)
"""Below which width of the table a column goes, in the order in which they go."""
TUNED = frozenset({Column.PRIORITY, Column.PIN})
"""Columns in whose place influence stands: of a request that was sent nothing of it can be changed."""
_WIDER = 60
"""So much wider the table must be with that."""
_TAG_ROOM = 30
"""For the tag that each row has when rows are sorted."""

LEADS: Mapping[Column, int] = {
    Column.SEGMENT: 31, Column.INFLUENCE: 12, Column.SHARE: 8, Column.STATE: 7,
    Column.CACHE: 1, Column.DIGEST: 1, Column.REASON: 1,
}  # fmt: skip
LEAST_WIDTH = 24


def columns_for(
    width: int, unwanted: frozenset[Column], influence: bool = False, watched: bool = False
) -> tuple[Column, ...]:
    """The columns that are shown in a table of that width; with influence it stands where priorities would.

    Of what is watched nothing can be tuned, and its texts are told apart by their digests.
    """
    if watched:
        unwanted = (unwanted | TUNED) - {Column.DIGEST}
    more = _WIDER if influence else 0
    gone = {column for column, least in GIVE_WAY if width < (least + more) * scale()}
    gone |= (unwanted - {Column.INFLUENCE}) | (TUNED if influence else {Column.INFLUENCE})
    return tuple(column for column in Column if column not in gone)


class TreeHeader(QHeaderView):
    """The line of column heads; it knows two sets of widths, for a wide and for a narrow table.

    Signals:
        rearranged: a width or the choice of columns was changed by hand.
    """

    rearranged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._widths = {"wide": dict(WIDE), "narrow": dict(NARROW)}
        self._unwanted: frozenset[Column] = frozenset({Column.DIGEST})
        self._mode = ""
        self._influence = self._watched = False
        self._arranging = False
        self.setSectionsMovable(False)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(LEAST_WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.sectionResized.connect(self._on_resized)

    def show_influence(self, there: bool, width: int) -> None:
        """Make room for the column of influence, or take it away."""
        if there != self._influence:
            self._influence = there
            self.arrange(width)

    def show_watched(self, watched: bool, width: int) -> None:
        """Take the columns away by which something is tuned, or bring them back."""
        if watched != self._watched:
            self._watched = watched
            self.arrange(width)

    def has_influence(self) -> bool:
        return self._influence

    def arrange(self, width: int) -> None:
        shown = columns_for(width, self._unwanted, self._influence, self._watched)
        self._mode = "wide" if Column.REASON in shown else "narrow"
        self._arranging = True
        for column in Column:
            self.setSectionHidden(column, column not in shown)
        wide = self._mode == "wide"
        # A section that stretches takes no width, so none does while widths are given.
        self.setStretchLastSection(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in shown:
            self.resizeSection(
                column, round((self._widths[self._mode][column] + self._more(column)) * scale())
            )
        if wide:
            # The last section grows by itself, but never gives way.
            others = sum(self.sectionSize(column) for column in shown if column is not Column.REASON)
            self.resizeSection(Column.REASON, max(LEAST_WIDTH, width - others))
        else:
            self.setSectionResizeMode(Column.SEGMENT, QHeaderView.ResizeMode.Stretch)
        self.setStretchLastSection(wide)
        self._arranging = False

    def unwanted(self) -> frozenset[Column]:
        return self._unwanted

    def want(self, column: Column, wanted: bool, width: int) -> None:
        """Switch a column on or off; the first one always stays."""
        if column is Column.SEGMENT:
            return
        self._unwanted = self._unwanted - {column} if wanted else self._unwanted | {column}
        self.arrange(width)
        self.rearranged.emit()

    def remembered(self) -> str:
        widths = [
            ",".join(str(self._widths[mode][column]) for column in Column) for mode in ("wide", "narrow")
        ]
        return ";".join([*widths, ",".join(str(int(column)) for column in sorted(self._unwanted))])

    def restore(self, text: str, width: int) -> None:
        """Widths and choice as they were left; what cannot be read changes nothing."""
        parts = text.split(";")
        try:
            wide, narrow = ([int(each) for each in part.split(",")] for part in parts[:2])
            unwanted = frozenset(Column(int(each)) for each in parts[2].split(",") if each)
        except (ValueError, IndexError):
            return
        if len(wide) == len(narrow) == len(Column) and min(*wide, *narrow) >= LEAST_WIDTH:
            self._widths = {
                "wide": dict(zip(Column, wide, strict=True)),
                "narrow": dict(zip(Column, narrow, strict=True)),
            }
            self._unwanted = unwanted - {Column.SEGMENT}
            self.arrange(width)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), line_height("row"))

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        theme = theme_of(self)
        painter.save()
        set_text_style(painter, font("meta"), colour("t2", theme))
        column, box = Column(section), QRectF(rect)
        text = elided(painter.font(), head_text(column), box.width() - 6)
        if column in LEADS:
            paint_elided(painter, after(box, LEADS[column], 2), text)
        elif column is Column.PIN:
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        else:
            trail = 6 if column is Column.PRIORITY else 0
            flags = (
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
            )
            painter.drawText(after(box, 0, trail), flags, text)
        painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), colour(theme.line))
        painter.restore()

    def _more(self, column: Column) -> int:
        return _TAG_ROOM if self._influence and column is Column.SEGMENT else 0

    def _on_resized(self, section: int, _old: int, new: int) -> None:
        if self._arranging or not self._mode or not new:
            return
        column = Column(section)
        stretches = Column.REASON if self._mode == "wide" else Column.SEGMENT
        if column is not stretches:
            own = round(new / scale()) - self._more(column)
            self._widths[self._mode][column] = max(LEAST_WIDTH, own)
            self.rearranged.emit()
