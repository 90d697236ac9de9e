"""Retention limits for watched conversations: days, then a week in the bin; and megabytes, oldest first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise

from workbench.domain.record import Chat
from workbench.domain.translation import joined, tr
from workbench.domain.watch.request import Watched, WatchedSize, WatchLimits
from workbench.engine.events import NoticeGiven, ProgramShown
from workbench.engine.program_intents import TidyAnswer
from workbench.engine.store import StateStore
from workbench.engine.world import World
from workbench.ports.history import HistoryStore

BIN_DAYS = 7
"""So long a conversation that was too old can be put back; a pause of that length is never taken for a wrong clock."""
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Tidying:
    """The chats that the limits affect.

    Attributes:
        to_bin: too old. emptied: long enough in the bin. over_size: the oldest, for which there is no room.
        waiting: too old by a clock that may be wrong: nothing happens to them before somebody confirms it.
        binned: in the bin, and staying there.
    """

    to_bin: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    over_size: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    binned: tuple[str, ...] = ()


def tidying(
    sizes: Sequence[WatchedSize], days_used: Collection[str], limits: WatchLimits, now_utc: str
) -> Tidying:
    """Decide what goes where; `days_used` are the dates on which anything was stored."""
    now = datetime.fromisoformat(now_utc)
    jumped = _before_jump((*days_used, *(one.used_utc for one in sizes)), now, max(limits.days, BIN_DAYS))
    old = [one for one in sizes if not one.binned_utc and not one.running]
    old = [one for one in old if one.used_utc < _utc(now - timedelta(days=limits.days))]
    due = [one for one in sizes if one.binned_utc and one.binned_utc < _utc(now - timedelta(days=BIN_DAYS))]
    waiting = [one for one in old if one.used_utc[:10] <= jumped]
    waiting += [one for one in due if one.binned_utc[:10] <= jumped]
    emptied = [one for one in due if one not in waiting]
    over_size = _over_size([one for one in sizes if one not in emptied], limits.megabytes * _MEGABYTE)
    gone = [*emptied, *over_size]
    return Tidying(
        _chats(one for one in old if one not in waiting and one not in gone),
        _chats(emptied),
        _chats(over_size),
        _chats(one for one in waiting if one not in gone),
        _chats(one for one in sizes if one.binned_utc and one not in gone),
    )


def _over_size(sizes: Sequence[WatchedSize], most_bytes: int) -> list[WatchedSize]:
    """The oldest chats to remove until the rest fits; never the newest, nor one being answered."""
    oldest_first = sorted(sizes, key=lambda one: one.used_utc)
    gone, total = [], sum(one.bytes for one in sizes)
    for one in oldest_first[:-1]:
        if total > most_bytes and not one.running:
            gone.append(one)
            total -= one.bytes
    return gone


def _before_jump(used: Collection[str], now: datetime, longest_days: int) -> str:
    """The last date before a long gap without any activity: a pause, or a wrong clock."""
    dates = sorted({*filter(None, map(_date, used)), now.date()})
    dates = [one for one in dates if one <= now.date()]
    jumps = (before for before, after in pairwise(dates) if (after - before).days > longest_days)
    return max(map(date.isoformat, jumps), default="")


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _utc(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _chats(some: Iterable[WatchedSize]) -> tuple[str, ...]:
    return tuple(one.chat for one in some)


async def keep_within_limits(
    store: HistoryStore, limits: WatchLimits, now_utc: str, answer: TidyAnswer = ""
) -> tuple[Tidying, str]:
    """Apply the limits and the person's answer about waiting chats; returns the state, and a sentence about it."""
    found = await _look(store, limits, now_utc)
    if answer in ("bin", "keep"):
        for chat in found.waiting:
            await _mark(store, chat, now_utc, answer)
    if answer == "put_back":
        for chat in found.binned:
            await _mark(store, chat, now_utc, "keep")
    if answer:
        found = await _look(store, limits, now_utc)
    for chat in found.to_bin:
        await _mark(store, chat, now_utc, "bin")
    gone = (*found.emptied, *found.over_size)
    if gone:
        await store.remove_chats(gone)
    return replace(found, binned=(*found.binned, *found.to_bin)), _words(found, limits)


async def _look(store: HistoryStore, limits: WatchLimits, now_utc: str) -> Tidying:
    sizes = await store.watched_sizes(limits.megabytes * _MEGABYTE)
    found = tidying(sizes, (), limits, now_utc)
    # What other chats say of the time in between is read only where it matters: it takes a look at all messages.
    return tidying(sizes, await store.days_used(), limits, now_utc) if found.waiting else found


async def _mark(store: HistoryStore, key: str, now_utc: str, how: TidyAnswer) -> None:
    def marked(chat: Chat) -> Chat:
        mark = chat.filed.watched or Watched()
        binned_utc, kept_utc = (now_utc, mark.kept_utc) if how == "bin" else ("", now_utc)
        filed = replace(chat.filed, watched=replace(mark, binned_utc=binned_utc, kept_utc=kept_utc))
        return replace(chat, deleted_utc=binned_utc or None, filed=filed)

    await store.change_chat(key, marked)


def _words(found: Tidying, limits: WatchLimits) -> str:
    """What was done and what waits; empty if nothing was."""
    told = []
    if n := len(found.to_bin):
        told.append(
            tr(
                "1 watched conversation is older than {days} days and in the bin now, for {bin_days} days."
                if n == 1
                else "{n:,} watched conversations are older than {days} days and in the bin now, for {bin_days} days.",
                n=n,
                days=limits.days,
                bin_days=BIN_DAYS,
            )
        )
    if n := len(found.emptied):
        told.append(
            tr(
                "1 watched conversation was removed from the bin."
                if n == 1
                else "{n:,} watched conversations were removed from the bin.",
                n=n,
            )
        )
    if n := len(found.over_size):
        told.append(
            tr(
                "1 watched conversation was removed for good: {megabytes:,} MB are kept."
                if n == 1
                else "{n:,} watched conversations were removed for good, the oldest first: {megabytes:,} MB are kept.",
                n=n,
                megabytes=limits.megabytes,
            )
        )
    if n := len(found.waiting):
        told.append(
            tr(
                "1 watched conversation seems older than {days} days, but by the clock nothing was used for longer "
                "than that: it may be wrong. Nothing is removed until you confirm it."
                if n == 1
                else "{n:,} watched conversations seem older than {days} days, but by the clock nothing was used for "
                "longer than that: it may be wrong. Nothing is removed until you confirm it.",
                n=n,
                days=limits.days,
            )
        )
    return tr("{told} (Settings, Privacy; `workbench watch bin`)", told=joined(told)) if told else ""


async def tidy(world: World, states: StateStore, answer: TidyAnswer = "") -> None:
    """Apply the limits, show the bin and what waits, and report what was done."""
    limits, before = states.state.preferences.watch, states.state.watch
    found, words = await keep_within_limits(world.store, limits, world.utc.utc_now(), answer)
    if (before.binned, before.waiting) != (len(found.binned), len(found.waiting)):
        view = replace(states.state.watch, binned=len(found.binned), waiting=len(found.waiting))
        states.emit(ProgramShown({"watch": view, "chats": await world.store.chats()}))
    if found.to_bin or found.emptied or found.over_size or len(found.waiting) > before.waiting:
        states.emit(NoticeGiven(None, words))
