"""What a cell tells under the pointer: what it is, and what can be done there."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.domain.guide import GuidePage
from workbench.domain.shown.envelope_view import LayerRow, RowGroup, RowPart, SegmentRow
from workbench.ui.inspector.layers.cells import Column, Item, cell_tip
from workbench.ui.inspector.rows.row_acts import Act, can, can_prioritise
from workbench.ui.translation import translator
from workbench.ui.widgets.guided import with_more

_tr = translator("TreeTip")
_PAGES: Mapping[Column, GuidePage] = {
    Column.TOKENS: "budget",
    Column.SHARE: "budget",
    Column.PRIORITY: "priorities",
    Column.PIN: "priorities",
    Column.STATE: "budget",
    Column.CACHE: "cache",
}
FIGURES = frozenset({Column.TOKENS, Column.SHARE, Column.PRIORITY, Column.CACHE, Column.DIGEST})
"""Columns whose cells say that there is more to read."""


def tip_with_acts(item: Item, column: Column) -> str:
    """The cell's own words, and what can be done there by hand."""
    told = cell_tip(item, column)
    act = "" if isinstance(item, LayerRow | RowPart | RowGroup) else _act_words(item, column)
    words = f"{told}\n{act}" if told and act else told or act
    return with_more(words) if column in FIGURES else words


def page_about(column: Column) -> GuidePage:
    """Where the guide says more about what stands in a column."""
    return _PAGES.get(column, "request")


def act_at(row: SegmentRow, column: Column) -> Act | None:
    """What a press on a cell does; None where it does nothing that has a price."""
    acts: dict[Column, Act] = {Column.PIN: "pin", Column.STATE: "leave_out", Column.REASON: "whole"}
    act = acts.get(column)
    return act if act is not None and can(row, act) else None


def act_key(act: Act) -> str:
    """The key that does it."""
    keys = {"pin": _tr("Space"), "earlier": "+", "later": "−", "leave_out": _tr("Del"), "whole": "A"}
    return keys[act]


def act_line(row: SegmentRow, act: Act) -> str:
    """What an act means for the requests from now on, in a sentence."""
    if row.found is not None and act == "pin":
        always, fits = _tr("Always recalled."), _tr("Recalled when it matches the question.")
        return fits if row.pinned else always
    if row.found is not None:
        return _tr("Never recalled.")
    match act:
        case "pin":
            return _tr("May be shortened or dropped again.") if row.pinned else _tr("Sent in every turn.")
        case "leave_out":
            return _tr("Sent again.") if row.state == "excluded" else _tr("Not sent until you put it back.")
        case "whole":
            return _tr("It fits; the cache holds the short copy.")
        case _:
            return _tr("Higher numbers are dropped first.")


def _act_words(row: SegmentRow, column: Column) -> str:
    if column is Column.PRIORITY:
        return _tr("Change it with + and −, or type it.") if can_prioritise(row) else ""
    if row.found is not None and column is Column.STATE:
        return _tr("{act} ({key})").format(act=_tr("Why is this here?"), key="W")
    act = act_at(row, column)
    return _tr("{act} ({key})").format(act=act_words(row, act), key=act_key(act)) if act is not None else ""


def act_words(row: SegmentRow, act: Act) -> str:
    """What an act does, in a few words."""
    if row.found is not None and act == "pin":
        return _tr("Recall it only when it fits") if row.pinned else _tr("Always recall this")
    if row.found is not None:
        return _tr("Never recall this")
    match act:
        case "pin":
            return _tr("Unpin") if row.pinned else _tr("Pin, never dropped")
        case "leave_out":
            return _tr("Put back") if row.state == "excluded" else _tr("Leave out")
        case "whole":
            return _tr("Send whole")
        case "earlier":
            return _tr("Drop earlier")
        case "later":
            return _tr("Drop later")
