"""`workbench inspect`: a request as it was sent, or how two of them differ; the same report object as `replay`."""

from __future__ import annotations

import argparse

from workbench.cli.services import Services


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument("--turn", type=int, metavar="N", help="the N-th turn; default: the last")
    parser.add_argument("--diff", type=int, metavar="M", help="compare with the M-th turn")
    parser.add_argument(
        "--case",
        metavar="FILE",
        help="write the turn as a case: `workbench replay FILE --check FILE` checks it",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Show a stored request; nothing is built anew and nothing is changed."""
    # Late: `--help` answers without them.
    import asyncio

    from workbench.cli.inspect_show import inspect

    services.check_catalogue()
    return asyncio.run(inspect(arguments, services))
