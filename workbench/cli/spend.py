"""`workbench spend`: what requests cost, by day, model, workspace or watched program."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from workbench.cli.open_history import opened
from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.spending import (
    GROUPINGS,
    OWN,
    Grouping,
    SpendSum,
    Spent,
    dollars,
    grouped,
    left_words,
    sum_of,
)
from workbench.domain.translation import counted, tr
from workbench.domain.watch.exchange import program_name
from workbench.engine.metering import limits_at, local_time, utc_text

_PLACES = 10
_HEADS = ("requests", "sent", "cached", "price", "saved", "re-read")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "--by", choices=GROUPINGS, default="day", help="what each row sums up, in local time (day)"
    )
    parser.add_argument("--since", metavar="D", help="the first day, such as 2026-11-01; default: all")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Print what was spent; returns the exit code."""
    return asyncio.run(_run(arguments, services))


async def _run(arguments: argparse.Namespace, services: Services) -> int:
    since = _since(arguments.since)
    async with opened(services, writable=False) as store:
        spending = services.spending(store)
        spent, all_spent = await spending.spent(since), await spending.spent()
        names = {one.id: one.name for one in await services.workspaces(store).workspaces()}
    rows, total = grouped(spent, arguments.by, local_time), sum_of("total", spent)
    if arguments.json:
        named = [_document(row) | {"key": _name(row.key, arguments.by, names, row.key)} for row in rows]
        print_json({"rows": named, "total": _without_key(_document(total))})
        return 0
    if not spent:
        tell(tr("Nothing spent yet."))
        return 0
    lines = [_line(_shown_name(row.key, arguments.by, names), row) for row in rows]
    print_table([("", *_HEADS), *lines, _line("total", total)], frozenset(range(1, 6)))
    _tell_limits(all_spent, services)
    _tell_unknown(total)
    if total.refreshes:
        print_text(
            tr(
                "{counted} kept a cache warm: {amount}",
                counted=counted(total.refreshes, "request"),
                amount=_amount(total.refresh_usd),
            )
        )
    return 0


def _since(text: str | None) -> str:
    """Returns a local day's first moment in UTC; `InvalidInput` for what is no day."""
    if text is None:
        return ""
    try:
        return utc_text(datetime.strptime(text, "%Y-%m-%d").astimezone())
    except ValueError:
        raise InvalidInput(
            "--since", tr("expected a day such as 2026-11-01, got {text!r}", text=visible_line(text[:40]))
        ) from None


def _name(key: str, by: Grouping, names: Mapping[str, str], nowhere: str) -> str:
    """Returns a row's name: a workspace is shown under its own, all else as it is."""
    if by != "workspace":
        return key
    return names.get(key, key) if key else nowhere


def _shown_name(key: str, by: Grouping, names: Mapping[str, str]) -> str:
    """Returns a row's name for people: a watched program under the name that it is known by."""
    if by == "program" and key != OWN:
        return program_name(key)
    return _name(key, by, names, "No workspace")


def _document(row: SpendSum) -> dict[str, Any]:
    return {
        "key": row.key,
        "requests": row.requests,
        "input_tokens": row.input_tokens,
        "cached_tokens": row.cached_tokens,
        "output_tokens": row.output_tokens,
        "usd": _rounded(row.usd),
        "saved_usd": _rounded(row.saved_usd),
        "reread_tokens": row.reread_tokens,
        "reread_usd": _rounded(row.reread_usd),
        "unpriced_requests": row.unpriced_requests,
        "refreshes": row.refreshes,
        "refresh_usd": _rounded(row.refresh_usd),
    }


def _without_key(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "key"}


def _rounded(usd: float | None) -> float | None:
    return None if usd is None else round(usd, _PLACES)


def _line(name: str, row: SpendSum) -> tuple[str, ...]:
    share = f"{round(100 * row.cached_tokens / row.input_tokens)} %" if row.input_tokens else ""
    price = "no cost" if row.local else _amount(row.usd)
    return (
        visible_line(name),
        f"{row.requests:,}",
        f"{row.input_tokens:,}",
        share,
        price,
        _amount(row.saved_usd),
        _amount(row.reread_usd if row.reread_tokens else 0.0),
    )


def _amount(usd: float | None) -> str:
    if usd is None:
        return "unknown"
    return f"-{dollars(-usd)}" if usd < 0 else dollars(usd)


def _tell_limits(spent: Sequence[Spent], services: Services) -> None:
    """Prints what is left of each cap."""
    caps = services.preferences().load().spend
    for limit in limits_at(caps, services.utc_now()):
        used = sum(one.usd or 0.0 for one in spent if limit.covers(one))
        print_text(left_words(limit, used))
    if caps.chat_usd is not None:
        print_text(tr("{dollars} for each chat", dollars=dollars(caps.chat_usd)))


def _tell_unknown(total: SpendSum) -> None:
    if total.unpriced_requests:
        what = counted(total.unpriced_requests, "request")
        tell(tr("workbench: no price is known for {what}, which the prices here leave out", what=what))
    if total.predicted_requests:
        what = counted(total.predicted_requests, "request")
        tell(tr("workbench: {what} had no usage reported; the figures for that are predicted", what=what))
