"""How the cells of the list of turns look."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.verdict_words import our_break, turn_badge
from workbench.ui.inspector.turns.columns import EDGE, FIGURES, Column, TurnModel, cell_text, tokens_in
from workbench.ui.inspector.turns.timeline_layout import paint_cached, paint_mark
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import (
    badge_width,
    fill_rounded,
    paint_badge,
    paint_elided,
    paint_figure,
    set_text_style,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.items.delegate import Index, ItemOption, RowDelegate, paint_ground, paint_rule
from workbench.ui.widgets.items.list_model import ITEM

ROW_HEIGHT = 27
GAP, CACHE_GAP = 6, 8
MINI_WIDTH, MINI_HEIGHT = 36, 6
FIGURE_WIDTH = 46
ACCENT_WIDTH = 2


class TurnDelegate(RowDelegate):
    """Paints every cell of a turn."""

    height = ROW_HEIGHT

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        turn, column = index.data(ITEM), Column(index.column())
        paint_ground(painter, row)
        paint_rule(painter, row.box)
        if row.selected and column == Column.TURN:
            accent = QRectF(row.box.left(), row.box.top(), ACCENT_WIDTH, row.box.height())
            painter.fillRect(accent, colour("accent"))
        box = inner_box(row.box, column)
        match column:
            case Column.TOKENS_IN:
                model = index.model()
                largest = model.largest_tokens if isinstance(model, TurnModel) else 1
                _paint_tokens(painter, box, turn, largest)
            case Column.CACHE:
                _paint_cache(painter, box, turn)
            case _:
                _paint_text(painter, box, turn, column)


def inner_box(box: QRectF, column: Column) -> QRectF:
    """A cell without its padding; the first and the last column keep the pane's edge."""
    before = EDGE if column == Column.TURN else CACHE_GAP if column == Column.CACHE else 0
    after = EDGE if column == Column.PRICE else GAP
    return box.adjusted(before, 0, -after, 0)


def paint_cell(painter: QPainter, box: QRectF, words: str, at_end: bool) -> None:
    """Words at the beginning of a cell, or a figure at its end."""
    if not at_end:
        paint_elided(painter, box, words)
        return
    paint_figure(painter, box, words)


def _paint_text(painter: QPainter, box: QRectF, turn: TurnRow, column: Column) -> None:
    missed = column == Column.REPORTED and (turn.reported_tokens or 0) < (turn.predicted_tokens or 0)
    strong = column == Column.TURN or missed
    quiet = column in (Column.SENT, Column.LAYOUT, Column.PREDICTED)
    painter.setFont(font("small", 600 if strong else None))
    painter.setPen(colour("warn" if missed else "t2" if quiet else "t1"))
    if column == Column.TURN:
        paint_turn(painter, box, cell_text(turn, column))
    else:
        paint_cell(painter, box, cell_text(turn, column), column in FIGURES)


def paint_turn(painter: QPainter, box: QRectF, number: str) -> None:
    """A turn's number at the beginning; it is never shortened."""
    paint_figure(painter, box, number, Qt.AlignmentFlag.AlignLeft)


def _paint_tokens(painter: QPainter, box: QRectF, turn: TurnRow, largest: int) -> None:
    set_text_style(painter, font("small"), colour("t1"))
    figure = QRectF(box.left(), box.top(), FIGURE_WIDTH, box.height())
    paint_cell(painter, figure, formatting.tokens(tokens_in(turn)), at_end=True)
    bar = QRectF(figure.right() + GAP, round(box.center().y() - MINI_HEIGHT / 2), MINI_WIDTH, MINI_HEIGHT)
    fill_rounded(painter, bar, theme_of().track, 2)
    _paint_share(painter, bar, tokens_in(turn) / largest, "fresh")
    if turn.reported_tokens:
        _paint_share(painter, bar, min(turn.reported_tokens, tokens_in(turn)) / largest, "cached")


def _paint_share(painter: QPainter, bar: QRectF, share: float, token: str) -> None:
    width = max(1.5, bar.width() * min(share, 1.0))
    box = QRectF(bar.left(), bar.top(), width, bar.height())
    if token == "cached" and width >= 8:
        paint_cached(painter, box)
    else:
        fill_rounded(painter, box, getattr(theme_of(), token), min(2.0, width / 2))


def _paint_cache(painter: QPainter, box: QRectF, turn: TurnRow) -> None:
    """The verdict as a badge; beside it a mark and a word where our own change broke the prefix."""
    badge, found = turn_badge(turn), our_break(turn)
    if badge is not None:
        paint_badge(painter, box, badge.tone, badge.icon, badge.word)
        width = badge_width(badge.icon, badge.word) + 8
        box = box.adjusted(width, 0, 0, 0)
    if found is not None and box.width() > 24:
        paint_mark(
            painter, QPointF(box.left() + 5, box.center().y() + 3.5), "expired" if found.free else "broke"
        )
        set_text_style(painter, font("meta"), colour("warn" if found.free else "err"))
        paint_elided(painter, box.adjusted(14, 0, 0, 0), found.word)
