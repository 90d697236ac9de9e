"""`workbench replay`: one trajectory in, one report out, with no model and no screen."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from workbench.cli.expected import add_check_arguments, check, check_options, turn_case
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.cli.services import Services
from workbench.cli.terminal import read_named
from workbench.context.outgoing import Json
from workbench.context.report import REPORT_FORMAT
from workbench.domain.errors import InvalidInput
from workbench.domain.reading.json_text import load_json
from workbench.domain.settings.preset import parse_override
from workbench.domain.text import digest_text
from workbench.domain.trajectory import Trajectory
from workbench.domain.translation import tr
from workbench.engine.replay import Extract, replay_kept, replay_turns

AS_BEFORE = "as_before"
_LISTS = ("messages", "included_ids", "excluded_ids")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "file", metavar="FILE", help="a trajectory as JSON, or - for standard input (up to 256 MiB)"
    )
    parser.add_argument(
        "--set",
        dest="overrides",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="what if: a setting by its dotted path, in effect in every turn (may be given more than once)",
    )
    parser.add_argument(
        "--turns",
        metavar="A-B",
        type=turn_range,
        default=(1, None),
        help="print these turns only: 3, 3-7, or 3- for all from the third on; those before are built, not printed",
    )
    shorter = parser.add_mutually_exclusive_group()
    shorter.add_argument(
        "--brief",
        action="store_true",
        help="figures only: no texts, no segments, no checks; thousands of turns in seconds",
    )
    shorter.add_argument(
        "--compact",
        action="store_true",
        help="messages and segments that open a request as they opened the one before are given by number and digest",
    )
    add_check_arguments(parser)


def turn_range(text: str) -> tuple[int, int | None]:
    """Parses `3`, `3-7` or `3-` to the first and last turn; the last is None where the range is open."""
    found = re.fullmatch(r"([1-9]\d{0,8})(-([1-9]\d{0,8})?)?", text)
    if found is None:
        raise argparse.ArgumentTypeError(
            tr("expected a turn or turns such as 3, 3-7 or 3-, got {text!r}", text=text)
        )
    first = int(found[1])
    last = None if found[2] == "-" else int(found[3] or first)
    if last is not None and last < first:
        raise argparse.ArgumentTypeError(tr("{text!r} ends before it begins", text=text))
    return first, last


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Prints the report as JSON; a trajectory that cannot be used is reported in one line instead."""
    try:
        check_options(arguments, arguments.file)
        overrides = dict(parse_override(text) for text in arguments.overrides)
        document = load_json(read_named(arguments.file))
        first, last = arguments.turns
        trajectory = parse_trajectory(document, overrides)
        if first > max(1, len(trajectory.turns)):
            raise InvalidInput(
                "--turns",
                tr("there is no turn {first}; the last is {n}", first=first, n=len(trajectory.turns)),
            )
        services.check_catalogue()
    except InvalidInput as problem:
        print(problem, file=sys.stderr)
        return 2
    brief = arguments.brief and arguments.check is None
    reports = _reports(trajectory, services, Extract(first, last, brief))
    if arguments.check is not None:
        return check([turn_case(report) for report in reports], arguments, trajectory.conversation)
    for line in _lines(compact_reports(reports) if arguments.compact else reports):
        sys.stdout.buffer.write(line.encode() + b"\n")
    return 0


def _reports(trajectory: Trajectory, services: Services, extract: Extract) -> Iterable[Json]:
    if not any(turn.reload for turn in trajectory.turns):
        return replay_turns(trajectory, services.builder, extract)
    import asyncio

    with services.scratch() as scratch:
        kept = asyncio.run(replay_kept(trajectory, services.builder, scratch.open, extract))
        turns: list[Json] = kept["turns"]
        return turns


def _lines(reports: Iterable[Json]) -> Iterator[str]:
    """Yields one JSON document in lines, a turn each, so that it is written while it is computed."""
    yield f'{{"format": {json.dumps(REPORT_FORMAT)}, "turns": ['
    before = ""
    for report in reports:
        if before:
            yield f"{before},"
        before = json.dumps(report, ensure_ascii=False)
    yield f"{before}]}}"


def compact_reports(reports: Iterable[Json]) -> Iterator[Json]:
    """Shortens reports: rows that start a list as in the report before are replaced by their number and digest.

    That applies to messages, the segments of a layer, and lists of ids.
    """
    before: dict[str, list[Any]] = {}
    for report in reports:
        lists = {name: report[name] for name in _LISTS}
        lists |= {layer["name"]: layer["segments"] for layer in report["layers"]}
        short = {name: _shortened(rows, before.get(name, [])) for name, rows in lists.items()}
        layers = [{**layer, "segments": short[layer["name"]]} for layer in report["layers"]]
        yield {**report, "layers": layers, **{name: short[name] for name in _LISTS}}
        before = lists


def _shortened(rows: list[Any], before: list[Any]) -> list[Any]:
    same = next(
        (place for place, (new, old) in enumerate(zip(rows, before, strict=False)) if new != old),
        min(len(rows), len(before)),
    )
    return [{AS_BEFORE: same, "digest": rows_digest(rows[:same])}, *rows[same:]] if same else rows


def rows_digest(rows: list[Any]) -> str:
    """Returns the digest of the rows as one JSON list with sorted keys and no spaces."""
    return digest_text(json.dumps(rows, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
