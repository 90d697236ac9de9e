"""What a cell tells under the pointer: what it is, what can be done there, and what that costs at the cache."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, SegmentRow
from workbench.ui.inspector.layers.cells import Column, Item, cell_tip
from workbench.ui.inspector.rows.price_tag import price_words
from workbench.ui.inspector.rows.row_acts import Act, can, can_prioritise, price_of


def tip_with_acts(view: EnvelopeView, item: Item, column: Column) -> str:
    """The cell's own words, and what can be done there by hand."""
    told = cell_tip(item, column)
    if isinstance(item, LayerRow):
        return told
    act = _act_words(view, item, column)
    return f"{told}\n{act}" if told and act else told or act


def act_words(view: EnvelopeView, row: SegmentRow, act: Act) -> str:
    """What an act does, in a few words; with its price where it breaks a warm cache."""
    words = _words(row, act)
    price = price_words(price_of(view, row, act))
    return _tr("{act}: {price}").format(act=words, price=price) if price else words


def _act_words(view: EnvelopeView, row: SegmentRow, column: Column) -> str:
    if column is Column.PIN:
        return _tr("{act} (Space)").format(act=act_words(view, row, "pin")) if can(row, "pin") else ""
    if column is Column.PRIORITY:
        return _tr("Change it with + and −, or type it.") if can_prioritise(row) else ""
    if column is Column.STATE and can(row, "leave_out"):
        return _tr("{act} (Del)").format(act=act_words(view, row, "leave_out"))
    return ""


def _words(row: SegmentRow, act: Act) -> str:
    match act:
        case "pin":
            return _tr("Let it fall") if row.pinned else _tr("Pin, so that it never falls")
        case "leave_out":
            return _tr("Put back") if row.state == "excluded" else _tr("Leave out")
        case "earlier":
            return _tr("Falls earlier")
        case "later":
            return _tr("Falls later")


def _tr(words: str) -> str:
    return QCoreApplication.translate("TreeTip", words)
