"""`workbench integrate`: the program in the menu of a Linux desktop, and out of it again."""

from __future__ import annotations

import argparse
import sys

from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_text, visible_line
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.translation import counted, tr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("--undo", action="store_true", help="take it out of the menu again")
    parser.add_argument(
        "--into", metavar="DIR", help="the desktop's folder; default: ~/.local/share, for you alone"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Adds the menu entry, icon and file types, or removes them."""
    if sys.platform in ("darwin", "win32"):
        raise WorkbenchError(tr("Only Linux desktops have such a menu. Nothing was changed."))
    if arguments.into == "":
        raise InvalidInput("--into", tr("names no folder"))
    done = services.integrate(arguments.into, arguments.undo)
    changed = done.removed if arguments.undo else done.written
    if arguments.json:
        print_json(done._asdict())
        return 0
    for path in changed:
        print_text(visible_line(path))
    print_text(_summary(arguments.undo, len(changed)))
    return 0


def _summary(undo: bool, changed: int) -> str:
    if undo:
        return (
            tr("Removed {counted}.", counted=counted(changed, "file"))
            if changed
            else tr("Nothing to remove.")
        )
    told = (
        tr("Added {counted}", counted=counted(changed, "file"))
        if changed
        else tr("Everything is there already")
    )
    return tr(
        "{told}. Context Workbench is in the menu; `workbench integrate --undo` takes it out.", told=told
    )
