"""`workbench about`: version, surroundings, and every part of the program with its licence."""

from __future__ import annotations

import argparse

from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, print_text
from workbench.domain.about import Part, find_parts
from workbench.domain.translation import tr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "--search",
        metavar="WORDS",
        default="",
        help="list only the parts with all these words, such as a licence",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Prints the version and parts of the program; returns 1 where a search finds no part."""
    facts, parts = services.about()
    found = find_parts(parts, arguments.search)
    if arguments.json:
        print_json({**facts._asdict(), "parts": [part._asdict() for part in found]})
    else:
        print_text(facts.line)
        print_table([_row(part) for part in found])
    return 0 if found else 1


def _row(part: Part) -> tuple[str, ...]:
    note = tr("in {within}", within=part.within) if part.within else tr("optional") if part.optional else ""
    return (part.name, part.version, note, part.licence)
