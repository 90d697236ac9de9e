"""The menu of a row: everything that can be done with it, each with its key and, while it is chosen, its price."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from workbench.domain.files.attachment import PRIORITY_ESSENTIAL, PRIORITY_HIGH, PRIORITY_LOW, PRIORITY_MEDIUM
from workbench.domain.shown.envelope_view import SegmentRow
from workbench.ui.inspector.layers.tips import act_key, act_words
from workbench.ui.inspector.rows.row_acts import Act, can, can_edit, can_prioritise
from workbench.ui.look.icons import icon
from workbench.ui.offers import Offer, TakeOffer, offer_menu
from workbench.ui.translation import translator
from workbench.ui.widgets.menu import add_action, menu
from workbench.ui.widgets.plain import tip

_tr = translator("RowMenu")


class RowMenuActions(NamedTuple):
    """What the menu calls: do an act, give a priority, show the row's bytes; `offer` is told which entry is chosen.

    `edit` lets its words be written, where that can be done; `summarise` makes a summary up to a turn, or undoes one;
    `why` says why something came back. `newest` is the newest turn, which no summary takes.
    An entry is told by its act, or by its priority; None where it has no price, or nothing is chosen any more.
    """

    do: Callable[[SegmentRow, Act], None]
    prioritise: Callable[[SegmentRow, int], None]
    show_bytes: Callable[[SegmentRow], None]
    offer: Callable[[SegmentRow, Act | int], Offer | None] = lambda row, chosen: None
    take: TakeOffer = lambda offer: None
    edit: Callable[[SegmentRow], None] | None = None
    summarise: Callable[[SegmentRow], None] | None = None
    why: Callable[[SegmentRow], None] | None = None
    newest: int = 0


def row_menu(parent: QWidget, row: SegmentRow, actions: RowMenuActions) -> QMenu:
    """A menu for a row; what cannot be done with it is not in it."""
    made = menu(parent)
    written = actions.edit is not None and can_edit(row)
    if actions.edit is not None and written:
        add_action(made, f"{_tr('Edit…')}\t{_tr('Enter')}", partial(actions.edit, row)).setIcon(icon("edit"))
    if actions.why is not None and row.found is not None:
        words = f"{_tr('Why is this here?')}\t{_tr('W')}"
        add_action(made, words, partial(actions.why, row)).setIcon(icon("info"))
    if can(row, "whole"):
        _add_act(made, row, "whole", actions).setIcon(icon("file"))
    if can(row, "pin"):
        _add_act(made, row, "pin", actions).setIcon(icon("pin"))
    if can_prioritise(row):
        _add_priorities(made, row, actions)
    if can(row, "leave_out"):
        _add_act(made, row, "leave_out", actions).setIcon(icon("eye-off"))
    if actions.summarise is not None and (words := summary_words(row)):
        short = add_action(made, words, partial(actions.summarise, row))
        short.setIcon(icon("undo" if is_summary(row) else "compact"))
        if why_not := no_summary(row, actions.newest):
            short.setEnabled(False)
            short.setToolTip(tip(why_not))
    if not made.isEmpty():
        made.addSeparator()
    offer_menu(made, lambda action: _offered(row, action, actions), actions.take)
    made.addAction(icon("file"), _shown_words(written), lambda: actions.show_bytes(row))
    copy = add_action(made, _tr("Copy digest"), lambda: QGuiApplication.clipboard().setText(row.digest))
    copy.setIcon(icon("copy"))
    copy.setEnabled(bool(row.digest))
    return made


def is_summary(row: SegmentRow) -> bool:
    """Whether a summary goes out here, of messages or of something attached."""
    return row.kind == "summary" or row.reason.code == "as_summary"


def summary_words(row: SegmentRow) -> str:
    """What can be done with a row by a summary; empty where nothing can."""
    if is_summary(row):
        return _tr("Undo this summary")
    turns = row.key.layer == "L4_STRIP" and row.kind == "turn" and row.tunable
    attached = row.key.layer in ("L2_PREVIOUS", "L3_TURN") and row.tunable and row.kind != "image"
    return _tr("Summarise up to here…") if turns else _tr("Summarise…") if attached else ""


def no_summary(row: SegmentRow, newest: int) -> str:
    """Why no summary can be made up to a row of turns; empty where one can, and for all other rows."""
    if row.key.layer != "L4_STRIP" or is_summary(row):
        return ""
    if newest and row.last_turn >= newest:
        return _tr("The newest turn always stays as it is.")
    if row.pinned:
        return _tr("A message of it is pinned and stays as it is: unpin it first.")
    if row.state == "excluded":
        return _tr("It is left out: put it back first.")
    return "" if row.counted else _tr("It isn’t sent, so there is nothing to shorten.")


def _shown_words(written: bool) -> str:
    words = _tr("Show in the payload")
    return words if written else f"{words}\t{_tr('Enter')}"


def _add_act(made: QMenu, row: SegmentRow, act: Act, actions: RowMenuActions) -> QAction:
    return add_action(made, f"{act_words(row, act)}\t{act_key(act)}", lambda: actions.do(row, act), act)


def _add_priorities(made: QMenu, row: SegmentRow, actions: RowMenuActions) -> None:
    below = menu(made)
    below.setTitle(_tr("Priority"))
    below.setIcon(icon("sliders"))
    named = {
        PRIORITY_ESSENTIAL: _tr("0, pinned"),
        PRIORITY_HIGH: _tr("3, dropped late"),
        PRIORITY_MEDIUM: _tr("5, as usual"),
        PRIORITY_LOW: _tr("10, dropped first"),
    }
    for priority, words in named.items():
        do = partial(actions.prioritise, row, priority)
        add_action(below, words, do, priority, checked=row.priority == priority)
    offer_menu(below, lambda action: _offered(row, action, actions), actions.take)
    made.addMenu(below)


def _offered(row: SegmentRow, action: QAction, actions: RowMenuActions) -> Offer | None:
    chosen = action.data()
    return actions.offer(row, chosen) if isinstance(chosen, str | int) else None  # type: ignore[arg-type]  # set above
