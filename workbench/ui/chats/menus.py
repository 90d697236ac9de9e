"""The menus of the list: what can be done with chats, and with the places they are in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from workbench.engine.workspace_intents import FileChats
from workbench.ui.chats.lines import ChatLine, PlaceHead
from workbench.ui.chats.places import SORTS, Sort
from workbench.ui.place_menu import fill_place_choice
from workbench.ui.translation import translator
from workbench.ui.widgets.menu import add_action
from workbench.ui.wishes import DeleteChats, DropWorkspace, ExportChat, NewChatIn, NewWorkspace, TagChats

_tr = translator("ChatsPane")


class MenuHost(Protocol):
    """What the menus need of the list."""

    places: Mapping[str, str]
    chosen: SignalInstance
    wanted: SignalInstance
    filing_wanted: SignalInstance
    folded: SignalInstance

    def rename(self) -> None:
        """Edit the name of the line the keyboard is on."""


def fill_chat_menu(made: QMenu, lines: Sequence[ChatLine], host: MenuHost) -> None:
    """What can be done with these chats, one or several."""
    ids = tuple(line.id for line in lines)
    one = lines[0] if len(lines) == 1 else None
    if one is not None:
        made.addAction(_tr("Open"), lambda: host.chosen.emit(one))
        made.addAction(_tr("Rename…\tF2"), host.rename)
        made.addSeparator()
    pin, archive = not all(line.pinned for line in lines), not all(line.archived for line in lines)
    made.addAction(
        _tr("Pin") if pin else _tr("Unpin"), lambda: host.filing_wanted.emit(FileChats(ids, pinned=pin))
    )
    made.addAction(
        _tr("Archive") if archive else _tr("Take out of the archive"),
        lambda: host.filing_wanted.emit(FileChats(ids, archived=archive)),
    )
    _fill_move(made.addMenu(_tr("Move to workspace")), lines, host)
    made.addAction(_tr("Tags…"), lambda: host.wanted.emit(TagChats(ids)))
    if one is not None:
        made.addAction(_tr("Export…"), lambda: host.wanted.emit(ExportChat(one.id)))
    made.addSeparator()
    words = _tr("Delete\tDel") if one is not None else _tr("Delete {n} chats\tDel").format(n=len(ids))
    made.addAction(words, lambda: host.wanted.emit(DeleteChats(ids)))


def _fill_move(made: QMenu, lines: Sequence[ChatLine], host: MenuHost) -> None:
    ids = tuple(line.id for line in lines)
    fill_place_choice(
        made,
        host.places,
        {line.workspace for line in lines},
        lambda key: host.filing_wanted.emit(FileChats(ids, workspace=key)),
    )
    made.addAction(_tr("New workspace…"), lambda: host.wanted.emit(NewWorkspace(ids)))


def fill_order_menu(made: QMenu, now: Sort, pick: Callable[[Sort], None]) -> None:
    """In which order chats are listed."""
    words: dict[Sort, str] = {
        "used": _tr("Last used first"),
        "title": _tr("By title"),
        "created": _tr("Newest first"),
    }
    group = QActionGroup(made)
    for sort in SORTS:
        group.addAction(add_action(made, words[sort], partial(pick, sort), checked=sort == now))


def fill_place_menu(made: QMenu, head: PlaceHead, host: MenuHost) -> None:
    """What can be done with a place."""
    workspace = head.workspace
    if workspace:
        made.addAction(_tr("Open"), lambda: host.chosen.emit(head))
        made.addAction(_tr("Rename…\tF2"), host.rename)
    if head.kind != "archived":
        made.addAction(_tr("New chat"), lambda: host.wanted.emit(NewChatIn(workspace)))
    words = _tr("Unfold\t→") if head.folded else _tr("Fold\t←")
    made.addAction(words, lambda: host.folded.emit(head.id))
    if workspace:
        made.addSeparator()
        made.addAction(_tr("Delete the workspace\tDel"), lambda: host.wanted.emit(DropWorkspace(workspace)))
