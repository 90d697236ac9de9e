"""`workbench replay`: one trajectory in, one report out, with no model and no screen."""

from __future__ import annotations

import argparse
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator

from workbench.cli.parts import Parts
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.cli.settings import parse_override
from workbench.cli.standard_input import MEBIBYTE, read_standard_input, read_up_to
from workbench.context.build.outgoing import Json
from workbench.context.report import REPORT_FORMAT
from workbench.domain.errors import InvalidInput
from workbench.domain.reading.json_text import load_json
from workbench.domain.trajectory import Trajectory
from workbench.engine.replay import replay_kept, replay_turns

LONGEST_PIPED = 256 * MEBIBYTE
_AS_A_FILE = "save it as a file, and give that"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
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
    try:
        if name == "-":
            return read_standard_input(LONGEST_PIPED, _AS_A_FILE)
        with open(name, "rb") as file:
            # A pipe by its name (/dev/stdin, a shell's <(…)) is as endless as standard input.
            known = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read() if known else read_up_to(file, LONGEST_PIPED, _AS_A_FILE, name)
    except OSError as problem:
        raise InvalidInput(name, problem.strerror or type(problem).__name__) from problem
