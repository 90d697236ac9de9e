"""Times of other programs as ours: UTC, written `2026-01-01T12:00:00Z`, with a fraction where there is one."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_SLASHES = re.compile(r"(\d{4})/(\d\d)/(\d\d)")
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z", re.ASCII)
_LONGEST = 40
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_utc(time: object) -> str | None:
    """A moment given as text or as seconds since 1970; None where it is neither. No zone means UTC."""
    moment = parse_moment(time)
    return None if moment is None else written(moment)


def parse_moment(time: object) -> datetime | None:
    """The moment, in UTC."""
    try:
        if isinstance(time, str) and len(time) <= _LONGEST:
            return _in_utc(datetime.fromisoformat(_SLASHES.sub(r"\1-\2-\3", time.strip())))
        if isinstance(time, int | float) and not isinstance(time, bool):
            return EPOCH + timedelta(seconds=time)
    except (ValueError, OverflowError):
        pass
    return None


def written(moment: datetime) -> str:
    """A moment in UTC as it is kept, in milliseconds where it has a fraction."""
    whole = moment.replace(tzinfo=None)
    return whole.isoformat(timespec="milliseconds" if whole.microsecond >= 1000 else "seconds") + "Z"


def to_stamp(moment: datetime) -> str:
    """A moment as it stands in the name of one of Elara's files: `20250824T163625123Z`."""
    return f"{moment:%Y%m%dT%H%M%S}".rjust(15, "0") + f"{moment.microsecond // 1000:03}Z"


def from_stamp(stamp: str) -> str | None:
    """The moment that such a name begins with."""
    found = _STAMP.match(stamp)
    if found is None:
        return None
    year, month, day, hour, minute, second, thousandth = found.groups()
    return to_utc(f"{year}-{month}-{day}T{hour}:{minute}:{second}.{thousandth}+00:00")


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
