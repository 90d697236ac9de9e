"""What the page of money says: periods, sums, rows of its table, caps and causes, as pure functions."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple, get_args

from PySide6.QtCore import QDate, QLocale

from workbench.domain.change import CauseName
from workbench.domain.shown.spend_view import SpendView
from workbench.domain.spending import (
    OWN,
    Grouping,
    Limit,
    RereadCause,
    SpendSum,
    Spent,
    grouped,
    key_of,
    sum_of,
    time_key,
)
from workbench.domain.watch.exchange import program_name
from workbench.ui import formatting
from workbench.ui.formatting import dollars
from workbench.ui.inspector.rows.cause_words import cause_kind
from workbench.ui.model_button import model_name
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.plain import shown

Unit = Literal["day", "week", "month"]
Tone = Literal["", "warn", "err"]
NEARLY = 0.8
FIRST_DAYS = 4
"""Before this day of a month, its pace says nothing yet."""
_CAUSES: Mapping[str, str] = {
    "cold": N_("Pauses: the cache went cold"),
    "elsewhere": N_("The provider no longer had it"),
    "system": N_("Instructions changed"),
    "history": N_("An earlier message changed"),
    "mark": N_("No cache mark reached it"),
    "parameters": N_("Settings changed"),
}


def local(utc: str) -> datetime:
    """A stored time in the user's time zone; one that cannot be read counts as long ago."""
    return formatting.local_moment(utc) or datetime(1970, 1, 2).astimezone()


