"""The menu of a message: everything that can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from workbench.ui.chat.messages.feed import Answer, Question
from workbench.ui.chat.messages.message_head import Looked
from workbench.ui.look.icons import icon
from workbench.ui.offers import Offer, offer_menu
from workbench.ui.translation import translator
from workbench.ui.widgets.menu import menu

_tr = translator("MessageMenu")


class Choice(NamedTuple):
    """An action, its icon and its words; an empty action is a line between two groups."""

    action: str = ""
    icon: str = ""
    words: str = ""


LINE = Choice()


def choices_for(item: Question | Answer) -> tuple[Choice, ...]:
    """What can be done with a message now."""
    if item.fixed:
        return (
            Choice("copy", "copy", _tr("Copy")),
            Choice("copy_markdown", "copy", _tr("Copy as Markdown")),
            Choice("remember", "bulb", _tr("Remember this…")),
            *_kept_as_prompt(item),
        )
    return (
        *_own(item),
        LINE,
        *_for_request(item),
        LINE,
        Choice("copy_markdown", "copy", _tr("Copy as Markdown")),
        Choice("remember", "bulb", _tr("Remember this…")),
        *_kept_as_prompt(item),
        *_compared(item),
        Choice("fork", "branch", _tr("Fork a new chat from here")),
    )


def _kept_as_prompt(item: Question | Answer) -> list[Choice]:
    words = _tr("Save as prompt…")
    return [Choice("save_prompt", "save", words)] if isinstance(item, Question) else []


def _compared(item: Question | Answer) -> list[Choice]:
    """Of an answer's turn: its request under other settings."""
    there = isinstance(item, Answer) and item.turn is not None
    return [Choice("compare", "diff", _tr("Compare with other settings"))] if there else []


def is_resumable(item: Answer) -> bool:
    """Whether an answer did not come to its end, and can be gone on with."""
    if not item.ends:
        return False
    stopped = item.record.state in ("stopped", "interrupted", "running")
    return stopped or (item.turn is not None and item.turn.finish_reason == "length")


class MenuCallbacks(NamedTuple):
    """Who is told what was chosen in a menu, and which entry is looked at before that."""

    chosen: Callable[[str], None]
    looked: Looked


def open_menu(parent: QWidget, item: Question | Answer, at: QPoint, callbacks: MenuCallbacks) -> QMenu:
    """Open the menu at a place on the screen; it goes when it is closed."""
    made = menu(parent)
    for choice in choices_for(item):
        if choice == LINE:
            made.addSeparator()
            continue
        action = made.addAction(icon(choice.icon), choice.words)
        action.setData(choice.action)
    made.triggered.connect(lambda action: callbacks.chosen(str(action.data())))

    def take(offer: Offer | None) -> None:
        callbacks.looked("" if offer is None else offer.title, None if offer is None else offer.at)

    offer_menu(made, lambda action: Offer(str(action.data()), ()), take)
    made.popup(at)
    return made


def _own(item: Question | Answer) -> list[Choice]:
    copy = Choice("copy", "copy", _tr("Copy"))
    if isinstance(item, Question):
        again = Choice("regenerate", "refresh", _tr("Regenerate"))
        return [Choice("edit", "edit", _tr("Edit and resend…")), again, copy]
    found = [Choice("regenerate", "refresh", _tr("Regenerate"))] if item.question else []
    if is_resumable(item):
        found.append(Choice("continue", "play", _tr("Continue this answer")))
    return [*found, copy]


def _for_request(item: Question | Answer) -> list[Choice]:
    standing = item.standing
    found = []
    if standing.place == "excluded":
        found.append(Choice("put_back", "undo", _tr("Put back into the next request")))
    else:
        found.append(Choice("leave_out", "eye-off", _tr("Leave out of the next request")))
    if standing.place == "trimmed":
        found.append(Choice("untrim", "cut", _tr("Untrim to here")))
    if standing.pinned:
        found.append(Choice("unpin", "pin", _tr("Unpin")))
    else:
        found.append(Choice("pin", "pin-filled", _tr("Pin (never trimmed)")))
    if isinstance(item, Answer):
        found.append(Choice("influence", "bulb", _tr("Measure what carried this answer…")))
    return [*found, *_recalling(item), Choice("inspect", "sliders", _tr("Show in the request"))]


def _recalling(item: Question | Answer) -> list[Choice]:
    """Whether it comes back when it was cut: always, never, or when it fits the question."""
    if not item.standing.recallable:
        return []
    always = Choice("recall_always", "recall", _tr("Always recall"))
    never = Choice("recall_never", "eye-off", _tr("Never recall this"))
    fits = Choice("recall_fits", "recall", _tr("Recall it when it fits"))
    match item.standing.wanted:
        case "always":
            return [fits, never]
        case "never":
            return [always, fits]
        case _:
            return [always, never]
