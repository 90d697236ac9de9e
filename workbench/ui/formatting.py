"""Figures, prices and times formatted for reading, with the separators of the user's language."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import reduce

from PySide6.QtCore import QDate, QDateTime, QLocale, Qt

from workbench.domain import spending
from workbench.ui.translation import tr

_SMALLEST_USD = 0.0001


def tokens(n: int) -> str:
    """A count with thousands separators: `11,686`."""
    return _locale().toString(n)


def tokens_of(n: int, whole: int | None) -> str:
    """How much of something is sent: `420 of 20,545`; just `420` if `whole` is None or the same."""
    if whole is None or whole == n:
        return tokens(n)
    return tr("{n} of {whole}").format(n=tokens(n), whole=tokens(whole))


def counted(n: int, one: str, several: str) -> str:
    """The words for a count, with its figure in the place of {n}: `1 file`, `1,204 files`."""
    return (one if n == 1 else several).replace("{n}", tokens(n))


def clauses(parts: Iterable[str]) -> str:
    """What there is of the parts of a sentence, separated as the language does."""
    there = list(filter(None, parts))
    return reduce(tr("{0}, {1}").format, there) if there else ""


def token_words(n: int, whole: int | None = None) -> str:
    """A count of tokens with its noun: `1 token`, `11,686 tokens`, `420 of 20,545 tokens`."""
    if whole is not None and whole != n:
        return tr("{n} tokens").replace("{n}", tokens_of(n, whole))
    return counted(n, tr("1 token"), tr("{n} tokens"))


def short_tokens(n: int) -> str:
    """A count in few characters: `842`, `4.3k`, `16k`, `1.05M`."""
    if abs(n) < 1000:
        return tokens(n)
    if abs(n) < 999_950:
        return tr("%1k").replace("%1", _short(n / 1000, 1))
    return tr("%1M").replace("%1", _short(n / 1_000_000, 2))


def about(figure: str, exact: bool) -> str:
    """A figure, marked where it is an estimate: `≈ 33`; wherever a figure of a request is shown, it says so."""
    return figure if exact else f"≈ {figure}"


def signed_tokens(n: int) -> str:
    """A difference: `+14,486`, `−55`."""
    return f"+{tokens(n)}" if n > 0 else f"−{tokens(-n)}" if n < 0 else tokens(0)


def percent(x: float) -> str:
    """A share from 0 to 1 in whole percent: `36 %`."""
    return tr("%1 %").replace("%1", tokens(round(x * 100)))


def spread(x: float) -> str:
    """How far off an estimate may be: `± 6 %`, at least 1 %."""
    return tr("± %1 %").replace("%1", tokens(max(1, math.ceil(x * 100))))


def accuracy(within: int, judged: int) -> str:
    """How many forecasts came true: `31 of 32 within 1 %`."""
    words = tr("%1 of %2 within %3")
    return words.replace("%1", tokens(within)).replace("%2", tokens(judged)).replace("%3", percent(0.01))


def share(x: float) -> str:
    """A share from 0 to 1 as a figure in a column of percents: `38.2`."""
    return _fixed(x * 100, 1)


def score(x: float, places: int = 1) -> str:
    """How well something fits a question: `8.1`."""
    return _fixed(x, places)


def usd(x: float, about: bool = False) -> str:
    """A price in dollars: `$0.0041`, and `≈ $0.004` where it is a forecast."""
    if x == 0:
        return _in_dollars("0")
    if abs(x) < _SMALLEST_USD:
        return f"< {_in_dollars(_fixed(_SMALLEST_USD, 4))}"
    amount = ("−" if x < 0 else "") + _in_dollars(_fixed(abs(x), _places(abs(x), about)))
    return f"≈ {amount}" if about else amount


def dollars(usd: float, *, down: bool = False) -> str:
    """An amount in cents, below one cent with four places: `$0.52`, `$0.0094`."""
    words = spending.dollars(usd, down=down).removeprefix("$")
    marks = {ord(","): _locale().groupSeparator(), ord("."): _locale().decimalPoint()}
    return _in_dollars(words.translate(marks))


def _in_dollars(amount: str) -> str:
    return tr("$%1").replace("%1", amount)


def signed_usd(x: float) -> str:
    """A difference in price: `+$0.0008`, `−$0.0002`."""
    return f"+{usd(x)}" if x > 0 else usd(x)


def seconds(ms: float) -> str:
    """How long something took: `0.4 s`, `13.4 s`, `2 min 5 s`."""
    if ms < 60_000:
        return tr("%1 s").replace("%1", _fixed(ms / 1000, 1))
    minutes, rest = divmod(round(ms / 1000), 60)
    return tr("%1 min %2 s").replace("%1", tokens(minutes)).replace("%2", tokens(rest))


def about_seconds(seconds: float) -> str:
    """How long something may still take: `8 s`, `2 min`."""
    if seconds < 100:
        return tr("%1 s").replace("%1", tokens(max(1, round(seconds))))
    return tr("%1 min").replace("%1", tokens(round(seconds / 60)))


def size(n_bytes: int) -> str:
    """How large a file is: `820 bytes`, `1.8 MB`."""
    return _locale().formattedDataSize(n_bytes, 1, QLocale.DataSizeFormat.DataSizeSIFormat)


def clock(utc: str) -> str:
    """The local time of day: `14:06`; empty for an invalid time."""
    when = _local(utc)
    return _locale().toString(when.time(), QLocale.FormatType.ShortFormat) if when else ""


def day(utc: str, now: str) -> str:
    """A day relative to now: `today`, `yesterday`, `Friday`, `2 November`, `3 March 2025`."""
    when, current = _local(utc), _local(now)
    if when is None or current is None:
        return ""
    days = when.date().daysTo(current.date())
    if days in (0, 1):
        return tr("today") if days == 0 else tr("yesterday")
    if 1 < days < 7:
        return _locale().standaloneDayName(when.date().dayOfWeek())
    return _date(when.date(), current.date(), QLocale.FormatType.LongFormat)


def moment(utc: str) -> str:
    """The full date and time: `Friday 13 November 2026 14:06`; empty for an invalid time."""
    when = _local(utc)
    if when is None:
        return ""
    return f"{_locale().toString(when.date(), QLocale.FormatType.LongFormat)} {clock(utc)}"


def _date(date: QDate, now: QDate, words: QLocale.FormatType) -> str:
    """A date in the language's own order, without the weekday, and without the year if it is the current one."""
    pattern = re.sub(r"dddd[,،\s]*|[,،\s]*dddd", "", _locale().dateFormat(QLocale.FormatType.LongFormat))
    if date.year() == now.year():
        pattern = re.sub(r"[,\s]*('\w+'\s*)?y+\s*[年년.]?|^y+[年년.]?\s*", "", pattern)
    if words == QLocale.FormatType.ShortFormat:
        pattern = pattern.replace("MMMM", "MMM")
    return _locale().toString(date, pattern.strip())


