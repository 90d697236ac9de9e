"""Tuning steps: what a person changes by hand about the next request, each with what takes it back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from PySide6.QtCore import QCoreApplication

from workbench.domain.attachment import Artifact
from workbench.domain.envelope_view import SegmentRow
from workbench.domain.preferences import ContextSettings
from workbench.domain.turn import Tuning
from workbench.engine.intents import (
    ChangeSettings,
    ChangeTuning,
    ChatChange,
    RefreshArtifacts,
    ReplaceAttached,
)
from workbench.engine.state import ChatState, Fix

LOWEST, HIGHEST = 0, 10


@dataclass(frozen=True, slots=True)
class Step:
    """One step of tuning, to be done and taken back as a whole; `title` says what in a few words."""

    chat: str
    title: str
    do: tuple[ChatChange, ...]
    undo: tuple[ChatChange, ...]


def set_priority(chat: ChatState, keys: Iterable[str], priority: int) -> Step | None:
    """Give attachments another priority: higher numbers fall first."""
    wanted = max(LOWEST, min(HIGHEST, priority))
    return _attached_step(
        chat,
        _tr("Priority {n} for {what}").format(n=wanted, what=_names(chat, keys)),
        keys,
        lambda artifact: replace(artifact, priority=wanted),
    )


def nudge_priority(chat: ChatState, keys: Iterable[str], by: int) -> Step | None:
    """Let attachments fall earlier or later."""
    return _attached_step(
        chat,
        _tr("Priority of {what}").format(what=_names(chat, keys)),
        keys,
        lambda artifact: replace(artifact, priority=max(LOWEST, min(HIGHEST, artifact.priority + by))),
    )


def pin(chat: ChatState, keys: Iterable[str], pinned: bool) -> Step | None:
    """Pin attachments, so that they never fall, or let them go again."""
    words = _tr("Pin {what}") if pinned else _tr("Unpin {what}")
    return _attached_step(
        chat,
        words.format(what=_names(chat, keys)),
        keys,
        lambda artifact: replace(artifact, essential=pinned),
    )


def toggle_pin(chat: ChatState, row: SegmentRow) -> Step | None:
    """Pin or unpin what a row stands for: an attachment, or the messages of a turn."""
    if row.key.layer != "L4_STRIP":
        return pin(chat, row.members, not row.pinned)
    tuning = chat.conversation.tuning
    members = frozenset(row.members)
    pinned = tuning.pinned - members if row.pinned else tuning.pinned | members
    words = _tr("Unpin a turn") if row.pinned else _tr("Pin a turn")
    return _tuning_step(chat, words, replace(tuning, pinned=pinned))


def leave_out(chat: ChatState, row: SegmentRow) -> Step | None:
    """Leave a row out of the next request, or put it back."""
    return leave_out_members(chat, row.members, row.state != "excluded")


def leave_out_members(chat: ChatState, members: Iterable[str], out: bool) -> Step | None:
    """Leave messages or attachments out of the next request, or put them back."""
    tuning, ids = chat.conversation.tuning, frozenset(members)
    excluded = tuning.excluded | ids if out else tuning.excluded - ids
    return _tuning_step(
        chat, _tr("Leave out") if out else _tr("Put back"), replace(tuning, excluded=excluded)
    )


def pin_members(chat: ChatState, members: Iterable[str], pinned: bool) -> Step | None:
    """Pin messages, so that they are never trimmed, or let them go again."""
    tuning, ids = chat.conversation.tuning, frozenset(members)
    kept = tuning.pinned | ids if pinned else tuning.pinned - ids
    title = _tr("Pin messages") if pinned else _tr("Unpin messages")
    return _tuning_step(chat, title, replace(tuning, pinned=kept))


def detach(chat: ChatState, keys: Iterable[str]) -> Step | None:
    """Take attachments off."""
    gone = set(keys)
    kept = tuple(artifact for artifact in chat.conversation.attached if artifact.key not in gone)
    return _replace_attached(chat, _tr("Detach {what}").format(what=_names(chat, gone)), kept)


def refresh(chat: ChatState, keys: Iterable[str]) -> Step:
    """Read attached files anew; undone by attaching the old copies."""
    wanted = tuple(keys)
    before = ReplaceAttached(chat.chat.id, chat.conversation.attached)
    title = _tr("Refresh {what}").format(what=_names(chat, wanted))
    return Step(chat.chat.id, title, (RefreshArtifacts(chat.chat.id, wanted),), (before,))


def apply_settings(chat: ChatState, settings: ContextSettings, title: str = "") -> Step | None:
    """Build requests otherwise from now on."""
    if settings == chat.chat.settings:
        return None
    key = chat.chat.id
    words = title or _tr("Change settings")
    return Step(key, words, (ChangeSettings(key, settings),), (ChangeSettings(key, chat.chat.settings),))


def apply_fix(chat: ChatState, fix: Fix, title: str) -> Step:
    """Make a request fit."""
    return Step(chat.chat.id, title, fix.do, fix.undo)


def reorder(chat: ChatState, key: str, before: str | None) -> Step | None:
    """Move a card of the drop order before another one, or to the end, by giving priorities that make it so."""
    view = chat.view
    if view is None:
        return None
    cards = [card.key.id for card in view.drop_order.cards]
    order = [other for other in cards if other != key]
    order.insert(len(order) if before is None or before not in order else order.index(before), key)
    tokens = {card.key.id: card.tokens for card in view.drop_order.cards}
    held = {artifact.key: artifact.priority for artifact in chat.conversation.attached}
    priorities = priorities_for([k for k in order if k in held], held, tokens, key)
    kept = tuple(
        replace(artifact, priority=priorities.get(artifact.key, artifact.priority))
        for artifact in chat.conversation.attached
    )
    return _replace_attached(
        chat, _tr("Move {what} in the drop order").format(what=_names(chat, (key,))), kept
    )


def priorities_for(
    order: list[str], held: dict[str, int], tokens: dict[str, int], moved: str
) -> dict[str, int]:
    """Priorities that make things fall in this order; of two with the same one the larger falls first."""
    wanted = dict(held)
    place = order.index(moved) if moved in order else 0
    neighbours = [held[k] for k in (*order[place + 1 : place + 2], *order[max(0, place - 1) : place])]
    if moved in order and neighbours:
        wanted[moved] = neighbours[0]
    for earlier, later in reversed(list(pairwise(order))):
        step = 0 if tokens.get(earlier, 0) > tokens.get(later, 0) else 1
        wanted[earlier] = max(wanted[earlier], wanted[later] + step)
    if order and wanted[order[0]] > HIGHEST:
        ceiling = HIGHEST
        for key in order:
            wanted[key] = max(LOWEST, min(wanted[key], ceiling))
            ceiling = wanted[key] - 1 if wanted[key] == ceiling else ceiling
    return wanted


def _attached_step(
    chat: ChatState, title: str, keys: Iterable[str], change: Callable[[Artifact], Artifact]
) -> Step | None:
    wanted = set(keys)
    artifacts = tuple(change(a) if a.key in wanted else a for a in chat.conversation.attached)
    return _replace_attached(chat, title, artifacts)


def _replace_attached(chat: ChatState, title: str, artifacts: tuple[Artifact, ...]) -> Step | None:
    old = chat.conversation.attached
    if artifacts == old:
        return None
    key = chat.chat.id
    return Step(key, title, (ReplaceAttached(key, artifacts),), (ReplaceAttached(key, old),))


def _tuning_step(chat: ChatState, title: str, tuning: Tuning) -> Step | None:
    old = chat.conversation.tuning
    if tuning == old:
        return None
    key = chat.chat.id
    return Step(key, title, (ChangeTuning(key, tuning),), (ChangeTuning(key, old),))


def _names(chat: ChatState, keys: Iterable[str]) -> str:
    named = {artifact.key: artifact.title or artifact.key for artifact in chat.conversation.attached}
    wanted = [named.get(key, key) for key in keys]
    if len(wanted) == 1:
        return wanted[0]
    return _tr("{n} attachments").format(n=len(wanted))


def _tr(words: str) -> str:
    return QCoreApplication.translate("Steps", words)