@dataclass(frozen=True, slots=True)
class Period:
    """What is shown: the days of a month, the weeks of a year, or its months."""

    unit: Unit
    year: int
    month: int = 1

    @property
    def keys(self) -> tuple[str, ...]:
        """What each of its bars sums up."""
        if self.unit == "day":
            days = monthrange(self.year, self.month)[1]
            return tuple(f"{self.year:04}-{self.month:02}-{day:02}" for day in range(1, days + 1))
        if self.unit == "week":
            weeks = date(self.year, 12, 28).isocalendar().week
            return tuple(f"{self.year:04}-W{week:02}" for week in range(1, weeks + 1))
        return tuple(f"{self.year:04}-{month:02}" for month in range(1, 13))

    @property
    def title(self) -> str:
        if self.unit == "day":
            return tr("{month} {year}").format(month=month_name(self.month), year=self.year)
        return str(self.year)

    def label_of(self, place: int) -> str:
        """What stands under a bar."""
        if self.unit == "month":
            return QLocale().standaloneMonthName(place + 1, QLocale.FormatType.ShortFormat)
        return str(place + 1)

    def name_of(self, place: int, now: datetime) -> str:
        """What a bar is about: `Today, Tuesday 17`, `Week 47`, `November`."""
        if self.unit == "week":
            return tr("Week {n}").format(n=place + 1)
        if self.unit == "month":
            return month_name(place + 1)
        day = QDate(self.year, self.month, place + 1)
        weekday = QLocale().standaloneDayName(day.dayOfWeek())
        name = tr("{weekday} {day}").format(weekday=weekday, day=place + 1)
        today = day == QDate(now.year, now.month, now.day)
        return tr("Today, {day}").format(day=name) if today else name

    def shifted(self, by: int) -> Period:
        if self.unit != "day":
            return Period(self.unit, self.year + by, self.month)
        months = self.year * 12 + self.month - 1 + by
        return Period(self.unit, months // 12, months % 12 + 1)

    def place_of(self, when: datetime) -> int:
        """The bar of a moment; -1 where it is in another period."""
        key = time_key(when, self.unit)
        return self.keys.index(key) if key in self.keys else -1


def period_at(when: datetime, unit: Unit) -> Period:
    """The period that a moment is in."""
    return Period(unit, when.isocalendar().year if unit == "week" else when.year, when.month)


def month_name(month: int) -> str:
    """A month in the user's language."""
    return QLocale().standaloneMonthName(month, QLocale.FormatType.LongFormat)


def within(spent: Sequence[Spent], period: Period) -> tuple[Spent, ...]:
    """The requests of a period."""
    keys = frozenset(period.keys)
    return tuple(one for one in spent if key_of(one, period.unit, local) in keys)


# Figures.


class Figure(NamedTuple):
    """A figure at the top: what it is, its value, a line about it, and its colour."""

    name: str
    value: str
    line: str
    token: str = "t1"


def figures(total: SpendSum) -> tuple[Figure, ...]:
    """What was spent in all, saved, read from the cache and read again."""
    read = total.cached_tokens / total.input_tokens if total.input_tokens else 0.0
    sent = tr("{cached} of {all} tokens sent").format(
        cached=formatting.short_tokens(total.cached_tokens), all=formatting.short_tokens(total.input_tokens)
    )
    whole = (total.usd or 0.0) + (total.saved_usd or 0.0)
    share = (total.reread_usd or 0.0) / total.usd if total.usd else 0.0
    return (
        Figure(tr("Spent"), amount(total.usd), _predicted(total)),
        Figure(
            tr("Saved by the cache"), amount(total.saved_usd),
            tr("without it {usd}").format(usd=dollars(whole)) if total.saved_usd is not None else "", "ok",
        ),
        Figure(tr("Read from the cache"), formatting.percent(read), sent),
        Figure(
            tr("Re-read"), amount(total.reread_usd if total.reread_tokens else 0.0),
            tr("{share} of what you spent").format(share=formatting.percent(share)), "warn",
        ),
        Figure(tr("Requests"), formatting.tokens(total.requests), _unsure(total)),
    )  # fmt: skip


def _predicted(total: SpendSum) -> str:
    if total.predicted_usd is None or not total.usd:
        return tr("your own models cost nothing") if total.usd == 0 else ""
    off = round(100 * (total.predicted_usd - total.usd) / total.usd)
    words = tr("predicted {usd}").format(usd=dollars(total.predicted_usd))
    if not off:
        return words
    more = tr("{words}, {n} % more") if off > 0 else tr("{words}, {n} % less")
    return more.format(words=words, n=abs(off))


def _unsure(total: SpendSum) -> str:
    """What of the figures was not reported, or has no price."""
    parts = []
    if total.unpriced_requests:
        parts.append(
            formatting.counted(total.unpriced_requests, tr("1 without a price"), tr("{n} without a price"))
        )
    if total.predicted_requests:
        parts.append(formatting.counted(total.predicted_requests, tr("1 predicted"), tr("{n} predicted")))
    return ", ".join(parts) or tr("all as reported")


def amount(usd: float | None) -> str:
    """An amount in cents; a dash where no price is known."""
    if usd is None:
        return "—"
    return f"−{dollars(-usd)}" if usd < 0 else dollars(usd)


def bar_told(period: Period, place: int, total: SpendSum, now: datetime) -> tuple[str, str]:
    """A bar in words: what it is about, and its parts."""
    parts = tr("{usd}: cached {cached}, fresh {fresh}, output {output}").format(
        usd=amount(total.usd), cached=dollars(total.cached_usd), fresh=dollars(total.fresh_usd),
        output=dollars(total.output_usd),
    )  # fmt: skip
    told = [parts if total.usd else tr("no cost") if total.usd == 0 else tr("no price known")]
    if total.usd and total.predicted_usd is not None:
        told.append(tr("predicted {usd}").format(usd=dollars(total.predicted_usd)))
    told.append(formatting.counted(total.requests, tr("1 request"), tr("{n} requests")))
    return period.name_of(place, now), " · ".join(told) if total.requests else tr("no requests")


# The table.

LineKind = Literal["group", "row", "sum"]


class Line(NamedTuple):
    """A row of the table: its cells, the first with an icon and a quiet word behind it."""

    key: tuple[str, str]
    kind: LineKind
    cells: tuple[str, ...]
    icon: str = ""
    quiet: str = ""


_GROUPS: tuple[tuple[Grouping, str], ...] = (
    ("model", N_("Model")),
    ("workspace", N_("Workspace")),
    ("program", N_("Program")),
)


def group_lines(spent: Sequence[Spent], view: SpendView) -> tuple[Line, ...]:
    """The requests of a period by model, workspace and program, each with the same sum."""
    lines: list[Line] = []
    for by, head in _GROUPS:
        lines.append(Line((by, ""), "group", (tr(head),)))
        for row in grouped(spent, by, local):
            icon, name, quiet = _named(row.key, by, view)
            lines.append(Line((by, row.key), "row", (name, *_cells(row)), icon, quiet))
    total = sum_of("", spent)
    return (*lines, Line(("sum", ""), "sum", (tr("Sum of each group"), *_cells(total))))


def request_lines(name: str, spent: Sequence[Spent], view: SpendView) -> tuple[Line, ...]:
    """Single requests, the newest first, under a head that names their day."""
    words = formatting.counted(len(spent), tr("{day}: 1 request"), tr("{day}: {n} requests"))
    lines = [Line(("group", name), "group", (words.replace("{day}", name),))]
    for number, one in enumerate(reversed(spent)):
        title = shown(view.chats.get(one.chat, ""), 60) if one.program == OWN else program_name(one.program)
        quiet = ", ".join(
            word
            for word in (
                title,
                tr("kept warm") if one.kind == "refresh" else "",
                tr("predicted") if one.state == "predicted" else "",
            )
            if word
        )
        cells = (
            f"{formatting.clock(one.at_utc)}  {_model(one.model)}",
            *_cells(sum_of("", (one,)), single=True),
        )
        lines.append(Line(("request", str(number)), "row", cells, _icon_of(one.model), quiet))
    return (*lines, Line(("sum", ""), "sum", (tr("Sum"), *_cells(sum_of("", spent)))))


def _named(key: str, by: Grouping, view: SpendView) -> tuple[str, str, str]:
    if by == "model":
        return _icon_of(key), _model(key), ""
    if by == "workspace":
        found = view.workspaces.get(key, key)
        return ("folder", shown(found, 80), "") if key else ("chat", tr("No workspace"), "")
    return (
        ("chat", tr("Your chats"), "") if key == OWN else ("eye", shown(program_name(key), 80), tr("watched"))
    )


def _icon_of(model: str) -> str:
    return "chip" if Spent("", model).local else "globe"


def _model(name: str) -> str:
    return shown(model_name(name) or name, 80)


def _cells(row: SpendSum, *, single: bool = False) -> tuple[str, ...]:
    share = row.cached_tokens / row.input_tokens if row.input_tokens else 0.0
    figures = (
        "" if single else formatting.tokens(row.requests),
        formatting.short_tokens(row.input_tokens),
        formatting.percent(share),
    )
    if row.local:
        return (*figures, tr("no cost"), "—", "—", "—")
    reread = amount(row.reread_usd) if row.reread_tokens else "—"
    return (*figures, amount(row.usd), amount(row.predicted_usd), amount(row.saved_usd), reread)


# Caps and causes.


class CapLine(NamedTuple):
    """One cap: what it holds for, what was spent of it, what is left, and how full it is."""

    name: str
    spent: str
    cap: str
    left: str
    share: float
    tone: Tone


def cap_lines(view: SpendView, limits: Sequence[Limit], now: datetime) -> tuple[CapLine, ...]:
    """The caps of the day, the month, and of the chat that has come nearest to its own."""
    lines = [_cap_line(_cap_name(limit, now), limit, _used(view, limit), now) for limit in limits]
    if view.caps.chat_usd is not None and (chats := _by_chat(view)):
        key, used = max(chats.items(), key=lambda one: one[1])
        name = tr("Chat “{title}”").format(title=shown(view.chats.get(key, "") or key, 40))
        lines.append(_cap_line(name, Limit("chat", view.caps.chat_usd, chat=key), used, now))
    return tuple(lines)


def _cap_name(limit: Limit, now: datetime) -> str:
    return tr("Today") if limit.cap == "day" else month_name(now.month)


def _used(view: SpendView, limit: Limit) -> float:
    return sum(one.usd or 0.0 for one in view.spent if limit.covers(one))


def _by_chat(view: SpendView) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in view.spent:
        if one.chat in view.chats and one.usd:
            found[one.chat] = found.get(one.chat, 0.0) + one.usd
    return found


def _cap_line(name: str, limit: Limit, used: float, now: datetime) -> CapLine:
    share = used / limit.usd if limit.usd else 1.0
    tone: Tone = "err" if share >= 1 else "warn" if share >= NEARLY else ""
    left = tr("{usd} left").format(usd=dollars(max(0.0, limit.usd - used), down=True))
    reached = _reached_on(share, now) if limit.cap == "month" else None
    if reached is not None:
        left = tr("{left}; at this pace reached on {n} {month}").format(
            left=left, n=reached, month=month_name(now.month)
        )
    return CapLine(name, dollars(used), dollars(limit.usd), left, share, tone)


def _reached_on(share: float, now: datetime) -> int | None:
    """The day of this month on which its cap is reached at the pace until now; None if it isn't, or nobody can say."""
    if now.day < FIRST_DAYS or not 0 < share < 1:
        return None
    gone = now.day - 1 + now.hour / 24
    day = int(gone / share) + 1
    return day if day <= monthrange(now.year, now.month)[1] else None


_KINDS: tuple[CauseName, ...] = get_args(CauseName)


def cause_words(cause: RereadCause) -> str:
    """Why something was read again."""
    if cause.cause in _CAUSES:
        return tr(_CAUSES[cause.cause])
    known = next((one for one in _KINDS if one == cause.cause), None)
    return tr("The request changed") if known is None else cause_kind(known)


def accuracy_words(spent: Sequence[Spent]) -> str:
    """How many reported requests cost what was predicted."""
    judged = [
        one
        for one in spent
        if one.state == "reported" and not one.local and None not in (one.usd, one.predicted_usd)
    ]
    close = sum(abs((one.predicted_usd or 0) - (one.usd or 0)) <= 0.01 * (one.usd or 0) for one in judged)
    told = formatting.accuracy(close, len(judged))
    words = tr("Forecasts: {told} of the request.").format(told=told) if judged else ""
    kept = sum_of("", [one for one in spent if one.kind == "refresh"])
    warm = formatting.counted(kept.requests, tr("Kept warm once, {usd}."), tr("Kept warm {n} times, {usd}."))
    return f"{words} {warm.replace('{usd}', amount(kept.usd))}".strip() if kept.requests else words
