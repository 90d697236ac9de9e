"""Reads charts in Office documents as a table: their titles and the figures they show."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any

from workbench.sources.extract.prose import markdown_table, one_line

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DATE = re.compile(r"[ymd]{2}", re.IGNORECASE)
_FIRST_DAY = datetime.datetime(1899, 12, 30, tzinfo=datetime.UTC)


def chart_text(tree: Any) -> str:
    """Returns a chart's titles and a table row for each of its series; empty where it stores none."""
    titles = [_title(one) for one in tree.iter(f"{_C}title")]
    series = list(tree.iter(f"{_C}ser"))
    named = [(_joined(one, "tx"), _points(one, "cat", "xVal"), _points(one, "val", "yVal")) for one in series]
    rows: list[Sequence[str]] = []
    heads: Sequence[str] | None = None
    for name, categories, values in named:
        if categories != heads and (categories or values):
            heads = categories
            rows.append(["", *categories])
        if name or values:
            rows.append([name, *values])
    words = "; ".join(filter(None, titles))
    table = markdown_table(rows) if any(any(row) for row in rows) else ""
    return (
        "\n\n".join(filter(None, (f"Chart: {words}" if words else "Chart:", table))) if words or table else ""
    )


def _title(title: Any) -> str:
    lines = ["".join(one.text or "" for one in line.iter(f"{_A}t")) for line in title.iter(f"{_A}p")]
    return one_line(" ".join((*lines, *(one.text or "" for one in title.iter(f"{_C}v")))))


def _points(series: Any, *names: str) -> list[str]:
    found: list[str] = []
    for part in (part for name in names for part in series.findall(f"{_C}{name}")):
        form = next(part.iter(f"{_C}formatCode"), None)
        dates = form is not None and _DATE.search(form.text or "") is not None
        written = (one_line(point.text or "") for point in part.iter(f"{_C}v"))
        found += [_day(point) if dates else point for point in written]
    return found


def _day(written: str) -> str:
    """Converts the serial day number that Office stores to an ISO date."""
    try:
        return (_FIRST_DAY + datetime.timedelta(days=float(written))).date().isoformat()
    except (ValueError, OverflowError):
        return written


def _joined(series: Any, name: str) -> str:
    return " ".join(_points(series, name))
