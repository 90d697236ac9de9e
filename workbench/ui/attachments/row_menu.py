"""The menus of attachments: everything a row offers by mouse and key, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from workbench.domain.files.attachment import PRIORITY_ESSENTIAL, PRIORITY_HIGH, PRIORITY_LOW, PRIORITY_MEDIUM
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.ui import formatting
from workbench.ui.attachments.looks import can_have_parts, can_refresh, is_renewed, is_stale, opens_parts
from workbench.ui.offers import Offer, TakeOffer, offer_menu
from workbench.ui.translation import translator
from workbench.ui.widgets.menu import add_action, menu

_tr = translator("AttachmentsPane")

Rows = tuple[AttachmentRow, ...]

SHORTEN, WHOLE = "shorten:", "whole"
"""What an entry of the menu is known by that sends something no longer than so many tokens."""
_LENGTHS = (500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)
_MOST_LENGTHS = 4
_TOKEN_CHARS = 4


@dataclass(frozen=True, slots=True)
class RowActions:
    """What can be done with rows; `offer` says what an act or a priority would do, `take` is handed that.

    Shortened to 0 tokens, something is sent whole again. `suggested` are those for which another priority is
    suggested; a model can be asked for some only while there is a question.
    """

    preview: Callable[[AttachmentRow], None]
    pin: Callable[[Rows], None]
    set_priority: Callable[[Rows, int], None]
    refresh: Callable[[Rows], None]
    freeze: Callable[[Rows], None]
    detach: Callable[[Rows], None]
    offer: Callable[[Rows, str | int], Offer | None] = lambda rows, act: None
    take: TakeOffer = lambda offer: None
    shorten: Callable[[Rows, int], None] = lambda rows, tokens: None
    send_whole: Callable[[Rows], None] = lambda rows: None
    choose_length: Callable[[Rows], None] = lambda rows: None
    choose_parts: Callable[[AttachmentRow], None] = lambda row: None
    fit_question: Callable[[Rows, bool], None] = lambda rows, wanted: None
    accept: Callable[[Rows], None] = lambda rows: None
    suggested: Callable[[Rows], Rows] = lambda rows: ()
    ask_model: Callable[[], None] | None = None


def row_menu(parent: QWidget, rows: Rows, actions: RowActions) -> QMenu:
    """The menu of the selected rows; those that are detached can only be removed, and not with others."""
    made = menu(parent)
    gone, rows = rows, tuple(row for row in rows if not row.detached)
    if not rows:
        add_action(made, _tr("Remove now\tDel"), lambda: actions.detach(gone), "detach")
        _offer(made, gone, actions)
        return made
    suggested = actions.suggested(rows)
    if suggested:
        words = _tr("Accept the suggested priority\tEnter")
        add_action(made, words, lambda: actions.accept(suggested), "pill")
    if len(rows) == 1:
        parts_first = opens_parts(rows[0])
        # Enter accepts what is suggested first.
        first, other = ("" if suggested else "\tEnter"), "\tShift+Enter"
        show = _tr("Show as sent") + (other if parts_first else first)
        made.addAction(show, lambda: actions.preview(rows[0]))
        words = _tr("Choose parts…") + (first if parts_first else other)
        choose = add_action(made, words, lambda: actions.choose_parts(rows[0]))
        choose.setEnabled(can_have_parts(rows[0]))
        made.addSeparator()
    unpin = all(row.pinned for row in rows)
    words = _tr("Unpin\tSpace") if unpin else _tr("Pin\tSpace")
    add_action(made, words, lambda: actions.pin(rows), "pin")
    priorities = made.addMenu(_tr("Priority"))
    _add_priorities(priorities, rows, actions)
    _add_lengths(made, rows, actions)
    _add_relevance(made, rows, actions)
    made.addSeparator()
    files = tuple(row for row in rows if can_refresh(row))
    pages = bool(files) and all(row.kind == "url" for row in files)
    words = _tr("Fetch again\tF5") if pages else _tr("Refresh from disk\tF5")
    refresh = add_action(made, words, lambda: actions.refresh(files))
    refresh.setEnabled(bool(files))
    stale = tuple(row for row in rows if is_stale(row))
    renewed = tuple(row for row in rows if is_renewed(row))
    words = _tr("Keep the earlier copy") if renewed and not stale else _tr("Freeze the copy")
    freeze = add_action(made, words, lambda: actions.freeze((*stale, *renewed)))
    freeze.setEnabled(bool(stale or renewed))
    made.addSeparator()
    add_action(made, _tr("Detach\tDel"), lambda: actions.detach(rows), "detach")
    _offer(made, rows, actions)
    return made


def _add_lengths(made: QMenu, rows: Rows, actions: RowActions) -> None:
    """How long a text may be; what cannot be shortened, or is short as it is, goes out whole."""
    able = tuple(row for row in rows if row.can_shorten)
    lengths = made.addMenu(_tr("Shorten to"))
    lengths.setEnabled(bool(able))
    chosen = {row.most_tokens for row in able}
    for tokens in _lengths(able):
        words, do = (
            formatting.token_words(tokens),
            partial(actions.shorten, able, tokens),
        )
        add_action(lengths, words, do, f"{SHORTEN}{tokens}", checked=chosen == {tokens})
    lengths.addAction(_tr("Another number…"), lambda: actions.choose_length(able))
    _offer(lengths, able, actions)
    held = tuple(row for row in rows if row.held)
    if held:
        add_action(made, _tr("Send whole"), lambda: actions.send_whole(held), WHOLE)
    shortened = tuple(row for row in able if row.most_tokens is not None)
    if shortened:
        add_action(made, _tr("Send it whole again"), lambda: actions.shorten(shortened, 0), f"{SHORTEN}0")


def _add_relevance(made: QMenu, rows: Rows, actions: RowActions) -> None:
    able = tuple(row for row in rows if row.can_shorten)
    chosen = bool(able) and all(row.by_relevance for row in able)
    words = _tr("By relevance: its outline, and what fits the question")
    fit = add_action(made, words, lambda: actions.fit_question(able, not chosen), "fit", chosen)
    fit.setEnabled(bool(able))
    ask = made.addAction(_tr("Ask the model for priorities…"))
    ask.setEnabled(actions.ask_model is not None)
    if actions.ask_model is not None:
        ask.triggered.connect(actions.ask_model)


def _lengths(rows: Rows) -> list[int]:
    """Some lengths that are less than the longest of them, and the one that was chosen."""
    longest = max((len(row.content) // _TOKEN_CHARS for row in rows), default=0)
    offered = [tokens for tokens in _LENGTHS if tokens < longest][-_MOST_LENGTHS:]
    chosen = {row.most_tokens for row in rows if row.most_tokens is not None}
    return sorted({*offered, *chosen}, reverse=True)


def priority_menu(parent: QWidget, rows: Rows, actions: RowActions) -> QMenu:
    """The menu of the priorities alone."""
    made = menu(parent)
    _add_priorities(made, rows, actions)
    return made


def _add_priorities(made: QMenu, rows: Rows, actions: RowActions) -> None:
    words = {
        PRIORITY_ESSENTIAL: _tr("0 pinned"),
        PRIORITY_HIGH: _tr("3 high"),
        PRIORITY_MEDIUM: _tr("5 medium"),
        PRIORITY_LOW: _tr("10 low, dropped first"),
    }
    for priority, said in words.items():
        only = {row.priority for row in rows} == {priority}
        add_action(made, said, partial(actions.set_priority, rows, priority), priority, checked=only)
    _offer(made, rows, actions)


def _offer(made: QMenu, rows: Rows, actions: RowActions) -> None:
    def make(action: QAction) -> Offer | None:
        chosen = action.data()
        return actions.offer(rows, chosen) if isinstance(chosen, str | int) else None

    offer_menu(made, make, actions.take)
