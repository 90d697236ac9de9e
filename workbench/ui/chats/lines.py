"""The lines of the list of chats, and the days by which chats are in groups where there are no workspaces."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Literal

from PySide6.QtCore import QDate, QLocale

from workbench.domain.record import Chat
from workbench.ui import formatting
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("ChatsPane")

Group = Literal["today", "yesterday", "this_week", "last_week", "older"]


@dataclass(frozen=True, slots=True)
class GroupHead:
    """The heading of a group."""

    id: str
    words: str


PlaceKind = Literal["workspace", "none", "archived"]


@dataclass(frozen=True, slots=True)
class PlaceHead:
    """A workspace, or what is in none or put away: its chats follow where it is not folded.

    The id of a workspace's is that of its template, which is in view while its page is.
    """

    id: str
    kind: PlaceKind
    words: str
    count: int
    folded: bool = False
    workspace: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class ActionLine:
    """Something that can be done, at the end of the list."""

    id: str
    words: str


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One chat; `when` is as short as its group allows, `running` says that an answer is arriving in it.

    `title` is made safe to show, `name` is as it was given; `warm` says that a cache holds what was sent last, `inset`
    that it stands under the head of a place.
    """

    id: str
    title: str
    when: str
    running: bool = False
    name: str = ""
    workspace: str = ""
    pinned: bool = False
    archived: bool = False
    tags: tuple[str, ...] = ()
    warm: bool = False
    inset: bool = False


Line = GroupHead | PlaceHead | ActionLine | ChatLine


def used_or_created(chat: Chat) -> str:
    """When a chat was last written in."""
    return chat.used_utc or chat.created_utc


def title_of(title: str) -> str:
    """A chat's title, made safe to show; a chat that has none is a new one."""
    return _shown(title) if title else _tr("New chat")


@lru_cache(maxsize=8192)
def _shown(title: str) -> str:
    return shown(title)


def group_word(group: Group) -> str:
    """What a group is called."""
    words: dict[Group, str] = {
        "today": _tr("Today"),
        "yesterday": _tr("Yesterday"),
        "this_week": _tr("Earlier this week"),
        "last_week": _tr("Last week"),
        "older": _tr("Older"),
    }
    return words[group]


class Calendar:
    """Says how long ago something was, seen on a day; weeks begin as they do where the user is."""

    def __init__(self, today: QDate) -> None:
        self._locale = QLocale()
        self._today = date(today.year(), today.month(), today.day()).toordinal()
        self._year = today.year()
        self._into_week = (today.dayOfWeek() - self._locale.firstDayOfWeek().value) % 7
        self._dates: dict[date, str] = {}
        self._placed: dict[str, tuple[Group, str]] = {}

    def alone(self, used_utc: str) -> str:
        """When something was, where no heading says the day: the time only of today."""
        group, when = self.place(used_utc)
        moment = local_moment(used_utc) if group == "yesterday" else None
        return when if moment is None else self._weekday(moment.date())

    def _weekday(self, day: date) -> str:
        return self._locale.standaloneDayName(day.isoweekday(), QLocale.FormatType.ShortFormat)

    def place(self, used_utc: str) -> tuple[Group, str]:
        """The group of something used then, and when that was, as short as the group allows."""
        if used_utc not in self._placed:
            self._placed[used_utc] = self._place(used_utc)
        return self._placed[used_utc]

    def _place(self, used_utc: str) -> tuple[Group, str]:
        moment = local_moment(used_utc)
        if moment is None:
            return "older", ""
        day = moment.date()
        group = self._group(self._today - day.toordinal())
        if group in ("today", "yesterday"):
            return group, formatting.clock(used_utc)
        if group == "older":
            return group, self._date(day)
        return group, self._weekday(day)

    def _group(self, days: int) -> Group:
        if days <= 1:
            return "yesterday" if days == 1 else "today"
        if days <= self._into_week:
            return "this_week"
        return "last_week" if days <= self._into_week + 7 else "older"

    def _date(self, day: date) -> str:
        if day not in self._dates:
            form = "d MMM" if day.year == self._year else "MMM yyyy"
            self._dates[day] = self._locale.toString(QDate(day.year, day.month, day.day), form)
        return self._dates[day]


def local_moment(utc: str) -> datetime | None:
    """The moment where the user is; None for what is no time."""
    try:
        moment = datetime.fromisoformat(utc)
    except ValueError:
        return None
    return moment.astimezone()


def local_day(utc: str) -> QDate | None:
    """The day where the user is; None for what is no time."""
    moment = local_moment(utc)
    return QDate(moment.year, moment.month, moment.day) if moment is not None else None
