"""`workbench watch compare`: what an update of a program changed in its requests, and whether that is within limits."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict

from workbench.cli.open_history import find_watched_chat, opened
from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.translation import counted, tr
from workbench.domain.watch.update import CHANGE_KINDS, LIMITED, ChangeKind, UpdateReport

_NAMES = {
    "requests": "requests", "tokens": tr("tokens sent"), "request": tr("largest request"),
    "tools": "tools", "system": "system",
    "breaks": tr("prefix breaks"), "lost": tr("tokens lost by breaks"), "answered": tr("tokens answered"),
}  # fmt: skip


def add_compare_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `workbench watch compare`."""
    parser.add_argument("before", metavar="A", help="a watched chat’s id or its start")
    parser.add_argument("after", metavar="B", help="the same task with another version or setting")
    parser.add_argument(
        "--check",
        action="store_true",
        help="exit code 1 on any change, or where limits are given on those alone",
    )
    parser.add_argument(
        "--at-most", metavar="KEY=N", action="append", default=[], type=_limit,
        help=tr("with --check: the most that B may have of {limited}", limited=', '.join(LIMITED)),
    )  # fmt: skip
    parser.add_argument(
        "--no-new", metavar="KIND", action="append", default=[], choices=CHANGE_KINDS,
        help=tr("with --check: nothing more of this kind: {change_kinds}", change_kinds=', '.join(CHANGE_KINDS)),
    )  # fmt: skip
    parser.add_argument("--junit", metavar="FILE", help="with --check: also write the result as JUnit XML")


def _limit(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if name not in LIMITED or not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(
            tr("{text} is not KEY=N with a key of {limited}", text=text, limited=", ".join(LIMITED))
        )
    return name, value


async def run_compare(arguments: argparse.Namespace, services: Services) -> int:
    """Compares two watched conversations; returns 1 where a check fails."""
    from workbench.engine.watch.updating import compare_watched

    if not arguments.check and (arguments.at_most or arguments.no_new or arguments.junit):
        named = "at-most" if arguments.at_most else "no-new" if arguments.no_new else "junit"
        raise InvalidInput(f"--{named}", tr("needs --check"))
    async with opened(services, writable=False) as store:
        chats = [await find_watched_chat(store, name) for name in (arguments.before, arguments.after)]
        report = await compare_watched(store, chats[0], chats[1], services.spending(store).prices.price)
    failed = _failed(report, arguments) if arguments.check else {}
    if arguments.json:
        print_json({**asdict(report), **({"failed": failed} if arguments.check else {})})
    else:
        _print(report)
    return _check(failed, arguments) if arguments.check else 0


def _failed(report: UpdateReport, arguments: argparse.Namespace) -> dict[str, list[str]]:
    from workbench.context.watch.updates import failed_limits

    no_new: list[ChangeKind] = arguments.no_new
    return failed_limits(report, dict(arguments.at_most), no_new)


def _check(found: dict[str, list[str]], arguments: argparse.Namespace) -> int:
    from workbench.cli.expected import junit, write_text

    for name, lines in found.items():
        for line in lines:
            tell(tr("{name}: {line}", name=visible_line(name), line=visible_line(line)))
    failed = sum(map(bool, found.values()))
    tell(tr("{n} of {counted} passed", n=len(found) - failed, counted=counted(len(found), "check")))
    if arguments.junit:
        write_text(arguments.junit, junit(f"watch compare {arguments.before} {arguments.after}", found))
    return 1 if failed else 0


def _print(report: UpdateReport) -> None:
    was, now = report.before, report.after
    rows = [("", visible_line(was.client), visible_line(now.client), "")]
    rows += [
        (name, f"{getattr(was, key):,}", f"{getattr(now, key):,}", _more(was, now, key))
        for key, name in _NAMES.items()
    ]
    rows.append(("cost", _usd(was.usd), _usd(now.usd), ""))
    print_table(rows, frozenset({1, 2, 3}))
    print_text()
    print_table(list(_changes(report)), frozenset({0, 1}))
    if not report.changes:
        print_text(tr("No difference but ids, dates and session headers."))


def _more(was: object, now: object, key: str) -> str:
    difference = getattr(now, key) - getattr(was, key)
    return f"{difference:+,}" if difference else ""


def _changes(report: UpdateReport) -> Iterator[tuple[str, ...]]:
    for one in report.changes:
        usd = "" if not one.usd else f"{'-' if one.usd < 0 else '+'}{_usd(abs(one.usd))}"
        yield (
            usd,
            tr("{tokens:+,} tokens", tokens=one.tokens) if one.tokens else "",
            one.kind,
            visible_line(one.words),
        )


def _usd(usd: float | None) -> str:
    from workbench.domain.spending import dollars

    return "unknown" if usd is None else dollars(usd)
