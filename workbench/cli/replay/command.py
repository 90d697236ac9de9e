"""`workbench replay`: one trajectory in, one report out, with no model and no screen."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.cli.parts import Parts
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.cli.settings import parse_override
from workbench.context.build.outgoing import Json
from workbench.context.report import REPORT_FORMAT
from workbench.domain.errors import InvalidInput
from workbench.domain.reading.json_text import load_json
from workbench.domain.trajectory import Trajectory
from workbench.engine.replay import replay_kept, replay_turns


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("file", metavar="FILE", help="a trajectory as JSON, or - for standard input")
    parser.add_argument(
        "--set",
        dest="overrides",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="what if: a setting by its dotted path, in effect in every turn (may be given more than once)",
    )


def run(arguments: argparse.Namespace, parts: Parts) -> int:
    """Print the report; a trajectory that cannot be used is named in one line, and nothing is printed."""
    try:
        overrides = dict(parse_override(text) for text in arguments.overrides)
        trajectory = parse_trajectory(load_json(_read(arguments.file)), overrides)
        parts.check_catalogue()
    except InvalidInput as problem:
        print(problem, file=sys.stderr)
        return 2
    for line in _lines(_reports(trajectory, parts)):
        sys.stdout.buffer.write(line.encode() + b"\n")
    return 0


def _reports(trajectory: Trajectory, parts: Parts) -> Iterable[Json]:
    if not any(turn.reload for turn in trajectory.turns):
        return replay_turns(trajectory, parts.builder)
    import asyncio

    with parts.scratch() as scratch:
        turns: list[Json] = asyncio.run(replay_kept(trajectory, parts.builder, scratch.open))["turns"]
        return turns


def _lines(reports: Iterable[Json]) -> Iterator[str]:
    """One JSON document, a line a turn: written as it is made, and quick to write."""
    yield f'{{"format": {json.dumps(REPORT_FORMAT)}, "turns": ['
    before = ""
    for report in reports:
        if before:
            yield f"{before},"
        before = json.dumps(report, ensure_ascii=False)
    yield f"{before}]}}"


def _read(name: str) -> bytes:
    if name == "-" and sys.stdin is None:
        raise InvalidInput("-", "standard input is closed")
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as problem:
        raise InvalidInput(name, problem.strerror or type(problem).__name__) from problem