def instant(utc: str) -> datetime | None:
    """A time; None if it is not a valid one. Without a time zone it is in the user's."""
    try:
        found = datetime.fromisoformat(utc)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.astimezone()


def local_moment(utc: str) -> datetime | None:
    """A UTC time in the user's time zone; None if it is not a valid time."""
    found = instant(utc)
    return None if found is None else found.astimezone()


def local_day(utc: str) -> QDate | None:
    """The day of a UTC time in the user's time zone; None if it is not a valid time."""
    found = local_moment(utc)
    return QDate(found.year, found.month, found.day) if found is not None else None


def day_around(utc: str) -> tuple[datetime, datetime] | None:
    """When that day begins, and when the next one does, in UTC as what they are compared with: quicker than a day."""
    found = local_moment(utc)
    if found is None:
        return None
    day = found.replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
    return day.astimezone(UTC), (day + timedelta(days=1)).astimezone(UTC)


def _local(utc: str) -> QDateTime | None:
    when = QDateTime.fromString(utc, Qt.DateFormat.ISODateWithMs)
    return when.toLocalTime() if when.isValid() else None


def _places(amount: float, about: bool) -> int:
    if amount >= 1:
        return 2
    return 3 if amount >= (0.001 if about else 0.1) else 4


def _short(x: float, places: int) -> str:
    text = _fixed(x, places)
    point = _locale().decimalPoint()
    return text.rstrip("0").removesuffix(point) if point in text else text


def _fixed(x: float, places: int) -> str:
    return _locale().toString(float(x), ord("f"), places)


def _locale() -> QLocale:
    return QLocale()
